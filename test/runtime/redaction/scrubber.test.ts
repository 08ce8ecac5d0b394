import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { namedPaths } from '../../../src/runtime/redaction/named-paths.ts';
import { pseudonymsOf, Scrubber } from '../../../src/runtime/redaction/scrubber.ts';
import { oneOfEach } from '../../support/made-events.ts';

const HASHER = { sha256: (text: string) => createHash('sha256').update(text).digest('hex') };
const AROUND = {
  workspaces: ['/home/jane/work/acme', String.raw`C:\Users\Jane\acme`],
  home: '/home/jane',
  user: 'jane',
  host: 'janes-laptop',
  secrets: ['known secret/of the session'],
};

function scrubber(chosen: 'secrets' | 'paths' | 'file_names'): Scrubber {
  const none = { secrets: false, paths: false, file_names: false, contents: false };
  return new Scrubber({ ...none, [chosen]: true }, AROUND, pseudonymsOf(HASHER, 'salt'));
}

describe('secrets', () => {
  const planted = 'Hunter2xQ9zzzzz';
  it.each([
    `OPENAI_API_KEY=sk-proj-${planted}`,
    `key sk-${planted}abcdef`,
    `Authorization: Bearer ${planted}.${planted}`,
    `{"authorization":"Basic ${planted}"}`,
    `curl -H 'X-Api-Key: ${planted}'`,
    `Cookie: session=${planted}; other=${planted}`,
    `postgres://jane:${planted}@db.example.com/x`,
    `https://example.com/?access_token=${planted}&a=1`,
    `PASSWORD=${planted}`,
    `password: "${planted} with words"`,
    `{"db_password": "${planted}"}`,
    String.raw`{\"client_secret\": \"${planted}\"}`,
    `passwd = '${planted}'`,
    `AWS_SECRET_ACCESS_KEY=${planted}/abc`,
    `the token is ${planted}abcdef01234567`,
    `-----BEGIN RSA PRIVATE KEY-----\n${planted}\n-----END RSA PRIVATE KEY-----`,
    `-----BEGIN OPENSSH PRIVATE KEY-----\n${planted}`,
    `ghp_${planted}abcdefghij`,
    `eyJ${planted}.${planted}.${planted}`,
    `login --password ${planted}`,
    `login --api-key '${planted}' now`,
    `curl -u jane:${planted} https://example.com`,
    `sshpass -p ${planted} ssh x`,
    `mysql -u root -p${planted}`,
    `machine x login jane password ${planted}`,
    `ENV API_TOKEN ${planted}`,
    `the password is ${planted}`,
    `api key: ${planted}`,
    `AccountKey=${planted}==;`,
    `{"passwords": ["${planted}", "${planted}"]}`,
    `<password>${planted}</password>`,
    `{"name": "API_KEY", "value": "${planted}"}`,
    `- name: DB_PASSWORD\n  value: ${planted}`,
    `xapp-1-${planted}`,
    `hvs.${planted}`,
    `whsec_${planted}`,
    `https://hooks.slack.com/services/T0/B0/${planted}`,
  ])('go out of %s', (text) => {
    expect(scrubber('secrets').text(text)).not.toContain(planted);
  });

  it.each(['known secret/of the session', 'known%20secret%2Fof%20the%20session'])(
    'go out as they are known: %s',
    (text) => {
      expect(scrubber('secrets').text(`it is ${text}.`)).toBe('it is [secret removed].');
    },
  );

  it('leave the words around them', () => {
    const one = scrubber('secrets');
    expect(one.text('Set PASSWORD=abcd1234 and run npm test.')).toBe(
      'Set PASSWORD=[secret removed] and run npm test.',
    );
    expect(one.text('Nothing is hidden here; the author wrote 12 lines.')).toBe(
      'Nothing is hidden here; the author wrote 12 lines.',
    );
    expect(one.text('docker run -u 1000:1000 with --token-limit 5; the token counts were wrong.')).toBe(
      'docker run -u 1000:1000 with --token-limit 5; the token counts were wrong.',
    );
    expect(one.tally.removed.secrets).toBe(1);
  });

  it('are found in the values of objects by the name beside them', () => {
    expect(scrubber('secrets').under('password', 'a"b')).toBe('[secret removed]');
    expect(scrubber('secrets').under('pin_token', 123_456)).toBe('[secret removed]');
    expect(scrubber('secrets').under('count', 123_456)).toBe(123_456);
  });

  it('are looked for in long text in good time', () => {
    const text = 'token-'.repeat(40_000) + '"'.repeat(10_000) + 'a'.repeat(200_000);
    expect(scrubber('secrets').text(text).length).toBeGreaterThan(0);
  });
});

describe('places', () => {
  it.each([
    ['see /home/jane/work/acme/src/a.ts:3', 'see <workspace>/src/a.ts:3'],
    ['see /home/jane/work/acme-2/x', 'see <home>/work/acme-2/x'],
    ['in /home/jane/.ssh/config', 'in <home>/.ssh/config'],
    ['in file:///home/jane/work/acme/a.ts', 'in file://<workspace>/a.ts'],
    [String.raw`{"cwd":"C:\\Users\\Jane\\acme\\src"}`, String.raw`{"cwd":"<workspace>\\src"}`],
    ['c:/users/jane/acme/src', '<workspace>/src'],
    [String.raw`D:\Projects\secret\x.ts`, '<path>'],
    [String.raw`\\server\share\x`, '<path>'],
    ['/home/other/x and /etc/passwd', '<path> and <path>'],
    ['jane@example.com on janes-laptop', '<email> on <host>'],
    ['by Jane, not by janet', 'by <user>, not by janet'],
    ['1/2 and and/or src/a.ts', '1/2 and and/or src/a.ts'],
  ])('go out of %s', (text, clean) => {
    expect(scrubber('paths').text(text)).toBe(clean);
  });

  it.each([
    ['/home/jane/work/acme/My Notes/a.ts', '<workspace>/My Notes/a.ts'],
    ['/srv/My Notes/a.ts', '<path>'],
    ['src/a.ts', 'src/a.ts'],
    ['~/x y', '<path>'],
  ])('go out of a field that is one: %s', (path, clean) => {
    expect(scrubber('paths').path(path)).toBe(clean);
  });
});

describe('names of files', () => {
  it('are those that fields of the log name', () => {
    const { file_change, tool_result } = oneOfEach();
    const folders = { made_folders: ['src/zebra'], removed_folders: ['lib/acme'] };
    const shown = { attachments: [{ kind: 'image', path: 'docs/plan one' }] };
    expect([
      ...namedPaths({ ...file_change, data: { ...file_change.data, path: 'src/zebra/a', ...folders } }),
      ...namedPaths({ ...tool_result, data: { ...tool_result.data, ...shown } }),
    ]).toEqual(['src/zebra/a', 'src/zebra', 'lib/acme', 'docs/plan one']);
  });

  it('go out of running text where a field names them, or where they end like one', () => {
    const one = scrubber('file_names');
    one.knowPaths(['src/acme', 'lib/secret project/plan']);
    const text = one.text('Read src/acme and lib/secret project/plan, then acme.config.ts, not e.g. this.');
    expect(text).toMatch(
      /^Read name_\w{10}\/name_\w{10} and name_\w{10}\/name_\w{10}\/name_\w{10}, then name_\w{10}\.ts, not e\.g\. this\.$/,
    );
  });
});

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { namedPaths } from '../../../src/runtime/redaction/named-paths.ts';
import { pseudonymsOf, Scrubber } from '../../../src/runtime/redaction/scrubber.ts';
import { oneOfEach } from '../../support/made-events.ts';

const HASHER = { sha256: (text: string) => createHash('sha256').update(text).digest('hex') };
const AROUND = {
  workspaces: ['/home/jane/code/acme', String.raw`C:\Users\Jane\acme`],
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
});

describe('places', () => {
  it.each([
    ['see /home/jane/code/acme/src/a.ts:3', 'see <workspace>/src/a.ts:3'],
    ['see /home/jane/code/acme-2/x', 'see <home>/code/acme-2/x'],
    ['in /home/jane/.ssh/config', 'in <home>/.ssh/config'],
    ['in file:///home/jane/code/acme/a.ts', 'in file://<workspace>/a.ts'],
    [String.raw`{"cwd":"C:\\Users\\Jane\\acme\\src"}`, String.raw`{"cwd":"<workspace>\\src"}`],
    ['c:/users/jane/acme/src', '<workspace>/src'],
    [String.raw`D:\Projects\secret\x.ts`, '<path>'],
    [String.raw`\\server\share\x`, '<path>'],
    ['/home/other/x and /etc/passwd', '<path> and <path>'],
    ['jane@example.com on janes-laptop', '<email> on <host>'],
    ['by Jane, not by janet', 'by <user>, not by janet'],
    ['1/2 and and/or src/a.ts', '1/2 and and/or src/a.ts'],
    ['PATH=/usr/bin:/home/jane/bin:/home/bob/bin', 'PATH=<path>:<home>/bin:<path>'],
    ['cc -I/home/bob/include -O2', 'cc <path> -O2'],
    ['"/home/bob/my app/x" is there', '"<path>" is there'],
    ['/home/bob/My Files/x', '<path>'],
    [String.raw`cd /home/bob\ smith/x`, 'cd <path>'],
    ['cd /home/bób/x', 'cd <path>'],
    ['ls ~bob/notes', 'ls <path>'],
    ['/mnt/c/Users/Bob Smith/x', '<path>'],
    ['/c/Users/Bob Smith/x', '<path>'],
    [String.raw`C:\Users\Bob Smith\acme\src`, '<path>'],
    [String.raw`"C:\\Users\\Bob Smith\\my acme"`, '"<path>"'],
    [String.raw`\\wsl$\Ubuntu\home\bob`, '<path>'],
    [String.raw`{"cwd":"\/home\/bob\/x"}`, '{"cwd":"<path>"}'],
    [String.raw`{"cwd":"\u002fhome\u002fbob"}`, '{"cwd":"<path>"}'],
    ['?dir=%2Fhome%2Fbob%2Fx&a=1', '?dir=<path>&a=1'],
    ['?dir=%2fhome%2fjane%2fx', '?dir=<home>%2fx'],
    ['?dir=c%3A%5CUsers%5Cbob%5Cx', '?dir=<path>'],
    ['file:///c%3A/Users/Jane/acme/a.ts', '<workspace>/a.ts'],
    ['file:///C:/Users/Bob/a.ts', '<path>'],
    ['vscode-remote://ssh-remote%2Bacme/home/bob/p', '<path>'],
    ['vscode://file/home/jane/code/acme/a.ts:3', '<workspace>/a.ts:3'],
    ['smb://server/share/bob', '<path>'],
    ['bob@acme-build:~$ ls', '<user>@<host>:~$ ls'],
    [
      'https://a.example/b/c and http://localhost:3000/b/c',
      'https://a.example/b/c and http://localhost:3000/b/c',
    ],
    ['s/foo/bar/g, 1/2/3 and <div>/</div>', 's/foo/bar/g, 1/2/3 and <div>/</div>'],
    ['// one /* and another */ in src/home/index.ts', '// one /* and another */ in src/home/index.ts'],
    ['import x from "./private/x.ts"', 'import x from "./private/x.ts"'],
  ])('go out of %s', (text, clean) => {
    expect(scrubber('paths').text(text)).toBe(clean);
  });

  it.each([
    ['/Users/jané/My Work/acme/a.ts', '<workspace>/a.ts'],
    ['/users/JANÉ/my work/acme/a.ts', '<workspace>/a.ts'],
    [String.raw`cd /Users/jané/My\ Work/acme`, 'cd <workspace>'],
    ['/Users/jan%C3%A9/My%20Work/acme/a.ts', '<workspace>/a.ts'],
    [String.raw`by Jan\u00e9 and jan%C3%A9`, 'by <user> and <user>'],
    ['on studio.local, studio and localhost', 'on <host>, <host> and localhost'],
  ])('are known however a machine of another kind writes them: %s', (text, clean) => {
    const around = {
      workspaces: ['/Users/jané/My Work/acme'],
      home: '/Users/jané',
      user: 'jané',
      host: 'studio.local',
      secrets: [],
    };
    const paths = { secrets: false, paths: true, file_names: false, contents: false };
    expect(new Scrubber(paths, around, pseudonymsOf(HASHER, 'salt')).text(text)).toBe(clean);
  });

  it.each([
    ['/home/jane/code/acme/My Notes/a.ts', '<workspace>/My Notes/a.ts'],
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

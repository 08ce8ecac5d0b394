import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SecretFilter, Secrets } from '../../src/tools/secret-filter.ts';
import { Fixture, RecordingContext } from './tool-fixture.ts';

const KEY = 'sk-proj-0123456789abcdef';

/** What is passed on of text that comes in pieces of this many bytes. */
function filtered(text: string, size: number, secrets: readonly string[] = [KEY]): string {
  const passed: Buffer[] = [];
  const filter = new SecretFilter(new Secrets(secrets), (chunk) => passed.push(chunk));
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) filter.push(bytes.subarray(at, at + size));
  filter.end();
  return String(Buffer.concat(passed));
}

test.each([1, 2, 3, 7, 1_000])('a secret is removed from pieces of %i bytes, and only the secret', (size) => {
  expect(filtered(`a ${KEY}${KEY} ä sk-proj-0 s`, size)).toBe(
    'a [secret removed][secret removed] ä sk-proj-0 s',
  );
  expect(filtered(`sk-proj-sk-proj-${KEY.slice(8)}.`, size)).toBe('sk-proj-[secret removed].');
  expect(filtered('nothing of it', size)).toBe('nothing of it');
  expect(filtered('schlüssel: gehäuse-ß!', size, ['gehäuse-ß', KEY])).toBe('schlüssel: [secret removed]!');
  expect(filtered('abcdefgh abcdefghij', size, ['abcdefgh', 'abcdefghij'])).toBe(
    '[secret removed] [secret removed]',
  );
});

test.each([1, 5, 1_000])(
  'a secret is found in pieces of %i bytes also with colours or NULs inside',
  (size) => {
    const coloured = `\u001b[31m${KEY.slice(0, 3)}\u001b[m\u001b[K${KEY.slice(3)}\u001b[m`;
    expect(filtered(coloured, size)).toBe('\u001b[31m[secret removed]\u001b[m');
    expect(filtered(`${KEY.split('').join('\0')}\0`, size)).toBe('[secret removed]\0');
  },
);

test('what is held back stays bounded', () => {
  for (const filler of ['\0', '\u001b[0', 's']) {
    let passed = 0;
    const filter = new SecretFilter(new Secrets([KEY]), (chunk) => (passed += chunk.length));
    filter.push(Buffer.from(`sk${filler}`));
    for (let n = 0; n < 100; n += 1) filter.push(Buffer.from(filler.slice(-1).repeat(100)));
    expect(passed).toBeGreaterThan(10_000 - KEY.length * 32 - 200);
  }
});

test('what is too short to be a secret, or empty, is left alone', () => {
  expect(filtered('password is hunter2', 5, ['hunter2', '', '   '])).toBe('password is hunter2');
});

test('a command that reads the environment of our process does not get its secrets into the log', async () => {
  const own = readFileSync(`/proc/${process.pid}/environ`, 'utf8').split('\0');
  const secret = own.find((entry) => entry.startsWith('PATH='))?.slice('PATH='.length) ?? '';
  expect(secret.length).toBeGreaterThanOrEqual(8);
  using fixture = new Fixture({ secrets: [secret], env: { PATH: '/usr/bin:/bin' } });
  const context = new RecordingContext();
  const command = "tr '\\0' '\\n' < /proc/$PPID/environ | grep ^PATH=";
  expect(await fixture.run('run_command', { command }, context)).toEqual({
    kind: 'success',
    output: 'exit code 0\nPATH=[secret removed]',
    changes: [],
  });
  expect(context.shown.join('')).toBe('PATH=[secret removed]\n');
});

test('a secret said in pieces is in neither the output, nor the progress, nor the blob', async () => {
  using fixture = new Fixture({ secrets: [KEY] });
  const context = new RecordingContext();
  const pieces = [KEY.slice(0, 5), KEY.slice(5, 12), KEY.slice(12)];
  const slowly = pieces.map((piece) => `printf %s ${piece}`).join('; sleep 0.2; ');
  // Lines of 25 bytes, so that the cut after the head would fall into one of them.
  const command = `echo begin; ${slowly}; echo; yes ${KEY} | head -n 3000; printf 'x\\033[1m%s\\033[m%s' ${KEY.slice(0, 4)} ${KEY.slice(4)}`;
  const outcome = await fixture.run('run_command', { command }, context);
  if (outcome.kind !== 'success') throw new Error('succeeded');
  const blob = String(fixture.blobs.bodies.get(outcome.blob ?? ''));
  expect(blob).toBe(`begin\n${'[secret removed]\n'.repeat(3_001)}x\u001b[1m[secret removed]`);
  expect(outcome.output.startsWith('exit code 0\nbegin\n[secret removed]\n')).toBe(true);
  expect(outcome.output.endsWith('\nx[secret removed]')).toBe(true);
  for (const text of [outcome.output, blob, context.shown.join('')]) {
    expect(text).not.toContain('sk-p');
    expect(text).not.toContain(KEY.slice(12));
  }
});

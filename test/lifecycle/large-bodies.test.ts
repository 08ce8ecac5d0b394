import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { logText } from './log-file.ts';
import { asks, says, stage } from './window.ts';

const on = stage();

const LARGE = `begin ${'0123456789\n'.repeat(6000)}end`;
/** A body may have 32 KiB in the log; what is beside it in its line is small. */
const LONGEST_LINE = 40 * 1024;

async function longestLine(): Promise<number> {
  return Math.max(...(await logText(on.place)).split('\n').map((line) => Buffer.byteLength(line)));
}

describe('a large body', () => {
  it('of a pending call is whole after a restart, and what was asked is what runs', async () => {
    const window = await on.turn('Write.', [
      asks(['c1', 'write_file', { path: 'a.txt', content: LARGE }]),
      says('Done.'),
    ]);
    expect(window.state).toBe('waiting');
    await window.close();
    const again = await on.open();
    expect(await again.decided('c1', 'resume')).toBe('completed');
    expect(await on.read('a.txt')).toBe(LARGE);
    expect(await longestLine()).toBeLessThan(LONGEST_LINE);
  });

  it('of an edit is asked with a bounded diff', async () => {
    await on.write('a.txt', LARGE);
    const window = await on.turn('Edit.', [
      asks(['c1', 'edit_file', { path: 'a.txt', old_text: '5', new_text: 'five', replace_all: true }]),
      says('Done.'),
    ]);
    expect(window.state).toBe('waiting');
    expect(await longestLine()).toBeLessThan(LONGEST_LINE);
    expect(await window.decided('c1', 'resume')).toBe('completed');
    expect(await on.read('a.txt')).toBe(LARGE.replaceAll('5', 'five'));
    expect(await longestLine()).toBeLessThan(LONGEST_LINE);
  });

  it('of an answer is given whole, and the log keeps its lines short', async () => {
    const window = await on.turn('Ask.', [
      asks(['q1', 'ask_user', { question: 'Paste it.' }]),
      says('Thanks.'),
    ]);
    expect(await window.decided('q1', 'resume', { result: LARGE })).toBe('completed');
    expect(on.output(1, 'q1')).toBe(LARGE);
    expect(await longestLine()).toBeLessThan(LONGEST_LINE);
  });

  it('of a checkpoint is sent whole, also by the process that opens the session next', async () => {
    const lines = Array.from({ length: 30 }, (_, n) => `${n} ${'語'.repeat(390)}`);
    const summary = { summary: 'Sie sprachen.', findings: lines, remaining: lines };
    await on.script(
      ...Array.from({ length: 14 }, () => says('語 '.repeat(20_000))),
      says(JSON.stringify(summary)),
      says('One.'),
      says('Two.'),
    );
    const window = await on.open({ 'compaction.strategy': 'model_assisted_v1' });
    for (let n = 0; n < 14; n += 1) await window.turn(`Question ${n}?`, `q${n}`);
    await window.receive({ type: 'compact' });
    expect(await window.turn('Go on.', 'one')).toBe('completed');
    expect(await on.of('history_compaction')).toMatchObject([{ blob: expect.any(String) as string }]);
    expect(JSON.stringify(on.input(15))).toContain(lines.at(-1));
    await window.close();
    const again = await on.open();
    expect(await again.turn('And on.', 'two')).toBe('completed');
    expect(on.input(16).slice(0, on.input(15).length)).toEqual(on.input(15));
  });

  it('that is not what its line says of it damages that line, and the session is still read', async () => {
    const window = await on.turn('Talk.', [says(LARGE), says('Never.')]);
    await window.close();
    const sessions = join(on.place.storage, 'sessions');
    const text = await logText(on.place);
    const forged = text.replace('"field":"text","encoding":"text"', '"field":"text","encoding":"json"');
    expect(forged).not.toBe(text);
    for (const name of await readdir(sessions)) await rm(join(sessions, name), { recursive: true });
    await writeFile(join(sessions, 's1.jsonl'), forged);
    const again = await on.open();
    await again.send('Are you there?', 'c2');
    expect(again.failures.map(({ kind }) => kind)).toEqual(['session_damaged']);
  });
});

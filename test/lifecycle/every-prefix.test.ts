import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { diagnoseSession } from '../../src/app/inspect.ts';
import { applyToSession, emptySession } from '../../src/runtime/session-state.ts';
import { cutTo, logText } from './log-file.ts';
import { asks, says, stage } from './window.ts';

const on = stage();

const LEGAL = ['waiting', 'interrupted', 'completed', null];

it('every prefix of a turn with approvals opens in a legal state, runs nothing, asks nobody else and goes on', async () => {
  const first = asks(
    ['c1', 'run_command', { command: 'echo x >> count' }],
    ['c2', 'write_file', { path: 'a.txt', content: 'new' }],
    ['q1', 'ask_user', { question: 'Which?' }],
    ['c3', 'list_files', {}],
  );
  await on.script(first, says('I wait.'), says('Done.'));
  const window = await on.open();
  expect(await window.turn('Go.')).toBe('waiting');
  await window.decide('c1', 'resume');
  await window.rests();
  await window.decide('c2', 'cancel');
  await window.decide('q1', 'resume', { result: 'this' });
  expect(await window.rests()).toBe('completed');
  await window.close();
  const whole = await logText(on.place);
  const lines = whole.split('\n').length - 1;
  expect(lines).toBeGreaterThan(30);
  const log = join(on.place.storage, 'sessions', 's1.jsonl');
  const seen = new Set<string | null>();
  for (let count = lines; count > 0; count -= 1) {
    await writeFile(log, whole);
    await cutTo(on.place, count);
    for (const made of ['count', 'a.txt']) await rm(join(on.place.workspace, made), { force: true });
    await on.script(says('Here I am.'));
    const again = await on.open();
    const state = await again.rests();
    seen.add(state);
    expect(LEGAL, `after ${count} lines`).toContain(state);
    expect(on.requests, `after ${count} lines`).toHaveLength(0);
    expect([await on.read('count'), await on.read('a.txt')], `after ${count} lines`).toEqual([null, null]);
    const { status, checks } = await diagnoseSession(on.place.storage, 's1');
    expect(status, `after ${count} lines: ${JSON.stringify(checks)}`).not.toBe('blocked');
    expect(await again.turn('Are you there?', `again_${count}`), `after ${count} lines`).toBe('completed');
    expect(on.requests[0]?.refusal, `after ${count} lines`).toBeNull();
    expect([await on.read('count'), await on.read('a.txt')], `after ${count} lines`).toEqual([null, null]);
    await again.close();
    const folded = (await on.events()).reduce(applyToSession, emptySession('s1'));
    expect(folded.turn?.violations, `after ${count} lines`).toEqual([]);
  }
  expect(seen).toEqual(new Set(LEGAL));
}, 30_000);

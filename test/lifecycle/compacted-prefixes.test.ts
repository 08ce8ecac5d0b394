import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { diagnoseSession } from '../../src/app/inspect.ts';
import { prefixLengths } from '../support/log-cuts.ts';
import { apiError, type Reply } from '../support/responses-server/reply.ts';
import type { Answer } from '../support/responses-server/response-events.ts';
import { searchRuns } from '../support/search-runs.ts';
import { cutTo, logText } from './log-file.ts';
import { asks, says, stage } from './window.ts';

const on = stage();

const LONG = 'A long answer. '.repeat(100);
const TOO_LARGE: Reply = apiError(400, { message: 'too large', code: 'context_length_exceeded' });

function filling(input: number): Answer {
  return { text: LONG, usage: { input, cached: 0, output: 20, reasoning: 0 } };
}

/** Compactions before a turn, in the middle of one beside a call that waits, and by hand; and the whole log of it. */
async function recorded(): Promise<string> {
  const rounds = Array.from({ length: 6 }, (_, n) =>
    asks([`r${n}`, 'list_files', { glob: `r${n}*` }], [`s${n}`, 'list_files', { glob: `s${n}*` }]),
  );
  await on.script(
    ...Array.from({ length: 10 }, () => filling(500)),
    filling(950),
    filling(200),
    ...rounds,
    asks(['w', 'write_file', { path: 'a.txt', content: 'new' }], ['l', 'list_files', {}]),
    TOO_LARGE,
    says('I wait.'),
    says('Written.'),
    ...Array.from({ length: 4 }, () => filling(300)),
  );
  const window = await on.open({ contextWindow: 1000 });
  for (let n = 0; n < 12; n += 1) expect(await window.turn(`Question ${n}?`)).toBe('completed');
  expect(await window.turn('Look around, then write.')).toBe('waiting');
  await window.decide('w', 'resume');
  expect(await window.rests()).toBe('completed');
  for (let n = 0; n < 4; n += 1) expect(await window.turn(`More ${n}?`)).toBe('completed');
  await window.receive({ type: 'compact' });
  await window.conversation.settled();
  expect(window.failures).toEqual([]);
  await window.close();
  expect((await on.of('history_compaction')).map(({ trigger }) => trigger)).toEqual([
    'critical_pressure_preflight',
    'overflow_recovery',
    'manual',
  ]);
  return logText(on.place);
}

it(
  'every prefix of a session that was compacted opens in a legal state and goes on with a request that is accepted',
  async () => {
    const whole = await recorded();
    const first = whole.split('\n').findIndex((line) => line.includes('"history_compaction"'));
    const wrong: string[] = [];
    const lengths = prefixLengths(whole).filter((count) => count >= first);
    expect(lengths.length).toBeGreaterThan(10);
    for (const [index, count] of lengths.entries()) {
      await writeFile(join(on.place.storage, 'sessions', 's1.jsonl'), whole);
      await cutTo(on.place, count);
      // With and without what was verified before.
      if (index % 2 === 0) await rm(join(on.place.storage, 'sessions', 's1.mark'), { force: true });
      await on.script(says('Here I am.'));
      const again = await on.open({ contextWindow: 1000 });
      const state = await again.rests();
      const { status } = await diagnoseSession(on.place.storage, 's1');
      const went = await again.turn('Are you there?', `again_${count}`);
      const refusal = on.requests[0]?.refusal ?? null;
      await again.close();
      const legal = ['waiting', 'interrupted', 'completed', 'failed'].includes(state ?? '');
      if (!legal || status === 'blocked' || went !== 'completed' || refusal !== null)
        wrong.push(`after ${count} lines: ${JSON.stringify([state, status, went, refusal])}`);
    }
    expect(wrong).toEqual([]);
  },
  searchRuns(60_000),
);

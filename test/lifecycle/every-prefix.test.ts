import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { diagnoseSession } from '../../src/app/inspect.ts';
import { applyToSession, emptySession } from '../../src/runtime/session-state.ts';
import { prefixLengths } from '../support/log-cuts.ts';
import { searchRuns } from '../support/search-runs.ts';
import { cutTo, logText } from './log-file.ts';
import { asks, says, stage, type Window } from './window.ts';

const on = stage();

const LEGAL = ['waiting', 'interrupted', 'completed', null];

const FIRST = asks(
  ['c1', 'run_command', { command: 'echo x >> count' }],
  ['c2', 'write_file', { path: 'a.txt', content: 'new' }],
  ['q1', 'ask_user', { question: 'Which?' }],
  ['c3', 'list_files', {}],
);

/** A turn with an approval, a denial and an answer, and its whole log. */
async function recorded(): Promise<string> {
  const window = await on.turn('Go.', [FIRST, says('I wait.'), says('Done.')]);
  expect(window.state).toBe('waiting');
  await window.decide('c1', 'resume');
  await window.rests();
  await window.decide('c2', 'cancel');
  expect(await window.decided('q1', 'resume', { result: 'this' })).toBe('completed');
  await window.close();
  return logText(on.place);
}

/** Opens the log as it would be had the machine stopped after so many lines, with none of its effects there. */
async function openCut(whole: string, count: number): Promise<Window> {
  await writeFile(join(on.place.storage, 'sessions', 's1.jsonl'), whole);
  await cutTo(on.place, count);
  for (const made of ['count', 'a.txt']) await rm(join(on.place.workspace, made), { force: true });
  await on.script(says('Here I am.'));
  return on.open();
}

const effects = (): Promise<readonly (string | null)[]> => Promise.all([on.read('count'), on.read('a.txt')]);

it(
  'every prefix of a turn with approvals opens in a legal state, runs nothing, asks nobody else and goes on',
  async () => {
    const whole = await recorded();
    expect(whole.split('\n').length).toBeGreaterThan(30);
    // What was allowed is the most dangerous to run twice: the machine stops right behind that, too.
    const allowed = (await on.events()).findIndex(
      ({ type, data }) =>
        type === 'permission_decision' && data['call_id'] === 'c1' && data['decision'] === 'allow',
    );
    expect(prefixLengths(whole)).toContain(allowed + 1);
    const seen = new Set<string | null>();
    for (const count of prefixLengths(whole)) {
      const where = `after ${count} lines`;
      const again = await openCut(whole, count);
      const state = await again.rests();
      seen.add(state);
      expect(LEGAL, where).toContain(state);
      expect([on.requests.length, await effects()], where).toEqual([0, [null, null]]);
      const { status, checks } = await diagnoseSession(on.place.storage, 's1');
      expect(status, `${where}: ${JSON.stringify(checks)}`).not.toBe('blocked');
      expect(await again.turn('Are you there?', `again_${count}`), where).toBe('completed');
      expect([on.requests[0]?.refusal, await effects()], where).toEqual([null, [null, null]]);
      await again.close();
      const folded = (await on.events()).reduce(applyToSession, emptySession('s1'));
      expect(folded.turn?.violations, where).toEqual([]);
    }
    expect(seen).toEqual(new Set(LEGAL));
  },
  searchRuns(30_000),
);

it(
  'after every prefix whatever is pending can be declined, and then nothing of it has run',
  async () => {
    const whole = await recorded();
    const wrong: string[] = [];
    for (const count of prefixLengths(whole)) {
      const again = await openCut(whole, count);
      const last = again.messages.findLast((message) => message.type === 'turn_state');
      const pending = last?.type === 'turn_state' ? (last.pending ?? []) : [];
      for (const { call_id } of pending) await again.decide(call_id, 'cancel');
      const state = await again.rests();
      const ran = (await effects()).some((made) => made !== null);
      const refused = again.failures.map(({ kind }) => kind);
      if (state === 'waiting' || ran || refused.length > 0)
        wrong.push(`after ${count} lines: ${String(state)}, ran: ${ran}, refused: ${refused.join(' ')}`);
      await again.close();
    }
    expect(wrong).toEqual([]);
  },
  searchRuns(30_000),
);

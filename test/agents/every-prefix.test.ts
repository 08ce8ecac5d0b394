import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { diagnoseSession } from '../../src/app/inspect.ts';
import type { LogEvent } from '../../src/runtime/events.ts';
import { applyToSession, emptySession, type SessionState } from '../../src/runtime/session-state.ts';
import { turnState } from '../../src/runtime/turn.ts';
import { held } from '../lifecycle/held-replies.ts';
import { cutTo, logText } from '../lifecycle/log-file.ts';
import { prefixLengths } from '../support/log-cuts.ts';
import { searchRuns } from '../support/search-runs.ts';
import { asks, says, spawn, stage, wait } from './cast.ts';

const on = stage();

const LEGAL = ['waiting', 'interrupted', 'completed', null];

const report = (status: string, summary: string) => asks(['r', 'report_checkpoint', { status, summary }]);

/** A turn with an end that a call waited for, one that came by itself, one over an answer, and a held workflow. */
async function recorded(): Promise<string> {
  const late = held(says('END-LATE'));
  const steps = [
    { id: 's', task: 'step' },
    { id: 't', task: 'next', depends_on: ['s'] },
  ];
  await on.cast({
    Go: [
      asks(spawn('1', 'waited')),
      asks(wait('w')),
      asks(spawn('2', 'itself'), spawn('3', 'late')),
      says('Meanwhile.'),
      asks(['f', 'run_workflow', { workflow: { name: 'W', steps } }]),
      says('All done.'),
    ],
    waited: [says('END-WAITED')],
    itself: [says('END-ITSELF')],
    late: [late.reply],
    step: [report('held', 'Which?'), says('Tell me.'), report('checkpoint_ready', 'Good.'), says('END-STEP')],
    next: [report('checkpoint_ready', 'Good, too.'), says('END-NEXT')],
  });
  const window = await on.open();
  const turn = window.turn('Go');
  await window.until(
    (message) => message.type === 'append' && JSON.stringify(message).includes('Meanwhile.'),
  );
  late.release();
  expect(await turn).toBe('waiting');
  await window.decide('f', 'resume', { result: 'This one.' });
  expect(await window.rests()).toBe('completed');
  await window.close();
  return logText(on.place);
}

async function openCut(text: string, count: number): ReturnType<typeof on.open> {
  await writeFile(join(on.place.storage, 'sessions', 's1.jsonl'), text);
  await cutTo(on.place, count);
  await on.script(says('Here I am.'));
  return on.open();
}

function folded(events: readonly LogEvent[]): SessionState {
  return events.reduce(applyToSession, emptySession('s1'));
}

/** The words of each end that has to be told, as often as it is in the log. */
function endsIn(events: readonly LogEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.type === 'subagent_event' && event.data.event === 'finished' && event.data.workflow_id === undefined
      ? [event.data.summary ?? '']
      : [],
  );
}

const lengthOf = (text: string): number => text.split('\n').length - 1;

it('no prefix proves a turn completed over an open child, and none takes back what one before proved', async () => {
  await recorded();
  let state = emptySession('s1');
  let before = '';
  for (const event of await on.events()) {
    state = applyToSession(state, event);
    const { turn, children } = state;
    const now = turn === null ? '' : turnState(turn);
    if (now === 'completed')
      expect(children.known.filter(({ status }) => status === 'running' || status === 'queued')).toEqual([]);
    if (before === 'completed') expect(now).toBe('completed');
    before = now;
  }
  expect(before).toBe('completed');
});

it(
  'every prefix opens in a legal state, tells of each end once, and is the same when it is opened again',
  async () => {
    const whole = await recorded();
    expect(lengthOf(whole)).toBeGreaterThan(60);
    for (const count of prefixLengths(whole)) {
      const where = `after ${count} lines`;
      const again = await openCut(whole, count);
      expect(LEGAL, where).toContain(await again.rests());
      await again.close();
      const once = await logText(on.place);
      const state = folded(await on.events());
      expect(state.turn?.violations ?? [], where).toEqual([]);
      expect(
        state.children.known.filter(({ status }) => status === 'running' || status === 'queued'),
        where,
      ).toEqual([]);
      expect(
        state.workflows.filter(({ status }) => status === 'running'),
        where,
      ).toEqual([]);
      const { status, checks } = await diagnoseSession(on.place.storage, 's1');
      expect(status, `${where}: ${JSON.stringify(checks)}`).not.toBe('blocked');
      const last = await on.open();
      await last.rests();
      expect(await logText(on.place), where).toBe(once);
      expect(await last.turn('Are you there?', `again_${count}`), where).toBe('completed');
      expect(on.requests[0]?.refusal, where).toBeNull();
      const input = JSON.stringify(on.requests[0]?.input);
      for (const end of endsIn(await on.events()))
        expect(input.split(end), `${where}: ${end}`).toHaveLength(2);
      await last.close();
    }
  },
  searchRuns(60_000),
);

it(
  'every prefix of a turn that answered while a person resumed a child opens in a legal state',
  async () => {
    const child = held(says('Never.'));
    const parent = held(says('Meanwhile.'));
    const resumed = held(says('END-RESUMED'));
    await on.cast({
      Go: [asks(spawn('1', 'a')), asks(wait('w')), parent.reply],
      a: [child.reply, resumed.reply],
    });
    const before = await on.open();
    await before.send('Go');
    await child.arrived;
    await before.close();
    const window = await on.open();
    const turn = window.turn('And?', 'next');
    await parent.arrived;
    const [known] = folded(await on.events()).children.known;
    const args = [{ session_id: 's1', subagent_id: known?.subagent_id }];
    await window.receive({ type: 'run_action', command: 'ledgerline.resumeAgent', args });
    await resumed.arrived;
    parent.release();
    await window.until(
      (message) => message.type === 'append' && JSON.stringify(message).includes('Meanwhile.'),
    );
    resumed.release();
    expect(await turn).toBe('completed');
    await window.close();
    const whole = await logText(on.place);
    for (const count of prefixLengths(whole)) {
      const where = `after ${count} lines`;
      const again = await openCut(whole, count);
      expect(LEGAL, where).toContain(await again.rests());
      expect(folded(await on.events()).turn?.violations ?? [], where).toEqual([]);
      expect((await on.of('turn_failed')).length, where).toBeLessThanOrEqual(2);
      await again.close();
    }
  },
  searchRuns(60_000),
);

const kinds = (events: readonly LogEvent[]): readonly string[] =>
  events.map(({ type, data }) =>
    JSON.stringify([type, 'event' in data ? data.event : '', 'subagent_id' in data ? data.subagent_id : '']),
  );

it(
  'a recovery that is cut off itself is finished by the next one, and says nothing twice',
  async () => {
    const whole = await recorded();
    for (const count of prefixLengths(whole).filter((_, index) => index % 2 === 1)) {
      const first = await openCut(whole, count);
      await first.close();
      const recovered = await logText(on.place);
      const expected = kinds(await on.events()).toSorted();
      for (let cut = lengthOf(recovered) - 1; cut > count; cut -= 1) {
        const where = `after ${count} lines, recovered to ${cut}`;
        const again = await openCut(recovered, cut);
        await again.close();
        expect(folded(await on.events()).turn?.violations ?? [], where).toEqual([]);
        expect(kinds(await on.events()).toSorted(), where).toEqual(expected);
      }
    }
  },
  searchRuns(60_000),
);

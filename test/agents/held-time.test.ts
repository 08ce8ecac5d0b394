import { expect, it } from 'vitest';
import { held } from '../lifecycle/held-replies.ts';
import { programTime } from '../support/program-time.ts';
import { agentStage, asks, delegates, says, spawn, suspensionId, wait, write, type Window } from './cast.ts';
import { ready, resultOf, runs } from './workflow-cast.ts';

const on = agentStage();
const time = programTime();

it('the time of a workflow stands still while one of its steps waits for a person', async () => {
  await on.cast({
    Go: runs([{ id: 's', task: 'a' }], 'Done.', { timeout_ms: 9000 }),
    a: [asks(write('x', 'a.txt')), ...ready('ok')],
  });
  expect(await on.answersLate({}, () => time.pass(9500))).toBe('completed');
  expect(await resultOf(on)).toMatchObject({ ok: true, status: 'completed' });
  const told = await on.of('workflow_event');
  const due = told.flatMap(({ event, deadline_at }) =>
    deadline_at === undefined ? [] : [{ event, at: Date.parse(deadline_at) }],
  );
  expect(due.map(({ event }) => event)).toEqual(['workflow_started', 'deadline_moved']);
  expect((due[1]?.at ?? 0) - (due[0]?.at ?? 0)).toBeGreaterThanOrEqual(9400);
});

it('the time of a workflow is up while its steps work', async () => {
  const a = held(says('Never.'));
  const { turn } = await on.begin({
    Go: runs([{ id: 's', task: 'a' }], 'Done.', { timeout_ms: 9000 }),
    a: [a.reply],
  });
  await a.arrived;
  expect(await time.fly(turn)).toBe('completed');
  expect(await resultOf(on)).toMatchObject({ ok: false, status: 'timed_out' });
});

it('the time of all above it stands still while a child of a child waits for a person', async () => {
  await on.cast({
    Go: delegates('a', 'Done.'),
    a: delegates('b', 'A.'),
    b: [asks(write('x', 'b.txt')), says('B.')],
  });
  expect(await on.answersLate({ 'subagents.maxDepth': 2, turnTimeout: 9 }, () => time.pass(9500))).toBe(
    'completed',
  );
  expect(await on.read('b.txt')).toBe('by x');
});

/** What an answer to the question about a file names, once it is asked. */
async function questionAbout(window: Window, path: string): Promise<string> {
  return suspensionId(await on.question(window, (one) => JSON.stringify(one).includes(path)));
}

/** Resolves when it is on record that something waits for the answer about a file. */
function isHeldBy(window: Window, path: string): Promise<unknown> {
  return window.until(
    (message) =>
      message.type === 'append' &&
      message.items.some(
        (item) => item.data['event'] === 'waiting' && JSON.stringify(item.data).includes(path),
      ),
  );
}

it.each([
  ['by itself last', ['b.txt', 'a.txt']],
  ['by a child of it last', ['a.txt', 'b.txt']],
] as const)(
  'a child that is held up twice, %s, goes on once, when nothing holds it up',
  async (_, [first, last]) => {
    const replies = {
      'a.txt': held(asks(write('x', 'a.txt'))),
      'b.txt': held(asks(write('y', 'b.txt'))),
    };
    const after = held(asks(wait('w')));
    after.release();
    const { window, turn } = await on.begin(
      {
        Go: delegates('a', 'Done.'),
        a: [asks(spawn('1', 'b')), replies['a.txt'].reply, after.reply, says('A.')],
        b: [replies['b.txt'].reply, says('B.')],
      },
      { 'subagents.maxDepth': 2 },
    );
    replies[first].release();
    await isHeldBy(window, first);
    replies[last].release();
    await window.decide(await questionAbout(window, last), 'resume');
    if (last === 'a.txt') await after.arrived;
    expect(await on.lives()).toEqual({ a: ['spawned', 'started', 'waiting'] });
    await window.decide(await questionAbout(window, first), 'resume');
    expect(await turn).toBe('completed');
    expect(await on.lives()).toEqual({ a: ['spawned', 'started', 'waiting', 'went_on', 'completed'] });
  },
);

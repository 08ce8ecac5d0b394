import { expect, it } from 'vitest';
import { held } from '../lifecycle/held-replies.ts';
import { programTime } from '../support/program-time.ts';
import { asks, lives, outputOf, says, spawn, stage, wait, type Window } from './cast.ts';

const on = stage();
const time = programTime();

const write = (call_id: string, path: string) =>
  [call_id, 'write_file', { path, content: `by ${call_id}` }] as const;

/** The name of the question that a child asks, once it is asked and on record. */
async function question(window: Window): Promise<string> {
  const asked = await window.until(
    (message) => message.type === 'children' && message.items.some((one) => one.questions.length > 0),
  );
  await window.until(
    (message) =>
      message.type === 'append' &&
      message.items.some((item) => item.type === 'subagent_event' && item.data['event'] === 'waiting'),
  );
  const [first] = asked.type === 'children' ? asked.items.flatMap((one) => one.questions) : [];
  const { id } = (first?.suspension ?? {}) as { readonly id?: string };
  if (id === undefined) throw new Error('nobody asks');
  return id;
}

it('the time of a workflow stands still while one of its steps waits for a person', async () => {
  const workflow = { name: 'W', timeout_ms: 9000, steps: [{ id: 's', task: 'a' }] };
  await on.cast({
    Go: [asks(['w', 'run_workflow', { workflow }]), says('Done.')],
    a: [
      asks(write('x', 'a.txt')),
      asks(['r', 'report_checkpoint', { status: 'checkpoint_ready', summary: 'ok' }]),
      says('A.'),
    ],
  });
  const window = await on.open();
  const turn = window.turn('Go');
  const asked = await question(window);
  await time.skip(9500);
  await window.decide(asked, 'resume');
  expect(await turn).toBe('completed');
  expect(await outputOf(on, 'w')).toMatchObject({ ok: true, status: 'completed' });
  const told = await on.of('workflow_event');
  const due = told.flatMap(({ event, deadline_at }) =>
    deadline_at === undefined ? [] : [{ event, at: Date.parse(deadline_at) }],
  );
  expect(due.map(({ event }) => event)).toEqual(['workflow_started', 'deadline_moved']);
  expect((due[1]?.at ?? 0) - (due[0]?.at ?? 0)).toBeGreaterThanOrEqual(9400);
});

it('the time of a workflow is up while its steps work', async () => {
  const workflow = { name: 'W', timeout_ms: 9000, steps: [{ id: 's', task: 'a' }] };
  const a = held(says('Never.'));
  await on.cast({ Go: [asks(['w', 'run_workflow', { workflow }]), says('Done.')], a: [a.reply] });
  const window = await on.open();
  const turn = window.turn('Go');
  await a.arrived;
  expect(await time.fly(turn)).toBe('completed');
  expect(await outputOf(on, 'w')).toMatchObject({ ok: false, status: 'timed_out' });
});

it('the time of all above it stands still while a child of a child waits for a person', async () => {
  await on.cast({
    Go: [asks(spawn('1', 'a')), asks(wait('w')), says('Done.')],
    a: [asks(spawn('1', 'b')), asks(wait('w')), says('A.')],
    b: [asks(write('x', 'b.txt')), says('B.')],
  });
  const window = await on.open({ 'subagents.maxDepth': 2, turnTimeout: 9 });
  const turn = window.turn('Go');
  const asked = await question(window);
  await time.skip(9500);
  await window.decide(asked, 'resume');
  expect(await turn).toBe('completed');
  expect(await on.read('b.txt')).toBe('by x');
});

/** The name of the question about a file, once it is asked. */
async function questionAbout(window: Window, path: string): Promise<string> {
  const isIt = (question: unknown): boolean => JSON.stringify(question).includes(path);
  const asked = await window.until(
    (message) => message.type === 'children' && message.items.some((one) => one.questions.some(isIt)),
  );
  const found =
    asked.type === 'children' ? asked.items.flatMap((one) => one.questions).find(isIt) : undefined;
  const { id } = (found?.suspension ?? {}) as { readonly id?: string };
  if (id === undefined) throw new Error('nobody asks');
  return id;
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
    await on.cast({
      Go: [asks(spawn('1', 'a')), asks(wait('w')), says('Done.')],
      a: [asks(spawn('1', 'b')), replies['a.txt'].reply, after.reply, says('A.')],
      b: [replies['b.txt'].reply, says('B.')],
    });
    const window = await on.open({ 'subagents.maxDepth': 2 });
    const turn = window.turn('Go');
    replies[first].release();
    await isHeldBy(window, first);
    replies[last].release();
    await window.decide(await questionAbout(window, last), 'resume');
    if (last === 'a.txt') await after.arrived;
    expect(await lives(on)).toEqual({ a: ['spawned', 'started', 'waiting'] });
    await window.decide(await questionAbout(window, first), 'resume');
    expect(await turn).toBe('completed');
    expect(await lives(on)).toEqual({ a: ['spawned', 'started', 'waiting', 'went_on', 'completed'] });
  },
);

import { describe, expect, it } from 'vitest';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { hangs, held } from '../lifecycle/held-replies.ts';
import { programTime } from '../support/program-time.ts';
import { streamOf } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import {
  asks,
  childEvents,
  childOf,
  lives,
  outputOf,
  says,
  spawn,
  stage,
  wait,
  type Window,
} from './cast.ts';

const on = stage();
const time = programTime();

type Children = Extract<HostMessage, { type: 'children' }>;

function isAsked(message: HostMessage): message is Children {
  return message.type === 'children' && message.items.some(({ questions }) => questions.length > 0);
}

/** The first question that children ask. */
async function question(window: Window): Promise<Children['items'][number]['questions'][number]> {
  await window.until(isAsked);
  const found = window.messages.findLast(isAsked)?.items.flatMap(({ questions }) => questions)[0];
  if (found === undefined) throw new Error('no question');
  return found;
}

function suspensionId({ suspension }: { readonly suspension: unknown }): string {
  return (suspension as { id: string }).id;
}

function events(window: Window, count: number, event: string): Promise<unknown> {
  return window.until(
    () =>
      window.messages
        .flatMap((message) => (message.type === 'append' ? message.items : []))
        .filter((item) => item.type === 'subagent_event' && item.data['event'] === event).length >= count,
  );
}

const write = (call_id: string, path: string) =>
  [call_id, 'write_file', { path, content: `by ${call_id}` }] as const;

describe('Stop', () => {
  it('ends every child, running or in line, and says so before the turn is interrupted', async () => {
    const a = held(says('A.'));
    await on.cast({
      Go: [asks(spawn('1', 'a'), spawn('2', 'b')), hangs('While they work')],
      a: [a.reply],
      b: [says('Never.')],
    });
    const window = await on.open({ 'subagents.maxRunning': 1 });
    await window.send('Go');
    await a.arrived;
    await window.until((message) => message.type === 'delta');
    await window.stop();
    expect(await window.rests()).toBe('interrupted');
    expect(await lives(on)).toEqual({
      a: ['spawned', 'started', 'cancelled'],
      b: ['spawned', 'cancelled'],
    });
    const log = await on.events();
    const ends = log.filter((event) => event.type === 'subagent_event' && event.data.event === 'finished');
    const failed = log.findIndex(({ type }) => type === 'turn_failed');
    expect(ends.every(({ seq }) => seq < failed)).toBe(true);
    const own = await on.events((await childOf(on, 'a')).child_session_id);
    expect(own.find(({ type }) => type === 'turn_failed')?.data).toMatchObject({
      terminal_status: 'interrupted',
      interrupted_reason: 'user_cancelled',
    });
  });

  it('tells the model of the next turn what became of them, once', async () => {
    const a = held(says('A.'));
    await on.cast({
      Go: [asks(spawn('1', 'a')), hangs('x'), says('I see.'), says('Yes.')],
      a: [a.reply],
    });
    const window = await on.open();
    await window.send('Go');
    await a.arrived;
    await window.until((message) => message.type === 'delta');
    await window.stop();
    await window.rests();
    expect(await window.turn('What became of it?')).toBe('completed');
    expect(await window.turn('Really?')).toBe('completed');
    const told = (await childEvents(on)).filter(({ event }) => event === 'delivered');
    expect(told).toMatchObject([{ status: 'cancelled' }]);
    expect(JSON.stringify(on.requests.at(-1)?.input).split('ended as cancelled')).toHaveLength(2);
  });

  it('of one child by a person ends that one alone, and the turn goes on', async () => {
    const a = held(says('A.'));
    await on.cast({ Go: [asks(spawn('1', 'a')), asks(wait('w')), says('Without it.')], a: [a.reply] });
    const window = await on.open();
    const turn = window.turn('Go');
    await a.arrived;
    const { subagent_id } = await childOf(on, 'a');
    await window.receive({
      type: 'run_action',
      command: 'ledgerline.stopAgent',
      args: [{ session_id: 's1', subagent_id }],
    });
    expect(await turn).toBe('completed');
    expect(await childOf(on, 'a')).toMatchObject({ status: 'cancelled', reason: 'The person stopped it.' });
    expect(await outputOf(on, 'w')).toMatchObject({ agents: [{ status: 'cancelled' }] });
  });
});

describe('what a child asks', () => {
  it('is asked in the chat of its parent, with who asks, while the parent streams', async () => {
    const parent = held(says('Meanwhile.'));
    await on.cast({
      Go: [asks(spawn('1', 'a', { agent: 'worker' })), parent.reply, says('Written.')],
      a: [asks(write('x', 'a.txt')), says('I wrote it.')],
    });
    const window = await on.open();
    const turn = window.turn('Go');
    await parent.arrived;
    const asked = await question(window);
    const { subagent_id } = await childOf(on, 'a');
    expect(asked).toMatchObject({ name: 'write_file', asked_by: [{ subagent_id, agent: 'worker' }] });
    expect(await on.read('a.txt')).toBeNull();
    await events(window, 1, 'waiting');
    await window.decide(suspensionId(asked), 'resume');
    await events(window, 1, 'finished');
    expect(await on.read('a.txt')).toBe('by x');
    parent.release();
    expect(await turn).toBe('completed');
    expect(await lives(on)).toEqual({
      a: ['spawned', 'started', 'waiting', 'went_on', 'completed', 'delivered'],
    });
    expect(window.failures).toEqual([]);
  });

  it('can be denied, and the child goes on without', async () => {
    await on.cast({
      Go: [asks(spawn('1', 'a')), asks(wait('w')), says('Done.')],
      a: [asks(write('x', 'a.txt')), says('Then not.')],
    });
    const window = await on.open();
    const turn = window.turn('Go');
    await window.decide(suspensionId(await question(window)), 'cancel');
    expect(await turn).toBe('completed');
    expect(await on.read('a.txt')).toBeNull();
    expect(await childOf(on, 'a')).toMatchObject({ status: 'completed', summary: 'Then not.' });
  });

  it('is asked for a child of a child, too', async () => {
    await on.cast({
      Go: [asks(spawn('1', 'a')), asks(wait('w')), says('Done.')],
      a: [asks(spawn('1', 'b')), asks(wait('w')), says('A.')],
      b: [asks(write('x', 'b.txt')), says('B.')],
    });
    const window = await on.open({ 'subagents.maxDepth': 2 });
    const turn = window.turn('Go');
    const asked = await question(window);
    expect(asked.asked_by).toHaveLength(2);
    await window.decide(suspensionId(asked), 'resume');
    expect(await turn).toBe('completed');
    expect(await on.read('b.txt')).toBe('by x');
  });

  it('does not use up its time while it waits for a person', async () => {
    await on.cast({
      Go: [asks(spawn('1', 'a', { timeout_ms: 9000 })), asks(wait('w')), says('Done.')],
      a: [asks(write('x', 'a.txt')), says('A.')],
    });
    const window = await on.open();
    const turn = window.turn('Go');
    const asked = await question(window);
    await events(window, 1, 'waiting');
    await time.skip(9500);
    await window.decide(suspensionId(asked), 'resume');
    expect(await turn).toBe('completed');
    expect(await childOf(on, 'a')).toMatchObject({ status: 'completed' });
  });
});

describe('more input', () => {
  it('lets a child that has ended go on, in its own session', async () => {
    const id = (): Promise<string> => childOf(on, 'a').then(({ subagent_id }) => subagent_id);
    await on.cast({
      Go: [
        asks(spawn('1', 'a')),
        asks(wait('w1')),
        async () => streamOf(responseEvents(asks(['s', 'send_input', { id: await id(), text: 'And b?' }]))),
        asks(wait('w2')),
        says('Both.'),
      ],
      a: [says('A.'), says('B.')],
    });
    const window = await on.open();
    expect(await window.turn('Go')).toBe('completed');
    expect(await lives(on)).toEqual({
      a: ['spawned', 'started', 'completed', 'continued', 'started', 'completed'],
    });
    expect(await outputOf(on, 'w2')).toMatchObject({ agents: [{ status: 'completed', summary: 'B.' }] });
    const own = await on.events((await childOf(on, 'a')).child_session_id);
    const prompts = own.flatMap((event) => (event.type === 'user_message' ? [event.data.text] : []));
    expect(prompts).toEqual(['a', 'And b?']);
  });

  it('reaches a child that has ended also after a restart', async () => {
    const id = (): Promise<string> => childOf(on, 'a').then(({ subagent_id }) => subagent_id);
    await on.cast({
      Go: [
        asks(spawn('1', 'a')),
        asks(wait('w1')),
        says('One.'),
        async () => streamOf(responseEvents(asks(['s', 'send_input', { id: await id(), text: 'And b?' }]))),
        asks(wait('w2')),
        says('Both.'),
      ],
      a: [says('A.'), says('B.')],
    });
    const before = await on.open();
    expect(await before.turn('Go')).toBe('completed');
    await before.close();
    const after = await on.open();
    expect(await after.turn('More.', 'client_again')).toBe('completed');
    expect(await outputOf(on, 'w2')).toMatchObject({ agents: [{ status: 'completed', summary: 'B.' }] });
  });
});

describe('closing', () => {
  it('by its parent ends a child with the reason, and tells of that in the same breath', async () => {
    const a = held(says('A.'));
    const id = (): Promise<string> => childOf(on, 'a').then(({ subagent_id }) => subagent_id);
    await on.cast({
      Go: [
        asks(spawn('1', 'a')),
        async () => {
          await a.arrived;
          return streamOf(
            responseEvents(asks(['c', 'close_agent', { id: await id(), reason: 'Not needed.' }])),
          );
        },
        says('Without it.'),
      ],
      a: [a.reply],
    });
    const window = await on.open();
    expect(await window.turn('Go')).toBe('completed');
    expect(await childOf(on, 'a')).toMatchObject({ status: 'closed', reason: 'Not needed.' });
    expect((await childEvents(on)).some(({ event }) => event === 'delivered')).toBe(false);
  });

  it('of a child that nobody knows is an error result, and the loop goes on', async () => {
    await on.cast({ Go: [asks(['c', 'close_agent', { id: 'agent_0' }]), says('No such.')] });
    const window = await on.open();
    expect(await window.turn('Go')).toBe('completed');
    expect(await outputOf(on, 'c')).toMatchObject({ kind: 'unknown_agent' });
  });
});

describe('the time of a turn', () => {
  it('stands still while a child that it waits for waits for a person', async () => {
    await on.cast({
      Go: [asks(spawn('1', 'a')), asks(wait('w')), says('Done.')],
      a: [asks(write('x', 'a.txt')), says('A.')],
    });
    const window = await on.open({ turnTimeout: 9 });
    const turn = window.turn('Go');
    const asked = await question(window);
    await events(window, 1, 'waiting');
    await time.skip(9500);
    await window.decide(suspensionId(asked), 'resume');
    expect(await turn).toBe('completed');
  });

  it('that is up closes its children with the reason', async () => {
    const a = held(says('A.'));
    await on.cast({ Go: [asks(spawn('1', 'a')), asks(wait('w'))], a: [a.reply] });
    const window = await on.open({ turnTimeout: 9 });
    const turn = window.turn('Go');
    await a.arrived;
    expect(await time.fly(turn)).toBe('timed_out');
    expect(await childOf(on, 'a')).toMatchObject({
      status: 'closed',
      reason: 'The turn that it worked for was stopped (timeout).',
    });
  });
});

import { describe, expect, it } from 'vitest';
import { hangs, held } from '../lifecycle/held-replies.ts';
import { programTime } from '../support/program-time.ts';
import { agentStage, asks, delegates, says, spawn, suspensionId, wait, write } from './cast.ts';

const on = agentStage();
const time = programTime();

describe('Stop', () => {
  it('ends every child, running or in line, and says so before the turn is interrupted', async () => {
    const a = held(says('A.'));
    await on.cast({
      Go: [asks(spawn('1', 'a'), spawn('2', 'b')), hangs('While they work')],
      a: [a.reply],
      b: [says('Never.')],
    });
    const window = await on.stoppedOver(a, { 'subagents.maxRunning': 1 });
    expect(window.state).toBe('interrupted');
    expect(await on.lives()).toEqual({
      a: ['spawned', 'started', 'cancelled'],
      b: ['spawned', 'cancelled'],
    });
    const log = await on.events();
    const ends = log.filter((event) => event.type === 'subagent_event' && event.data.event === 'finished');
    const failed = log.findIndex(({ type }) => type === 'turn_failed');
    expect(ends.every(({ seq }) => seq < failed)).toBe(true);
    const own = await on.logOf('a');
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
    const window = await on.stoppedOver(a);
    expect(await window.turn('What became of it?')).toBe('completed');
    expect(await window.turn('Really?')).toBe('completed');
    const told = await on.delivered();
    expect(told).toMatchObject([{ status: 'cancelled' }]);
    expect(JSON.stringify(on.requests.at(-1)?.input).split('ended as cancelled')).toHaveLength(2);
  });

  it('of one child by a person ends that one alone, and the turn goes on', async () => {
    const a = held(says('A.'));
    const { window, turn } = await on.begin({ Go: delegates('a', 'Without it.'), a: [a.reply] });
    await a.arrived;
    await on.act(window, 'stopAgent', 'a');
    expect(await turn).toBe('completed');
    expect(await on.childOf('a')).toMatchObject({ status: 'cancelled', reason: 'The person stopped it.' });
    expect(await on.outputOf('w')).toMatchObject({ agents: [{ status: 'cancelled' }] });
  });
});

describe('what a child asks', () => {
  it('is asked in the chat of its parent, with who asks, while the parent streams', async () => {
    const parent = held(says('Meanwhile.'));
    const { window, turn } = await on.begin({
      Go: [asks(spawn('1', 'a', { agent: 'worker' })), parent.reply, says('Written.')],
      a: [asks(write('x', 'a.txt')), says('I wrote it.')],
    });
    await parent.arrived;
    const asked = await on.question(window);
    const { subagent_id } = await on.childOf('a');
    expect(asked).toMatchObject({ name: 'write_file', asked_by: [{ subagent_id, agent: 'worker' }] });
    expect(await on.read('a.txt')).toBeNull();
    await on.childEvent(window, 'waiting');
    await window.decide(suspensionId(asked), 'resume');
    await on.childEvent(window, 'finished');
    expect(await on.read('a.txt')).toBe('by x');
    parent.release();
    expect(await turn).toBe('completed');
    expect(await on.lives()).toEqual({
      a: ['spawned', 'started', 'waiting', 'went_on', 'completed', 'delivered'],
    });
    expect(window.failures).toEqual([]);
  });

  it('can be denied, and the child goes on without', async () => {
    const { window, turn } = await on.begin({
      Go: delegates('a', 'Done.'),
      a: [asks(write('x', 'a.txt')), says('Then not.')],
    });
    await window.decide(suspensionId(await on.question(window)), 'cancel');
    expect(await turn).toBe('completed');
    expect(await on.read('a.txt')).toBeNull();
    expect(await on.childOf('a')).toMatchObject({ status: 'completed', summary: 'Then not.' });
  });

  it('is asked for a child of a child, too', async () => {
    const { window, turn } = await on.begin(
      {
        Go: delegates('a', 'Done.'),
        a: delegates('b', 'A.'),
        b: [asks(write('x', 'b.txt')), says('B.')],
      },
      { 'subagents.maxDepth': 2 },
    );
    const asked = await on.question(window);
    expect(asked.asked_by).toHaveLength(2);
    await window.decide(suspensionId(asked), 'resume');
    expect(await turn).toBe('completed');
    expect(await on.read('b.txt')).toBe('by x');
  });

  it('does not use up its time while it waits for a person', async () => {
    await on.cast({
      Go: delegates('a', 'Done.', { timeout_ms: 9000 }),
      a: [asks(write('x', 'a.txt')), says('A.')],
    });
    expect(await on.answersLate({}, () => time.pass(9500))).toBe('completed');
    expect(await on.childOf('a')).toMatchObject({ status: 'completed' });
  });
});

describe('more input', () => {
  it('lets a child that has ended go on, in its own session', async () => {
    const window = await on.play({
      Go: [
        asks(spawn('1', 'a')),
        asks(wait('w1')),
        on.naming('a', (id) => asks(['s', 'send_input', { id, text: 'And b?' }])),
        asks(wait('w2')),
        says('Both.'),
      ],
      a: [says('A.'), says('B.')],
    });
    expect(window.state).toBe('completed');
    expect(await on.lives()).toEqual({
      a: ['spawned', 'started', 'completed', 'continued', 'started', 'completed'],
    });
    expect(await on.outputOf('w2')).toMatchObject({ agents: [{ status: 'completed', summary: 'B.' }] });
    expect(await on.promptsOf('a')).toEqual(['a', 'And b?']);
  });

  it('reaches a child that has ended also after a restart', async () => {
    await on.cast({
      Go: [
        asks(spawn('1', 'a')),
        asks(wait('w1')),
        says('One.'),
        on.naming('a', (id) => asks(['s', 'send_input', { id, text: 'And b?' }])),
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
    expect(await on.outputOf('w2')).toMatchObject({ agents: [{ status: 'completed', summary: 'B.' }] });
  });
});

describe('closing', () => {
  it('by its parent ends a child with the reason, and tells of that in the same breath', async () => {
    const a = held(says('A.'));
    const window = await on.play({
      Go: [
        asks(spawn('1', 'a')),
        on.naming('a', (id) => asks(['c', 'close_agent', { id, reason: 'Not needed.' }]), a.arrived),
        says('Without it.'),
      ],
      a: [a.reply],
    });
    expect(window.state).toBe('completed');
    expect(await on.childOf('a')).toMatchObject({ status: 'closed', reason: 'Not needed.' });
    expect(await on.delivered()).toEqual([]);
  });

  it('of a child that nobody knows is an error result, and the loop goes on', async () => {
    const window = await on.play({ Go: [asks(['c', 'close_agent', { id: 'agent_0' }]), says('No such.')] });
    expect(window.state).toBe('completed');
    expect(await on.outputOf('c')).toMatchObject({ kind: 'unknown_agent' });
  });
});

describe('the time of a turn', () => {
  it('stands still while a child that it waits for waits for a person', async () => {
    await on.cast({
      Go: delegates('a', 'Done.'),
      a: [asks(write('x', 'a.txt')), says('A.')],
    });
    expect(await on.answersLate({ turnTimeout: 9 }, () => time.pass(9500))).toBe('completed');
  });

  it('that is up closes its children with the reason', async () => {
    const a = held(says('A.'));
    const { turn } = await on.begin({ Go: delegates('a'), a: [a.reply] }, { turnTimeout: 9 });
    await a.arrived;
    expect(await time.fly(turn)).toBe('timed_out');
    expect(await on.childOf('a')).toMatchObject({
      status: 'closed',
      reason: 'The turn that it worked for was stopped (timeout).',
    });
  });
});

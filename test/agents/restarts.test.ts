import { describe, expect, it } from 'vitest';
import { hangs, held } from '../lifecycle/held-replies.ts';
import { headless, placeArgs } from '../support/headless.ts';
import { apiError } from '../support/responses-server/reply.ts';
import { agentStage, asks, delegates, says, spawn, suspensionId, wait, write, type Window } from './cast.ts';

const on = agentStage();

/** A window that is closed over a child that asks, and the next one. */
async function closedOverQuestion(): Promise<Window> {
  const before = await on.open();
  await before.send('Go');
  await on.question(before);
  await before.close();
  return on.open();
}

describe('a window that closes over its children', () => {
  it('leaves them detached, each with how to go on, and its turn interrupted', async () => {
    const a = held(says('A.'));
    await on.cast({ Go: delegates('a'), a: [a.reply] });
    await on.closedOver(a);
    const end = await on.childOf('a');
    expect(end).toMatchObject({ event: 'detached', status: 'detached', summary: '', checkpoint: null });
    expect(end.next_actions?.map(({ command }) => command)).toEqual([
      'ledgerline.resumeAgent',
      'ledgerline.openAgent',
      'ledgerline.discardAgent',
    ]);
    const [failed] = await on.of('turn_failed');
    expect(failed).toMatchObject({ terminal_status: 'interrupted', interrupted_reason: 'disconnect' });
    const own = await on.events(end.child_session_id);
    expect(own.find(({ type }) => type === 'turn_failed')?.data).toMatchObject({
      interrupted_reason: 'disconnect',
    });
  });

  it('lets a person resume one: it goes on in its own session, and its end is told once', async () => {
    const a = held(says('A.'));
    await on.cast({
      Go: delegates('a', 'I see.'),
      a: [a.reply, says('A after all.')],
    });
    await on.closedOver(a);
    const window = await on.open();
    await on.act(window, 'resumeAgent', 'a');
    await on.childEvent(window, 'finished');
    expect(await on.lives()).toEqual({
      a: ['spawned', 'started', 'detached', 'continued', 'started', 'completed'],
    });
    expect(await on.promptsOf('a')).toEqual(['a', 'Continue.']);
    expect(await window.turn('And?', 'client_next')).toBe('completed');
    expect(await on.delivered()).toMatchObject([{ status: 'completed', summary: 'A after all.' }]);
  });

  it('lets a person discard one: its log stays, and the model is told that it was closed', async () => {
    const a = held(says('A.'));
    await on.cast({ Go: delegates('a', 'I see.'), a: [a.reply] });
    await on.closedOver(a);
    const window = await on.open();
    await on.act(window, 'discardAgent', 'a');
    expect(await on.childOf('a')).toMatchObject({ status: 'closed', reason: 'The person discarded it.' });
    expect(await on.promptsOf('a')).toEqual(['a']);
    expect(await window.turn('And?', 'client_next')).toBe('completed');
    expect(await on.delivered()).toMatchObject([
      { status: 'closed', summary: 'Reason: The person discarded it.' },
    ]);
  });

  it('lets the model close one, and tells it of that end in the same breath', async () => {
    const a = held(says('A.'));
    await on.cast({
      Go: [
        asks(spawn('1', 'a')),
        asks(wait('w')),
        on.naming('a', (id) => asks(['c', 'close_agent', { id, reason: 'Too late.' }])),
        says('Closed.'),
      ],
      a: [a.reply],
    });
    await on.closedOver(a);
    const window = await on.open();
    expect(await window.turn('Close it.', 'client_next')).toBe('completed');
    expect(await on.outputOf('c')).toMatchObject({ status: 'closed', summary: 'Reason: Too late.' });
    expect(await on.delivered()).toEqual([]);
  });

  it('lets a person discard one that asks: nobody is asked for it any more', async () => {
    await on.cast({ Go: delegates('a'), a: [asks(write('x', 'a.txt'))] });
    const window = await closedOverQuestion();
    await on.act(window, 'discardAgent', 'a');
    const own = await on.logOf('a');
    expect(own.find(({ type }) => type === 'turn_failed')?.data).toMatchObject({
      terminal_status: 'interrupted',
      interrupted_reason: 'user_cancelled',
    });
    expect(await on.read('a.txt')).toBeNull();
  });

  it('brings a question of a child back when the child is resumed', async () => {
    await on.cast({
      Go: delegates('a'),
      a: [asks(write('x', 'a.txt')), says('Written.')],
    });
    const window = await closedOverQuestion();
    await on.act(window, 'resumeAgent', 'a');
    await window.decide(suspensionId(await on.question(window)), 'resume');
    await on.childEvent(window, 'finished');
    expect(await on.read('a.txt')).toBe('by x');
    expect(await on.childOf('a')).toMatchObject({ status: 'completed', summary: 'Written.' });
    expect(await on.promptsOf('a')).toEqual(['a']);
  });
});

/** An end that comes before the parent asks again is delivered then: which ones are, is a race. */
async function untold(): Promise<Readonly<Record<string, readonly string[]>>> {
  const all = Object.entries(await on.lives());
  return Object.fromEntries(all.map(([task, life]) => [task, life.filter((one) => one !== 'delivered')]));
}

describe('a process that is killed over six children in six states', () => {
  it('is opened again with every end as it was, and every open child detached', async () => {
    const running = held(says('Never.'));
    await on.cast({
      Go: [
        asks(
          spawn('1', 'done'),
          spawn('2', 'bad'),
          spawn('3', 'late', { timeout_ms: 400 }),
          spawn('4', 'works'),
          spawn('5', 'asks', { agent: 'worker' }),
          spawn('6', 'queued'),
        ),
        hangs('Waiting'),
      ],
      done: [says('Done.')],
      bad: [apiError(400, { message: 'No.', type: 'invalid_request_error' })],
      late: [hangs('x')],
      works: [running.reply],
      asks: [asks(write('x', 'a.txt'))],
      queued: [hangs('x')],
    });
    const url = on.url();
    const run = await headless(
      placeArgs(on.place, url, { set: ['subagents.maxRunning=2', 'permissionMode=ask'] }),
    );
    run.send({ type: 'send', client_turn_id: 'c1', text: 'Go' });
    await running.arrived;
    await run.until(
      (message) =>
        message.type === 'append' &&
        JSON.stringify(message).includes('"waiting"') &&
        JSON.stringify(message).includes('a.txt'),
    );
    run.kill('SIGKILL');
    await run.exited;
    const states = await untold();
    expect(states).toMatchObject({
      done: ['spawned', 'started', 'completed'],
      bad: ['spawned', 'started', 'failed'],
      late: ['spawned', 'started', 'timed_out'],
      works: ['spawned', 'started'],
      asks: ['spawned', 'started', 'waiting'],
      queued: ['spawned'],
    });
    const window = await on.open();
    expect(window.state).toBe('interrupted');
    expect(await untold()).toEqual({
      done: ['spawned', 'started', 'completed'],
      bad: ['spawned', 'started', 'failed'],
      late: ['spawned', 'started', 'timed_out'],
      works: ['spawned', 'started', 'detached'],
      asks: ['spawned', 'started', 'waiting', 'detached'],
      queued: ['spawned', 'detached'],
    });
    await window.close();
    const again = await on.open();
    expect((await on.childEvents()).filter(({ status }) => status === 'detached')).toHaveLength(3);
    // One that never began begins with its task.
    await on.act(again, 'resumeAgent', 'queued');
    await again.until(
      (message) => message.type === 'children' && message.items.some((one) => one.activity !== null),
    );
    await on.act(again, 'stopAgent', 'queued');
    expect(await on.promptsOf('queued')).toEqual(['queued']);
    expect(await on.childOf('queued')).toMatchObject({ status: 'cancelled' });
  });
});

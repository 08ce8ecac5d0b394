import { describe, expect, it } from 'vitest';
import { turnsWith } from './turns.ts';
import { hangs, held } from '../lifecycle/held-replies.ts';
import { headless, placeArgs } from '../support/headless.ts';
import { apiError, streamOf } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { asks, childEvents, childOf, lives, outputOf, says, spawn, stage, wait } from './cast.ts';

const on = stage();

const write = (call_id: string, path: string) =>
  [call_id, 'write_file', { path, content: `by ${call_id}` }] as const;

async function act(
  window: { receive(message: object): Promise<void> },
  command: string,
  task: string,
): Promise<void> {
  const { subagent_id } = await childOf(on, task);
  const args = [{ session_id: 's1', subagent_id }];
  await window.receive({ type: 'run_action', command: `ledgerline.${command}`, args });
}

describe('a window that closes over its children', () => {
  it('leaves them detached, each with how to go on, and its turn interrupted', async () => {
    const a = held(says('A.'));
    await on.cast({ Go: [asks(spawn('1', 'a')), asks(wait('w'))], a: [a.reply] });
    const window = await on.open();
    await window.send('Go');
    await a.arrived;
    await window.close();
    const end = await childOf(on, 'a');
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
      Go: [asks(spawn('1', 'a')), asks(wait('w')), says('I see.')],
      a: [a.reply, says('A after all.')],
    });
    const before = await on.open();
    await before.send('Go');
    await a.arrived;
    await before.close();
    const window = await on.open();
    await act(window, 'resumeAgent', 'a');
    await window.until(
      (message) =>
        message.type === 'append' &&
        message.items.some((item) => item.type === 'subagent_event' && item.data['event'] === 'finished'),
    );
    expect(await lives(on)).toEqual({
      a: ['spawned', 'started', 'detached', 'continued', 'started', 'completed'],
    });
    const own = await turnsWith(on, (await childOf(on, 'a')).child_session_id);
    expect(own).toEqual(['a', 'Continue.']);
    expect(await window.turn('And?', 'client_next')).toBe('completed');
    const told = (await childEvents(on)).filter(({ event }) => event === 'delivered');
    expect(told).toMatchObject([{ status: 'completed', summary: 'A after all.' }]);
  });

  it('lets a person discard one: its log stays, and the model is told that it was closed', async () => {
    const a = held(says('A.'));
    await on.cast({ Go: [asks(spawn('1', 'a')), asks(wait('w')), says('I see.')], a: [a.reply] });
    const before = await on.open();
    await before.send('Go');
    await a.arrived;
    await before.close();
    const window = await on.open();
    await act(window, 'discardAgent', 'a');
    expect(await childOf(on, 'a')).toMatchObject({ status: 'closed', reason: 'The person discarded it.' });
    expect(await turnsWith(on, (await childOf(on, 'a')).child_session_id)).toEqual(['a']);
    expect(await window.turn('And?', 'client_next')).toBe('completed');
    const told = (await childEvents(on)).filter(({ event }) => event === 'delivered');
    expect(told).toMatchObject([{ status: 'closed', summary: 'Reason: The person discarded it.' }]);
  });

  it('lets the model close one, and tells it of that end in the same breath', async () => {
    const a = held(says('A.'));
    await on.cast({
      Go: [
        asks(spawn('1', 'a')),
        asks(wait('w')),
        async () => {
          const { subagent_id: id } = await childOf(on, 'a');
          return streamOf(responseEvents(asks(['c', 'close_agent', { id, reason: 'Too late.' }])));
        },
        says('Closed.'),
      ],
      a: [a.reply],
    });
    const before = await on.open();
    await before.send('Go');
    await a.arrived;
    await before.close();
    const window = await on.open();
    expect(await window.turn('Close it.', 'client_next')).toBe('completed');
    expect(await outputOf(on, 'c')).toMatchObject({ status: 'closed', summary: 'Reason: Too late.' });
    expect((await childEvents(on)).some(({ event }) => event === 'delivered')).toBe(false);
  });

  it('lets a person discard one that asks: nobody is asked for it any more', async () => {
    await on.cast({ Go: [asks(spawn('1', 'a')), asks(wait('w'))], a: [asks(write('x', 'a.txt'))] });
    const before = await on.open();
    await before.send('Go');
    await before.until(
      (message) => message.type === 'children' && message.items.some((one) => one.questions.length > 0),
    );
    await before.close();
    const window = await on.open();
    await act(window, 'discardAgent', 'a');
    const own = await on.events((await childOf(on, 'a')).child_session_id);
    expect(own.find(({ type }) => type === 'turn_failed')?.data).toMatchObject({
      terminal_status: 'interrupted',
      interrupted_reason: 'user_cancelled',
    });
    expect(await on.read('a.txt')).toBeNull();
  });

  it('brings a question of a child back when the child is resumed', async () => {
    await on.cast({
      Go: [asks(spawn('1', 'a')), asks(wait('w'))],
      a: [asks(write('x', 'a.txt')), says('Written.')],
    });
    const before = await on.open();
    await before.send('Go');
    await before.until(
      (message) => message.type === 'children' && message.items.some((one) => one.questions.length > 0),
    );
    await before.close();
    const window = await on.open();
    await act(window, 'resumeAgent', 'a');
    const asked = await window.until(
      (message) => message.type === 'children' && message.items.some((one) => one.questions.length > 0),
    );
    const [question] = asked.type === 'children' ? asked.items.flatMap((one) => one.questions) : [];
    if (question === undefined) throw new Error('nothing is asked');
    await window.decide((question.suspension as { id: string }).id, 'resume');
    await window.until(
      (message) =>
        message.type === 'append' &&
        message.items.some((item) => item.type === 'subagent_event' && item.data['event'] === 'finished'),
    );
    expect(await on.read('a.txt')).toBe('by x');
    expect(await childOf(on, 'a')).toMatchObject({ status: 'completed', summary: 'Written.' });
    expect(await turnsWith(on, (await childOf(on, 'a')).child_session_id)).toEqual(['a']);
  });
});

/** An end that comes before the parent asks again is delivered then: which ones are, is a race. */
async function untold(stage: typeof on): Promise<Readonly<Record<string, readonly string[]>>> {
  const all = Object.entries(await lives(stage));
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
    const states = await untold(on);
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
    expect(await untold(on)).toEqual({
      done: ['spawned', 'started', 'completed'],
      bad: ['spawned', 'started', 'failed'],
      late: ['spawned', 'started', 'timed_out'],
      works: ['spawned', 'started', 'detached'],
      asks: ['spawned', 'started', 'waiting', 'detached'],
      queued: ['spawned', 'detached'],
    });
    await window.close();
    const again = await on.open();
    expect((await childEvents(on)).filter(({ status }) => status === 'detached')).toHaveLength(3);
    // One that never began begins with its task.
    await act(again, 'resumeAgent', 'queued');
    await again.until(
      (message) => message.type === 'children' && message.items.some((one) => one.activity !== null),
    );
    await act(again, 'stopAgent', 'queued');
    expect(await turnsWith(on, (await childOf(on, 'queued')).child_session_id)).toEqual(['queued']);
    expect(await childOf(on, 'queued')).toMatchObject({ status: 'cancelled' });
  });
});

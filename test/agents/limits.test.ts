import { describe, expect, it } from 'vitest';
import { hangs, held } from '../lifecycle/held-replies.ts';
import { apiError } from '../support/responses-server/reply.ts';
import { agentStage, asks, delegates, says, spawn, wait, write } from './cast.ts';

const on = agentStage();

describe('more children than may run', () => {
  it('wait in line, and start in order as others end', async () => {
    const first = held(says('A.'));
    const second = held(says('B.'));
    const { window, turn } = await on.begin(
      {
        Go: [asks(spawn('1', 'a'), spawn('2', 'b'), spawn('3', 'c')), asks(wait('w')), says('Done.')],
        a: [first.reply],
        b: [second.reply],
        c: [says('C.')],
      },
      { 'subagents.maxRunning': 2 },
    );
    await Promise.all([first.arrived, second.arrived]);
    expect(await on.outputOf('3')).toMatchObject({ status: 'queued' });
    first.release();
    await window.until((message) => message.type === 'append' && JSON.stringify(message).includes('C.'));
    second.release();
    expect(await turn).toBe('completed');
    expect(await on.lives()).toEqual({
      a: ['spawned', 'started', 'completed'],
      b: ['spawned', 'started', 'completed'],
      c: ['spawned', 'started', 'completed'],
    });
    const order = (await on.childEvents()).map(({ event, subagent_id }) => `${event} ${subagent_id}`);
    const [a, , c] = (await on.childEvents())
      .filter(({ event }) => event === 'spawned')
      .map((one) => one.subagent_id);
    expect(order.indexOf(`started ${c}`)).toBeGreaterThan(order.indexOf(`finished ${a}`));
  });
});

describe('a child that takes too long', () => {
  it('is timed out with its budget, its time and what to do, and its parent is told', async () => {
    const window = await on.play({
      Go: delegates('slow', 'Too slow.', { timeout_ms: 300 }),
      slow: [hangs('Still')],
    });
    expect(window.state).toBe('completed');
    const end = await on.childOf('slow');
    expect(end).toMatchObject({ status: 'timed_out', timeout_ms: 300, summary: '', checkpoint: null });
    expect(end.elapsed_ms).toBeGreaterThanOrEqual(300);
    expect(end.reason).toContain('budget');
    expect(end.deadline_at).toMatch(/Z$/);
    expect(end.next_actions?.map(({ command }) => command)).toEqual([
      'ledgerline.resumeAgent',
      'ledgerline.openAgent',
    ]);
    expect(await on.outputOf('w')).toMatchObject({ agents: [{ status: 'timed_out' }] });
    const own = await on.events(end.child_session_id);
    expect(own.find(({ type }) => type === 'turn_failed')?.data).toMatchObject({
      terminal_status: 'timed_out',
    });
  });
});

describe('a child that fails', () => {
  it('fails with its reason, and never passes on half an answer', async () => {
    const window = await on.play({
      Go: delegates('bad', 'It failed.'),
      bad: [apiError(400, { message: 'No.', type: 'invalid_request_error' })],
    });
    expect(window.state).toBe('completed');
    const end = await on.childOf('bad');
    expect(end).toMatchObject({ status: 'failed', summary: '' });
    expect(end.reason).toContain('invalid_request');
  });

  it('over the way to the model begins anew where it only reads, with its lineage on record', async () => {
    const broken = apiError(500, { message: 'Broken.', type: 'server_error' }, { 'retry-after-ms': '1' });
    const window = await on.play({
      Go: delegates('read', 'Done.', { agent: 'explorer' }),
      read: [broken, broken, broken, says('Read it.')],
    });
    expect(window.state).toBe('completed');
    expect(await on.lives()).toEqual({ read: ['spawned', 'started', 'retried', 'completed'] });
    const events = await on.childEvents();
    const end = await on.childOf('read');
    expect(end.child_session_id).not.toBe(events[0]?.child_session_id);
    expect(end.retry_history).toMatchObject([
      { attempt: 1, child_session_id: events[0]?.child_session_id, error_kind: 'server_error' },
    ]);
    const again = await on.events(end.child_session_id);
    expect(again.find(({ type }) => type === 'user_message')?.data).toMatchObject({ text: 'read' });
  });

  it('does not begin anew where it may change something', async () => {
    const broken = apiError(500, { message: 'Broken.', type: 'server_error' }, { 'retry-after-ms': '1' });
    const window = await on.play(
      {
        Go: delegates('work', 'Done.', { agent: 'worker' }),
        work: [broken, broken, broken],
      },
      { permissionMode: 'auto' },
    );
    expect(window.state).toBe('completed');
    expect(await on.lives()).toEqual({ work: ['spawned', 'started', 'failed'] });
  });
});

describe('depth and permissions', () => {
  it('give a child no tools for children of its own, unless the depth allows it', async () => {
    await on.cast({ Go: delegates('a', 'Done.'), a: [says('A.')] });
    const window = await on.open();
    await window.turn('Go');
    const names = (index: number): readonly string[] => {
      const body = on.requests[index]?.body as { tools: readonly { name: string }[] } | undefined;
      return (body?.tools ?? []).map(({ name }) => name);
    };
    const child = on.requests.findIndex((request) => JSON.stringify(request.input).includes('"a"'));
    expect(names(0)).toContain('spawn_agent');
    expect(names(child)).not.toContain('spawn_agent');
  });

  it('let children have children as deep as is allowed, and no deeper', async () => {
    const window = await on.play(
      {
        Go: delegates('a', 'Done.'),
        a: [asks(spawn('2', 'b')), asks(wait('w')), says('A.')],
        b: [asks(spawn('3', 'c')), says('B.')],
      },
      { 'subagents.maxDepth': 2 },
    );
    expect(window.state).toBe('completed');
    const a = await on.childOf('a');
    expect(a).toMatchObject({ status: 'completed', summary: 'A.', depth: 1 });
    expect(await on.lives(a.child_session_id)).toEqual({ b: ['spawned', 'started', 'completed'] });
    const [b] = await on.childEvents(a.child_session_id);
    const own = await on.events(b?.child_session_id);
    expect(own[0]?.data).toMatchObject({ depth: 2, parent_session_id: a.child_session_id });
    expect(own.find(({ type }) => type === 'tool_result')?.data).toMatchObject({
      ok: false,
      error: { kind: 'unknown_tool' },
    });
  });

  it.each([
    ['what its parent may not', 'worker', 'read_only'],
    ['what an explorer may not, even where its parent may', 'explorer', 'auto'],
  ])('never let a child do %s', async (_, agent, permissionMode) => {
    const roles = {
      Go: delegates('a', 'Done.', { agent }),
      a: [asks(write('x', 'a.txt')), says('I could not.')],
    };
    const window = await on.play(roles, { permissionMode });
    expect(window.state).toBe('completed');
    const own = await on.logOf('a');
    expect(own.find(({ type }) => type === 'tool_result')?.data).toMatchObject({
      ok: false,
      error: { kind: 'permission_denied' },
    });
    expect(await on.read('a.txt')).toBeNull();
  });
});

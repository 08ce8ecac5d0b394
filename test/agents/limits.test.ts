import { describe, expect, it } from 'vitest';
import { held } from '../lifecycle/held-replies.ts';
import { apiError } from '../support/responses-server/reply.ts';
import { hangs } from '../lifecycle/held-replies.ts';
import { asks, childEvents, childOf, lives, outputOf, says, spawn, stage, wait } from './cast.ts';

const on = stage();

describe('more children than may run', () => {
  it('wait in line, and start in order as others end', async () => {
    const first = held(says('A.'));
    const second = held(says('B.'));
    await on.cast({
      Go: [asks(spawn('1', 'a'), spawn('2', 'b'), spawn('3', 'c')), asks(wait('w')), says('Done.')],
      a: [first.reply],
      b: [second.reply],
      c: [says('C.')],
    });
    const window = await on.open({ 'subagents.maxRunning': 2 });
    const turn = window.turn('Go');
    await Promise.all([first.arrived, second.arrived]);
    expect(await outputOf(on, '3')).toMatchObject({ status: 'queued' });
    first.release();
    await window.until((message) => message.type === 'append' && JSON.stringify(message).includes('C.'));
    second.release();
    expect(await turn).toBe('completed');
    expect(await lives(on)).toEqual({
      a: ['spawned', 'started', 'completed'],
      b: ['spawned', 'started', 'completed'],
      c: ['spawned', 'started', 'completed'],
    });
    const order = (await childEvents(on)).map(({ event, subagent_id }) => `${event} ${subagent_id}`);
    const [a, , c] = (await childEvents(on))
      .filter(({ event }) => event === 'spawned')
      .map((one) => one.subagent_id);
    expect(order.indexOf(`started ${c}`)).toBeGreaterThan(order.indexOf(`finished ${a}`));
  });
});

describe('a child that takes too long', () => {
  it('is timed out with its budget, its time and what to do, and its parent is told', async () => {
    await on.cast({
      Go: [asks(spawn('1', 'slow', { timeout_ms: 300 })), asks(wait('w')), says('Too slow.')],
      slow: [hangs('Still')],
    });
    const window = await on.open();
    expect(await window.turn('Go')).toBe('completed');
    const end = await childOf(on, 'slow');
    expect(end).toMatchObject({ status: 'timed_out', timeout_ms: 300, summary: '', checkpoint: null });
    expect(end.elapsed_ms).toBeGreaterThanOrEqual(300);
    expect(end.reason).toContain('budget');
    expect(end.deadline_at).toMatch(/Z$/);
    expect(end.next_actions?.map(({ command }) => command)).toEqual([
      'ledgerline.resumeAgent',
      'ledgerline.openAgent',
    ]);
    expect(await outputOf(on, 'w')).toMatchObject({ agents: [{ status: 'timed_out' }] });
    const own = await on.events(end.child_session_id);
    expect(own.find(({ type }) => type === 'turn_failed')?.data).toMatchObject({
      terminal_status: 'timed_out',
    });
  });
});

describe('a child that fails', () => {
  it('fails with its reason, and never passes on half an answer', async () => {
    await on.cast({
      Go: [asks(spawn('1', 'bad')), asks(wait('w')), says('It failed.')],
      bad: [apiError(400, { message: 'No.', type: 'invalid_request_error' })],
    });
    const window = await on.open();
    expect(await window.turn('Go')).toBe('completed');
    const end = await childOf(on, 'bad');
    expect(end).toMatchObject({ status: 'failed', summary: '' });
    expect(end.reason).toContain('invalid_request');
  });

  it('over the way to the model begins anew where it only reads, with its lineage on record', async () => {
    const broken = apiError(500, { message: 'Broken.', type: 'server_error' }, { 'retry-after-ms': '1' });
    await on.cast({
      Go: [asks(spawn('1', 'read', { agent: 'explorer' })), asks(wait('w')), says('Done.')],
      read: [broken, broken, broken, says('Read it.')],
    });
    const window = await on.open();
    expect(await window.turn('Go')).toBe('completed');
    expect(await lives(on)).toEqual({ read: ['spawned', 'started', 'retried', 'completed'] });
    const events = await childEvents(on);
    const end = await childOf(on, 'read');
    expect(end.child_session_id).not.toBe(events[0]?.child_session_id);
    expect(end.retry_history).toMatchObject([
      { attempt: 1, child_session_id: events[0]?.child_session_id, error_kind: 'server_error' },
    ]);
    const again = await on.events(end.child_session_id);
    expect(again.find(({ type }) => type === 'user_message')?.data).toMatchObject({ text: 'read' });
  }, 20_000);

  it('does not begin anew where it may change something', async () => {
    const broken = apiError(500, { message: 'Broken.', type: 'server_error' }, { 'retry-after-ms': '1' });
    await on.cast({
      Go: [asks(spawn('1', 'work', { agent: 'worker' })), asks(wait('w')), says('Done.')],
      work: [broken, broken, broken],
    });
    const window = await on.open({ permissionMode: 'auto' });
    expect(await window.turn('Go')).toBe('completed');
    expect(await lives(on)).toEqual({ work: ['spawned', 'started', 'failed'] });
  }, 20_000);
});

describe('depth and permissions', () => {
  it('give a child no tools for children of its own, unless the depth allows it', async () => {
    await on.cast({ Go: [asks(spawn('1', 'a')), asks(wait('w')), says('Done.')], a: [says('A.')] });
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
    await on.cast({
      Go: [asks(spawn('1', 'a')), asks(wait('w')), says('Done.')],
      a: [asks(spawn('2', 'b')), asks(wait('w')), says('A.')],
      b: [asks(spawn('3', 'c')), says('B.')],
    });
    const window = await on.open({ 'subagents.maxDepth': 2 });
    expect(await window.turn('Go')).toBe('completed');
    const a = await childOf(on, 'a');
    expect(a).toMatchObject({ status: 'completed', summary: 'A.', depth: 1 });
    expect(await lives(on, a.child_session_id)).toEqual({ b: ['spawned', 'started', 'completed'] });
    const [b] = await childEvents(on, a.child_session_id);
    const own = await on.events(b?.child_session_id);
    expect(own[0]?.data).toMatchObject({ depth: 2, parent_session_id: a.child_session_id });
    expect(own.find(({ type }) => type === 'tool_result')?.data).toMatchObject({
      ok: false,
      error: { kind: 'unknown_tool' },
    });
  });

  it('never let a child do what its parent may not', async () => {
    const write = ['x', 'write_file', { path: 'a.txt', content: 'no' }] as const;
    await on.cast({
      Go: [asks(spawn('1', 'a', { agent: 'worker' })), asks(wait('w')), says('Done.')],
      a: [asks(write), says('I could not.')],
    });
    const window = await on.open({ permissionMode: 'read_only' });
    expect(await window.turn('Go')).toBe('completed');
    const a = await childOf(on, 'a');
    const own = await on.events(a.child_session_id);
    expect(own.find(({ type }) => type === 'tool_result')?.data).toMatchObject({
      ok: false,
      error: { kind: 'permission_denied' },
    });
    expect(await on.read('a.txt')).toBeNull();
  });

  it('keep an explorer from writing even where its parent may', async () => {
    const write = ['x', 'write_file', { path: 'a.txt', content: 'no' }] as const;
    await on.cast({
      Go: [asks(spawn('1', 'a', { agent: 'explorer' })), asks(wait('w')), says('Done.')],
      a: [asks(write), says('I could not.')],
    });
    const window = await on.open({ permissionMode: 'auto' });
    expect(await window.turn('Go')).toBe('completed');
    expect(await on.read('a.txt')).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import { held } from '../lifecycle/held-replies.ts';
import { asks, says, stage } from '../lifecycle/window.ts';

const on = stage();

const spawn = (call_id: string, task: string, more: object = {}) =>
  [call_id, 'spawn_agent', { task, ...more }] as const;
const wait = (call_id: string, more: object = {}) => [call_id, 'wait_agent', more] as const;

describe('a child', () => {
  it('is a session of its own whose end its parent is told in the result that waited for it', async () => {
    await on.cast({
      'Look around.': [
        asks(spawn('s1', 'Count the files.', { agent: 'explorer' })),
        asks(wait('w1')),
        says('There are two.'),
      ],
      'Count the files.': [says('Two files.')],
    });
    const window = await on.open({ permissionMode: 'auto' });
    expect(await window.turn('Look around.')).toBe('completed');
    const events = await on.of('subagent_event');
    expect(events.map(({ event, status }) => [event, status])).toEqual([
      ['spawned', 'queued'],
      ['started', 'running'],
      ['finished', 'completed'],
    ]);
    const [spawned, , finished] = events;
    expect(finished).toMatchObject({
      agent: 'explorer',
      task: 'Count the files.',
      depth: 1,
      summary: 'Two files.',
      checkpoint: null,
      timeout_ms: 600_000,
      retry_history: [],
    });
    expect(finished?.elapsed_ms).toBeGreaterThanOrEqual(0);
    const child = await on.events(spawned?.child_session_id);
    expect(child[0]).toMatchObject({
      type: 'session_started',
      data: { parent_session_id: 's1', agent: 'explorer', depth: 1, permission_mode: 'read_only' },
    });
    expect(child.find(({ type }) => type === 'user_message')?.data).toMatchObject({
      text: 'Count the files.',
    });
    const results = await on.of('tool_result');
    expect(JSON.parse(results[0]?.output ?? '')).toEqual({
      subagent_id: spawned?.subagent_id,
      child_session_id: spawned?.child_session_id,
      status: 'running',
    });
    expect(JSON.parse(results[1]?.output ?? '')).toMatchObject({
      agents: [{ status: 'completed', summary: 'Two files.' }],
    });
    expect(results[1]?.delivers).toHaveLength(1);
  });

  it('that nobody waited for is waited for by the turn, and its end is told before the last word', async () => {
    const child = held(says('Two files.'));
    await on.cast({
      'Look around.': [asks(spawn('s1', 'Count.')), says('It counts.'), says('There are two.')],
      'Count.': [child.reply],
    });
    const window = await on.open();
    const turn = window.turn('Look around.');
    await child.arrived;
    await window.until(
      (message) => message.type === 'turn_state' && message.activity?.text === 'Waiting for an agent',
    );
    expect(window.state).toBe('running');
    child.release();
    expect(await turn).toBe('completed');
    const events = await on.of('subagent_event');
    expect(events.map(({ event }) => event)).toEqual(['spawned', 'started', 'finished', 'delivered']);
    const last = on.requests.at(-1)?.input as readonly { readonly content?: readonly { text: string }[] }[];
    expect(last.at(-1)?.content?.[0]?.text).toContain('Two files.');
    expect((await on.of('assistant_message')).map(({ text }) => text)).toEqual([
      'It counts.',
      'There are two.',
    ]);
  });
});

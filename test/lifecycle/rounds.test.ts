import { describe, expect, it } from 'vitest';
import { PENDING_OUTPUT } from '../../src/runtime/replay/labels.ts';
import { logLines } from '../support/log-lines.ts';
import { run, write } from './calls.ts';
import { movesOf } from './log-file.ts';
import { asks, says, stage } from './window.ts';

const on = stage();

const read = (call_id: string, path: string) => [call_id, 'read_file', { path }] as const;

describe('a round with calls that wait', () => {
  it('of a single suspended call ends waiting, without a second inference and without anything run', async () => {
    const window = await on.turn('Write it.', [asks(write('c1', 'a.txt'))]);
    expect(window.state).toBe('waiting');
    expect(logLines(await on.events()).slice(2)).toEqual([
      'user: Write it.',
      'run running',
      'call c1: write_file {"path":"a.txt","content":"by c1"}',
      'provider_usage',
      'permission c1: ask',
      'c1: new -> suspended',
      'run waiting suspended',
    ]);
    expect(on.requests).toHaveLength(1);
    expect(await on.read('a.txt')).toBeNull();
  });

  it('announces all of its suspended calls in one commit, and tells the presenter all that is pending', async () => {
    const window = await on.turn('Do all three.', [
      asks(write('c1', 'a.txt'), run('c2', 'touch b.txt'), write('c3', 'c.txt')),
    ]);
    expect(window.state).toBe('waiting');
    const announced = window.messages.flatMap((message) =>
      message.type === 'append'
        ? [
            message.items.flatMap(({ type, data }) =>
              type === 'tool_call_status' && data['to'] === 'suspended' ? [data['call_id']] : [],
            ),
          ]
        : [],
    );
    expect(announced.filter((calls) => calls.length > 0)).toEqual([['c1', 'c2', 'c3']]);
    expect(window.messages.findLast((message) => message.type === 'turn_state')).toMatchObject({
      state: 'waiting',
      reason: 'suspended',
      pending: [
        { call_id: 'c1', name: 'write_file', decided: false },
        { call_id: 'c2', name: 'run_command', decided: false },
        { call_id: 'c3', name: 'write_file', decided: false },
      ],
    });
    expect(on.requests).toHaveLength(1);
  });

  it('that is mixed infers again with a labelled placeholder, waits, and infers once more when it is decided', async () => {
    await on.write('in.txt', 'content');
    const window = await on.turn('Read and write.', [
      asks(write('c1', 'a.txt'), read('c2', 'in.txt')),
      says('Waiting for you.'),
      says('Written.'),
    ]);
    expect(window.state).toBe('waiting');
    expect(on.requests).toHaveLength(2);
    expect(on.output(1, 'c1')).toBe(PENDING_OUTPUT);
    expect(on.output(1, 'c2')).toContain('content');
    expect(await window.decided('c1', 'resume')).toBe('completed');
    expect(on.requests).toHaveLength(3);
    expect(on.output(2, 'c1')).toMatch(/^Created a\.txt/);
    expect(JSON.stringify(on.input(2))).not.toContain('placeholder');
    const said = on
      .input(2)
      .filter((item) => item['role'] === 'assistant')
      .map((item) => item['content']);
    expect(said).toMatchObject([[{ text: 'Waiting for you.' }]]);
    expect((await on.of('assistant_message')).map(({ text }) => text)).toEqual([
      'Waiting for you.',
      'Written.',
    ]);
  });

  it('that adds another pending call waits for both, and infers only when none is pending', async () => {
    await on.write('in.txt', 'content');
    const window = await on.turn('Go.', [
      asks(write('c1', 'a.txt'), read('c2', 'in.txt')),
      asks(write('c3', 'b.txt')),
      says('Both are there.'),
    ]);
    expect(window.state).toBe('waiting');
    expect(on.requests).toHaveLength(2);
    expect(await window.decided('c3', 'resume')).toBe('waiting');
    expect(await on.read('b.txt')).toBe('by c3');
    expect(on.requests).toHaveLength(2);
    expect(await window.decided('c1', 'resume')).toBe('completed');
    expect(on.requests).toHaveLength(3);
    expect(await on.read('a.txt')).toBe('by c1');
  });
});

describe('a call that cannot be made', () => {
  it('is never asked about: unknown tools, bad arguments and edits that cannot be done fail, and the loop goes on', async () => {
    await on.write('a.txt', 'one');
    const window = await on.turn('Try.', [
      {
        calls: [
          { call_id: 'c1', name: 'teleport', args: { to: 'Mars' } },
          { call_id: 'c2', name: 'write_file', args: '{"path": "a.txt", ' },
          { call_id: 'c3', name: 'write_file', args: { path: 'a.txt' } },
          {
            call_id: 'c4',
            name: 'edit_file',
            args: { path: 'a.txt', old_text: 'none such', new_text: 'x' },
          },
          { call_id: 'c5', name: 'edit_file', args: { path: 'no.txt', old_text: 'a', new_text: 'b' } },
        ],
      },
      says('None of it worked.'),
    ]);
    expect(window.state).toBe('completed');
    const results = await on.of('tool_result');
    expect(results.map(({ call_id, ok }) => [call_id, ok])).toEqual(
      ['c1', 'c2', 'c3', 'c4', 'c5'].map((id) => [id, false]),
    );
    expect(results.slice(0, 3).map(({ error }) => error?.kind)).toEqual([
      'unknown_tool',
      'invalid_arguments',
      'invalid_arguments',
    ]);
    const events = await on.events();
    for (const id of ['c1', 'c2', 'c3', 'c4', 'c5']) expect(movesOf(events, id)).toEqual(['failed']);
    expect((await on.of('permission_decision')).filter(({ decision }) => decision === 'ask')).toEqual([]);
    expect(on.requests).toHaveLength(2);
    expect(await on.read('a.txt')).toBe('one');
  });

  it('fails when a rule blocks it, while the others of its round run and the loop goes on', async () => {
    await on.script(asks(run('c1', 'touch blocked'), run('c2', 'mkdir allowed')), says('One was blocked.'));
    const window = await on.open({
      permissionMode: 'auto',
      permissions: { allow: [], ask: [], deny: ['run_command(touch *)'] },
    });
    expect(await window.turn('Both.')).toBe('completed');
    const events = await on.events();
    expect([movesOf(events, 'c1'), movesOf(events, 'c2')]).toEqual([['failed'], ['running', 'succeeded']]);
    expect(await on.of('tool_result')).toMatchObject([
      { call_id: 'c1', ok: false, error: { kind: 'permission_denied' } },
      { call_id: 'c2', ok: true },
    ]);
    expect(String(on.output(1, 'c1'))).toContain('permission_denied');
    expect(await on.read('blocked')).toBeNull();
  });
});

describe('a turn without anything to decide', () => {
  it('has exactly the events of its answer, and the presenter gets them in order', async () => {
    await on.script({ text: ['All ', 'good.'] });
    const window = await on.open();
    const before = window.messages.length;
    expect(await window.turn('Hello.')).toBe('completed');
    expect(logLines(await on.events())).toEqual([
      'session_started',
      'developer_context',
      'user: Hello.',
      'run running',
      'assistant: All good.',
      'provider_usage',
      'run done natural_end',
    ]);
    const shown = window.messages.slice(before);
    const appended = shown.flatMap((message) => (message.type === 'append' ? message.items : []));
    expect(appended.map((item) => item.type)).toEqual((await on.events()).map((event) => event.type));
    const streamed = shown.flatMap((message) => (message.type === 'delta' ? [message.text] : []));
    expect(streamed.join('')).toBe('All good.');
    expect(shown.filter((message) => message.type === 'failure' || message.type === 'notice')).toEqual([]);
  });
});

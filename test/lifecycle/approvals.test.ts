import { describe, expect, it } from 'vitest';
import { asks, says, stage } from './window.ts';

const on = stage();

const WRITE = ['c1', 'write_file', { path: 'a.txt', content: 'new' }] as const;

describe('a call that needs an approval', () => {
  it('waits without another inference, runs once when approved, and the model then sees its result', async () => {
    const window = await on.turn('Write it.', [asks(WRITE), says('Done.')]);
    expect(window.state).toBe('waiting');
    expect(on.requests).toHaveLength(1);
    expect(await on.read('a.txt')).toBeNull();
    expect(await window.decided('c1', 'resume')).toBe('completed');
    expect(await on.read('a.txt')).toBe('new');
    expect(on.requests).toHaveLength(2);
    expect(on.output(1, 'c1')).toMatch(/^Created a\.txt/);
  });

  it('says what it does while it runs, not that it waits for the model', async () => {
    const window = await on.turn('Sleep.', [
      asks(['c1', 'run_command', { command: 'sleep 0.2', timeout_s: null }]),
      says('Done.'),
    ]);
    const before = window.messages.length;
    await window.decide('c1', 'resume');
    await window.rests();
    const told = window.messages
      .slice(before)
      .flatMap((message) => (message.type === 'turn_state' ? [message.activity?.text ?? ''] : []));
    expect(told.indexOf('Running a tool')).toBeGreaterThan(-1);
    expect(told.indexOf('Running a tool')).toBeLessThan(told.indexOf('Waiting for the model'));
  });

  it('gives exactly one error result with the reason when denied, and never runs', async () => {
    const window = await on.turn('Write it.', [asks(WRITE), says('I see.')]);
    expect(await window.decided('c1', 'cancel', { reason: 'not this file' })).toBe('completed');
    expect(await on.read('a.txt')).toBeNull();
    const results = await on.of('tool_result');
    expect(results).toHaveLength(1);
    expect(results[0]).toMatchObject({
      ok: false,
      error: { kind: 'denied', details: { reason: 'not this file' } },
    });
    expect(on.output(1, 'c1')).toContain('not this file');
  });
});

it('a rule of the settings that cannot be read counts in its strictest reading, in auto as well', async () => {
  await on.script(asks(WRITE), says('I see.'));
  const permissions = { allow: [], ask: [], deny: ['write file('] };
  const window = await on.open({ permissionMode: 'auto', permissions });
  expect(await window.turn('Write it.')).toBe('completed');
  expect(await on.read('a.txt')).toBeNull();
  expect(await on.of('permission_decision')).toMatchObject([{ decision: 'deny', decided_by: 'rule' }]);
  expect(await on.of('diagnostic')).toMatchObject([
    { code: 'permission_rule_invalid', details: { rule: 'write file(', list: 'deny' } },
  ]);
});

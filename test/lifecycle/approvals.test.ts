import { describe, expect, it } from 'vitest';
import { asks, says, stage } from './window.ts';

const on = stage();

const WRITE = ['c1', 'write_file', { path: 'a.txt', content: 'new' }] as const;

describe('a call that needs an approval', () => {
  it('waits without another inference, runs once when approved, and the model then sees its result', async () => {
    await on.script(asks(WRITE), says('Done.'));
    const window = await on.open();
    expect(await window.turn('Write it.')).toBe('waiting');
    expect(on.requests).toHaveLength(1);
    expect(await on.read('a.txt')).toBeNull();
    await window.decide('c1', 'resume');
    expect(await window.rests()).toBe('completed');
    expect(await on.read('a.txt')).toBe('new');
    expect(on.requests).toHaveLength(2);
    expect(on.output(1, 'c1')).toMatch(/^Created a\.txt/);
  });

  it('gives exactly one error result with the reason when denied, and never runs', async () => {
    await on.script(asks(WRITE), says('I see.'));
    const window = await on.open();
    await window.turn('Write it.');
    await window.decide('c1', 'cancel', { reason: 'not this file' });
    expect(await window.rests()).toBe('completed');
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

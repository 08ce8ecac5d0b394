import { describe, expect, it } from 'vitest';
import { asks, says, stage, type Window } from './window.ts';

const on = stage();

const WRITE = ['c1', 'write_file', { path: 'a.txt', content: 'new' }] as const;

async function sendsWithoutTools(window: Window): Promise<string | null> {
  await window.receive({ type: 'send', client_turn_id: 't1', text: 'Only words.', tools: 'none' });
  return window.rests();
}

function toolsOf(index: number): unknown {
  return (on.requests[index]?.body as { readonly tools?: unknown } | undefined)?.tools;
}

describe('a turn without tools', () => {
  it('offers none, and the log says so; the next one has them again', async () => {
    await on.script(says('Words.'), says('More.'));
    const window = await on.open();
    expect(await sendsWithoutTools(window)).toBe('completed');
    expect(await window.turn('And now?')).toBe('completed');
    expect(toolsOf(0)).toEqual([]);
    expect(toolsOf(1)).not.toEqual([]);
    const [first, second] = await on.of('user_message');
    expect([first?.tools, second?.tools]).toEqual(['none', undefined]);
    const [without, withTools] = await on.of('provider_usage');
    expect(without?.toolset_hash).not.toBe(withTools?.toolset_hash);
    const [asked, again] = [on.input(0), on.input(1)].map((input) => JSON.stringify(input));
    expect(again?.startsWith(asked?.slice(0, -1) ?? '')).toBe(true);
  });

  it('runs nothing and asks nobody when the model calls a tool all the same, also in mode auto', async () => {
    await on.script(asks([...WRITE]), says('Words.'));
    const window = await on.open({ permissionMode: 'auto' });
    expect(await sendsWithoutTools(window)).toBe('completed');
    expect(await on.read('a.txt')).toBeNull();
    const [result] = await on.of('tool_result');
    expect(result).toMatchObject({ call_id: 'c1', ok: false, error: { kind: 'unknown_tool' } });
  });

  it('has what was attached all the same, a folder too', async () => {
    await on.script(says('Words.'));
    await on.write('lib/one.txt', '1');
    const window = await on.open();
    const attachments = [{ kind: 'folder', path: 'lib' }];
    await window.receive({ type: 'send', client_turn_id: 't1', text: 'Look.', tools: 'none', attachments });
    expect(await window.rests()).toBe('completed');
    expect(window.failures).toEqual([]);
    expect(JSON.stringify(on.input(0))).toContain('lib/one.txt');
  });

  it.each(['ledgerline.retryTurn', 'ledgerline.continueTurn'])('stays one with %s', async (command) => {
    await on.script(asks([...WRITE]), asks([...WRITE]), says('Words.'));
    const window = await on.open({ permissionMode: 'auto', maxRounds: 1 });
    expect(await sendsWithoutTools(window)).toBe('failed');
    await window.receive({ type: 'run_action', command });
    expect(await window.rests()).toBe('failed');
    expect(toolsOf(1)).toEqual([]);
    expect(await on.read('a.txt')).toBeNull();
  });
});

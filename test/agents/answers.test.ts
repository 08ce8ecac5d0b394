import { describe, expect, it } from 'vitest';
import { held } from '../lifecycle/held-replies.ts';
import { asks, childOf, says, spawn, stage, wait, type Window } from './cast.ts';

const on = stage();

const write = (call_id: string, path: string) =>
  [call_id, 'write_file', { path, content: `by ${call_id}` }] as const;

async function question(window: Window): Promise<string> {
  const asked = await window.until(
    (message) => message.type === 'children' && message.items.some((one) => one.questions.length > 0),
  );
  const [first] = asked.type === 'children' ? asked.items.flatMap((one) => one.questions) : [];
  const { id } = (first?.suspension ?? {}) as { readonly id?: string };
  if (id === undefined) throw new Error('nobody asks');
  return id;
}

async function decisions(): Promise<number> {
  const own = await on.events((await childOf(on, 'a')).child_session_id);
  return own.filter(({ type }) => type === 'tool_call_decision').length;
}

describe('an answer to a child', () => {
  it('that is sent again changes nothing and is no mistake, while the child works and when it is over', async () => {
    const after = held(says('Written.'));
    await on.cast({
      Go: [asks(spawn('1', 'a')), asks(wait('w')), says('Done.')],
      a: [asks(write('x', 'a.txt')), after.reply],
    });
    const window = await on.open();
    const turn = window.turn('Go');
    const decision = {
      type: 'decide',
      target_id: await question(window),
      decision_id: 'd1',
      action: 'resume',
    };
    await window.receive(decision);
    await after.arrived;
    await window.receive(decision);
    after.release();
    expect(await turn).toBe('completed');
    await window.receive(decision);
    expect(window.failures).toEqual([]);
    expect(await decisions()).toBe(1);
  });

  it('that comes when it is settled, or has the id of another, is refused and changes nothing', async () => {
    await on.cast({
      Go: [asks(spawn('1', 'a')), asks(wait('w')), says('Done.')],
      a: [asks(write('x', 'a.txt')), says('Written.')],
    });
    const window = await on.open();
    const turn = window.turn('Go');
    const target_id = await question(window);
    await window.receive({ type: 'decide', target_id, decision_id: 'd1', action: 'resume' });
    expect(await turn).toBe('completed');
    await window.receive({ type: 'decide', target_id, decision_id: 'd2', action: 'resume' });
    await window.receive({ type: 'decide', target_id, decision_id: 'd1', action: 'cancel' });
    await window.receive({ type: 'decide', target_id: 'nothing', decision_id: 'd3', action: 'resume' });
    expect(window.failures.map(({ kind }) => kind)).toEqual([
      'already_settled',
      'decision_id_reused',
      'unknown_target',
    ]);
    expect(await decisions()).toBe(1);
  });
});

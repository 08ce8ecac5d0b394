import { describe, expect, it } from 'vitest';
import { held } from '../lifecycle/held-replies.ts';
import { agentStage, asks, delegates, says, suspensionId, write } from './cast.ts';

const on = agentStage();

async function decisions(): Promise<number> {
  const own = await on.logOf('a');
  return own.filter(({ type }) => type === 'tool_call_decision').length;
}

describe('an answer to a child', () => {
  it('that is sent again changes nothing and is no mistake, while the child works and when it is over', async () => {
    const after = held(says('Written.'));
    const { window, turn } = await on.begin({
      Go: delegates('a', 'Done.'),
      a: [asks(write('x', 'a.txt')), after.reply],
    });
    const decision = {
      type: 'decide',
      target_id: suspensionId(await on.question(window)),
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
    const { window, turn } = await on.begin({
      Go: delegates('a', 'Done.'),
      a: [asks(write('x', 'a.txt')), says('Written.')],
    });
    const target_id = suspensionId(await on.question(window));
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

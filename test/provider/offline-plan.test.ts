import { expect, test } from 'vitest';
import { USAGE } from '../../src/provider/offline/commands.ts';
import { updatePlanTool } from '../../src/tools/update-plan.ts';
import { converse, TOOLS, user } from './offline-conversation.ts';

const WITH_PLAN = [...TOOLS, updatePlanTool().spec];

function plan(...statuses: readonly string[]): string {
  const steps = ['Read', 'Test'].map((step, index) => ({ step, status: statuses[index] }));
  return `update_plan ${JSON.stringify({ steps })}`;
}

test('a plan is shown and ticked off, one step a round', async () => {
  const { calls, answer } = await converse(
    [user('plan Read; Test')],
    { update_plan: () => 'The plan is shown.' },
    WITH_PLAN,
  );
  expect(calls).toEqual([
    plan('in_progress', 'pending'),
    plan('completed', 'in_progress'),
    plan('completed', 'completed'),
  ]);
  expect(answer).toBe('All 2 steps are ticked off. I am a script: nothing was really done about them.');
});

test('without steps it shows an example', async () => {
  const { calls } = await converse([user('plan')], { update_plan: () => 'ok' }, WITH_PLAN);
  expect(calls).toHaveLength(4);
  expect(calls[0]).toContain('Make the change');
});

test('it stops when the plan is not taken', async () => {
  const { calls, answer } = await converse(
    [user('plan Read')],
    { update_plan: () => 'Error (denied): no' },
    WITH_PLAN,
  );
  expect(calls).toHaveLength(1);
  expect(answer).toContain('was denied');
});

test('it is in the list where the tool is offered', async () => {
  const offered = await converse([user('help')], {}, WITH_PLAN);
  expect(offered.answer).toContain(USAGE['plan']);
  expect((await converse([user('help')], {})).answer).not.toContain(USAGE['plan']);
});

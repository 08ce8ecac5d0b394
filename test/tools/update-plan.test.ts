import { expect, test } from 'vitest';
import { Fixture } from './tool-fixture.ts';

const STEPS = [
  { step: 'Read', status: 'completed' },
  { step: 'Change', status: 'in_progress' },
  { step: 'Test', status: 'pending' },
];

test('a plan is shown, and the model is told how far it is', async () => {
  using fixture = new Fixture({ asks: true });
  expect(await fixture.run('update_plan', { steps: STEPS, explanation: null })).toEqual({
    kind: 'success',
    output: 'The plan is shown: 1 of 3 steps completed.',
    changes: [],
  });
});

test('it writes nothing, whatever it says', () => {
  using fixture = new Fixture({ asks: true });
  expect(fixture.prepare('update_plan', { steps: STEPS })).toMatchObject({
    effect: 'interact',
    writes: [],
    subject: '3 steps',
  });
});

test.each([
  [{ steps: [] }, 'steps: has no step'],
  [{ steps: [{ step: ' ', status: 'pending' }] }, 'steps.0.step: is empty'],
  [
    { steps: Array.from({ length: 31 }, () => ({ step: 'x', status: 'pending' })) },
    'steps: has more than 30 steps',
  ],
  [{ steps: [STEPS[1], STEPS[1]] }, 'steps: has more than one step in progress'],
  [{ steps: STEPS, more: 1 }, 'Unrecognized key: "more"'],
])('it refuses %#', (args, why) => {
  using fixture = new Fixture({ asks: true });
  fixture.expectInvalid('update_plan', args, why);
});

test('what the model is told of it is pinned byte for byte', () => {
  using fixture = new Fixture({ asks: true });
  const spec = fixture.box.specs.find(({ name }) => name === 'update_plan');
  expect(JSON.stringify(spec, null, 2)).toMatchSnapshot();
});

import { expect, test } from 'vitest';
import { PlanView } from '../../webview/plan-view.tsx';
import { draw, elementsIn } from '../support/small-dom.ts';

test('a step is shown as it was written, in the direction of its own language', () => {
  const step = 'می\u200Cخواهم 👩\u200D💻';
  const { body } = draw(<PlanView steps={[{ step, status: 'completed' }]} isOpen />);
  const words = elementsIn(body).find(({ attributes }) => attributes.get('dir') === 'auto');
  expect(words?.textContent).toBe(`${step}done`);
});

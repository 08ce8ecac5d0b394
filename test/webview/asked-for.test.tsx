import { expect, test } from 'vitest';
import { AskedFor } from '../../webview/asked-for.tsx';
import { lastTurn } from '../../webview/state.ts';
import { apply } from '../../webview/store.ts';
import { INITIAL } from '../../webview/state.ts';
import { waitingCalls, type WaitingCall } from '../../webview/waiting-calls.ts';
import { draw, elementsIn } from '../support/small-dom.ts';
import { call, item, prompt, snapshot } from './log-items.ts';

const PRESENTER = { post: () => undefined, gesture: () => undefined };

function asking(suspension: object): WaitingCall {
  const asked = item(2, 'tool_call_status', { call_id: 'call_1', from: 'new', to: 'suspended', suspension });
  const state = apply(INITIAL, snapshot([prompt(0), call(1), asked]), 0);
  const turn = lastTurn(state);
  const [waiting] = turn === undefined ? [] : waitingCalls(turn, state.calls, []);
  if (waiting === undefined) throw new Error('nothing waits');
  return waiting;
}

test('a workflow that is held asks in the words of its steps', () => {
  const message = 'The workflow w needs you to go on.\n\nThe step a is held.\n\nUse `x`?';
  const waiting = asking({ id: 'p1', reason: 'workflow_held', message, parameters: { steps: [] } });
  const { body } = draw(<AskedFor waiting={waiting} turnId="t1" presenter={PRESENTER} />);
  expect(elementsIn(body).filter(({ localName }) => localName === 'code')).toHaveLength(1);
  expect(body.textContent).toContain('The step a is held.');
});

test('a question is Markdown, and nothing of it is markup of the page', () => {
  const question = 'Use `pnpm` or **npm**? <img src=x>';
  const suspension = { id: 'p1', reason: 'question', message: 'Asks.', parameters: { question } };
  const waiting = asking(suspension);
  const { body } = draw(<AskedFor waiting={waiting} turnId="t1" presenter={PRESENTER} />);
  const names = elementsIn(body).map(({ localName }) => localName);
  expect(names.filter((name) => ['code', 'strong', 'img'].includes(name))).toEqual(['code', 'strong']);
  expect(body.textContent).toContain('<img src=x>');
});

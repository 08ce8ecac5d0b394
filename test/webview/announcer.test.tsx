import { expect, test } from 'vitest';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { Announcer } from '../../webview/announcer.tsx';
import { INITIAL } from '../../webview/state.ts';
import { apply } from '../../webview/store.ts';
import { draw, SmallDocument } from '../support/small-dom.ts';
import { prompt, snapshot, turnState } from './log-items.ts';

test('the words of a session go with it, and the next one has its own', async () => {
  const document = new SmallDocument();
  let state = INITIAL;
  const heardAfter = async (message: HostMessage, words: string): Promise<void> => {
    state = apply(state, message, 0);
    draw(<Announcer state={state} />, document);
    await expect.poll(() => document.body.textContent).toBe(words);
  };
  await heardAfter(snapshot([prompt(0)]), '');
  await heardAfter(turnState('completed'), 'The answer is complete');
  await heardAfter(snapshot([prompt(0)], { session_id: 'two' }), '');
  await heardAfter(turnState('interrupted'), 'The answer was interrupted');
  await heardAfter(snapshot([], { session_id: 'three' }), '');
});

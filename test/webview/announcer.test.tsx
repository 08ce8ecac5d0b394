import { expect, test } from 'vitest';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { Announcer } from '../../webview/announcer.tsx';
import { INITIAL } from '../../webview/state.ts';
import { apply, applyGesture } from '../../webview/store.ts';
import { draw, elementsIn, SmallDocument } from '../support/small-dom.ts';
import { failure, prompt, snapshot, turnState } from './log-items.ts';

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

/** What each of the two regions says; they are there before there is anything to say. */
function regionsOf(document: SmallDocument): Readonly<Record<string, string>> {
  const regions = elementsIn(document.body).filter(({ attributes }) => attributes.has('aria-live'));
  return Object.fromEntries(
    regions.map((region) => [region.attributes.get('aria-live') ?? '', region.textContent]),
  );
}

test('notices are said by regions that were there before: errors at once, again when they come again', async () => {
  const document = new SmallDocument();
  let state = apply(INITIAL, snapshot([prompt(0)]), 0);
  const drawn = (): void => void draw(<Announcer state={state} />, document);
  drawn();
  expect(regionsOf(document)).toEqual({ polite: '', assertive: '' });
  const notice: HostMessage = {
    v: 1,
    type: 'notice',
    level: 'info',
    message: 'By the way.',
    next_actions: [],
  };
  state = apply(state, notice, 0);
  drawn();
  await expect.poll(() => regionsOf(document)).toEqual({ polite: 'By the way.', assertive: '' });
  state = apply(state, failure('send', 'It failed.'), 0);
  drawn();
  await expect.poll(() => regionsOf(document)).toEqual({ polite: 'By the way.', assertive: 'It failed.' });
  document.touched.clear();
  state = apply(state, failure('send', 'It failed.'), 0);
  drawn();
  await expect.poll(() => document.touched.size).toBeGreaterThan(0);
  expect(regionsOf(document)['assertive']).toBe('It failed.');
  state = applyGesture(state, { kind: 'notice_dismissed', message: 'It failed.' });
  drawn();
  await expect.poll(() => regionsOf(document)['assertive']).toBe('');
});

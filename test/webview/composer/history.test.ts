import { expect, test } from 'vitest';
import { project } from '../../../src/presenter/projection.ts';
import { promptsIn, stepped, type Step } from '../../../webview/composer/history.ts';
import { foldItems } from '../../../webview/transcript.ts';
import { made } from '../../support/made-events.ts';
import { item } from '../log-items.ts';

const BLOCKS = foldItems(
  ['one', 'two', 'two', '  ', 'three'].map((text, seq) => ({
    ...item(seq, 'user_message', { text, client_turn_id: `c${seq}`, attachments: [] }),
    turn_id: `t${seq}`,
  })),
);

test('prompts are those that are shown, without one twice in a row', () => {
  expect(promptsIn(BLOCKS)).toEqual(['one', 'two', 'three']);
});

test('a prompt of 200 KB comes back whole, as the host tells it', () => {
  const text = 'pasted '.repeat(30_000);
  const sent = made('user_message', 0, { turn_id: 't', text, client_turn_id: 'k', attachments: [] });
  expect(promptsIn(foldItems([project(sent)]))).toEqual([text]);
});

function walker(prompts: readonly string[], draft: string) {
  let now: Step = { text: draft, walk: null };
  return {
    walk: (direction: 'back' | 'forward'): string | null => {
      const step = stepped(prompts, now, direction);
      if (step !== null) now = step;
      return step?.text ?? null;
    },
    type: (text: string): void => {
      now = { ...now, text };
    },
    now: (): Step => now,
  };
}

test('one goes back to the first, and forward to the draft', () => {
  const { walk, now } = walker(['one', 'two'], 'draft');
  expect([walk('forward'), walk('back'), walk('back'), walk('back')]).toEqual([null, 'two', 'one', null]);
  expect([walk('forward'), walk('forward'), walk('forward')]).toEqual(['two', 'draft', null]);
  expect(now()).toEqual({ text: 'draft', walk: null });
});

test('a letter typed into an earlier prompt loses neither the draft nor what was made of the prompt', () => {
  const { walk, type } = walker(['hello'], 'draft');
  walk('back');
  type('hellox');
  expect([walk('forward'), walk('back'), walk('forward')]).toEqual(['draft', 'hellox', 'draft']);
});

test('an empty draft is one to come back to', () => {
  const { walk, now } = walker(['one'], '');
  expect([walk('back'), walk('forward')]).toEqual(['one', '']);
  expect(now().walk).toBeNull();
});

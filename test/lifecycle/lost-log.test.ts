import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { INITIAL } from '../../webview/state.ts';
import { apply } from '../../webview/store.ts';
import { says, stage } from './window.ts';

const on = stage();

it('a message that the log cannot take is one notice that says what to do', async () => {
  const window = await on.turn('Hi.', [says('Hello.'), says('Again.')]);
  const log = join(on.place.storage, 'sessions', 's1.jsonl');
  await rm(log);
  await mkdir(log);
  await window.send('Again.', 'c2');
  await window.conversation.settled();
  const told = window.messages.filter((message) => message.type === 'failure');
  expect(told.at(-1)).toMatchObject({ for: 'send', client_turn_id: 'c2', kind: 'log_conflict' });
  const shown = window.messages.reduce((state, message) => apply(state, message, 0), INITIAL);
  expect(shown.notices.map(({ message }) => message)).toEqual([
    'Something else changed or removed the log of this session. Open the session again to see what is there. Nothing after the last event shown was recorded; what was running is ended.',
  ]);
  expect(shown.session?.access).toMatchObject({ kind: 'read_only', reason: 'failed' });
  expect(shown.notices[0]?.actions.map(({ label }) => label)).toEqual(['Open again', 'Show output']);
});

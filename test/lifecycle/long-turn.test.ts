import { expect, it } from 'vitest';
import { asks, says, stage } from './window.ts';

const on = stage();

const ROUNDS = 70;

it('a turn that is longer than what is shown can be tried again', async () => {
  await on.write('a.txt', 'x\n'.repeat(ROUNDS));
  const rounds = Array.from({ length: ROUNDS }, (_, n) =>
    asks([`c${n}`, 'read_file', { path: 'a.txt', start_line: n + 1, end_line: n + 1 }]),
  );
  const window = await on.turn('Read all of it.', [...rounds, says('Second try.')], { maxRounds: ROUNDS });
  expect(window.state).toBe('failed');
  expect((await on.events()).length).toBeGreaterThan(300);
  await window.receive({ type: 'run_action', command: 'ledgerline.retryTurn' });
  expect(await window.rests()).toBe('completed');
  expect((await on.of('user_message')).map(({ text }) => text)).toEqual([
    'Read all of it.',
    'Read all of it.',
  ]);
  expect(window.failures).toEqual([]);
});

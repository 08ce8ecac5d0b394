import { expect, it } from 'vitest';
import { programTime } from '../support/program-time.ts';
import { asks, says, stage } from './window.ts';

const on = stage();
const time = programTime();

const WAITS = 'touch began; while [ ! -e go ]; do sleep 0.02; done; touch ended';

it('a window whose session was taken over ends what it runs, and looks on from then', async () => {
  await on.script(asks(['c1', 'run_command', { command: WAITS }]), says('Second.'));
  const old = await on.open({ permissionMode: 'auto' });
  await old.send('Go.');
  await expect.poll(() => on.read('began')).toBe('');
  const fresh = await on.open({ permissionMode: 'auto' });
  await fresh.receive({ type: 'take_over' });
  const lost = await time.fly(
    old.until((message) => message.type === 'failure' && message.kind === 'lease_lost'),
  );
  expect(lost).toMatchObject({ for: 'append' });
  await time.fly(
    old.until(
      (message) =>
        message.type === 'snapshot' &&
        message.access.kind === 'read_only' &&
        message.access.reason === 'held',
    ),
  );
  await on.write('go', '');
  // The command may have outlived its window by a moment: the new owner asks what became of it.
  expect(fresh.state).toBe('waiting');
  expect(await fresh.decided('c1', 'cancel')).toBe('completed');
  await time.fly(old.until((message) => message.type === 'turn_state' && message.state === 'completed'));
  expect(await on.read('ended')).toBeNull();
});

it.each(['ledgerline.retryTurn', 'ledgerline.continueTurn'])(
  'a window that only looks on answers %s with why nothing was sent',
  async (command) => {
    await on.script(says('First.'));
    const old = await on.open();
    await old.send('Go.');
    expect(await old.rests()).toBe('completed');
    const other = await on.open();
    await other.receive({ type: 'run_action', command });
    const refused = await other.until((message) => message.type === 'failure');
    expect(refused).toMatchObject({ for: 'run_action', kind: 'session_held' });
    // More than the banner says, or a page would not show it again.
    expect(refused).toMatchObject({
      message: expect.stringMatching(/open in another window.*Nothing was sent\.$/),
    });
    expect(on.requests).toHaveLength(1);
  },
);

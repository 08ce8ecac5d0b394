import { expect, it } from 'vitest';
import { nodeStorePorts } from '../../src/app/node-ports.ts';
import { forkLog } from '../../src/storage/fork-log.ts';
import { SessionStore } from '../../src/storage/session-store.ts';
import { agentStage, delegates, says } from './cast.ts';

const on = agentStage();

async function forked(): Promise<string> {
  const store = new SessionStore(
    nodeStorePorts(() => undefined),
    on.place.storage,
  );
  const fork = await forkLog(store, 's1', null);
  if (fork === null) throw new Error('nothing to fork');
  return fork.session_id;
}

it('a checkpoint in a fork tells what children of its parent came back with, as one in the parent does', async () => {
  await on.cast({
    Go: [...delegates('a', 'Done.'), ...Array.from({ length: 24 }, () => says('Yes.'))],
    a: [says(`The colour is GREEN. ${'So it is. '.repeat(400)}`)],
  });
  const window = await on.open();
  await window.turn('Go', 'go');
  for (let index = 0; index < 12; index += 1) await window.turn('Go on.', `on_${index}`);
  await window.close();
  const session = await forked();
  const fork = await on.open({}, session);
  await fork.receive({ type: 'compact', dry_run: false });
  await fork.until(
    (message) => message.type === 'append' && message.items.some(({ type }) => type === 'history_compaction'),
  );
  const checkpoint = (await on.events(session)).find(({ type }) => type === 'history_compaction');
  expect(checkpoint?.data).toMatchObject({
    summary: expect.stringContaining('ended as completed: The colour is GREEN.'),
  });
});

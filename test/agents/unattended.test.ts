import { expect, it } from 'vitest';
import { once } from '../support/headless.ts';
import { agentStage, asks, delegates, says } from './cast.ts';

const on = agentStage();

it('a single turn without anybody to ask does not hang over the question of a child', async () => {
  await on.cast({
    Go: delegates('a', 'Never.'),
    a: [asks(['x', 'write_file', { path: 'a.txt', content: 'a' }]), says('Never.')],
  });
  const { code, run } = await once(on.place, on.url(), 'Go', { set: ['permissionMode=ask'] });
  expect(code).toBe(4);
  const { child_session_id } = await on.childOf('a');
  expect(run.stderr()).toContain(child_session_id);
  expect(await on.lives()).toEqual({ a: ['spawned', 'started', 'waiting', 'detached'] });
  const own = await on.events(child_session_id);
  expect(own.findLast(({ type }) => type === 'run_status')?.data).toMatchObject({ status: 'waiting' });
});

import { expect, it } from 'vitest';
import { agentStage, asks, delegates, says } from './cast.ts';

const on = agentStage();

it('what a child changed is not undone with the turn of its parent, which says so, but in its own session', async () => {
  const window = await on.play(
    {
      Go: delegates('a', 'Done.'),
      a: [asks(['x', 'write_file', { path: 'a.txt', content: 'by the child' }]), says('Written.')],
    },
    { permissionMode: 'auto' },
  );
  expect(window.state).toBe('completed');
  expect(await on.read('a.txt')).toBe('by the child');
  const turn_id = (await on.of('user_message')).at(-1)?.turn_id ?? '';
  const preview = await window.conversation.changes.preview({ turn_id, way: 'undo' });
  expect(preview).toMatchObject({ files: [], refusals: [], children: 1 });
  await window.receive({ type: 'undo', turn_id });
  expect(window.failures).toMatchObject([
    {
      for: 'undo',
      kind: 'nothing_to_undo',
      message: 'This turn changed no file. What its subagents changed is undone in their transcripts.',
    },
  ]);
  expect(await on.read('a.txt')).toBe('by the child');

  const { child_session_id } = await on.childOf('a');
  const own = (await on.events(child_session_id)).find((event) => event.type === 'user_message');
  const child = await on.open({ permissionMode: 'auto' }, child_session_id);
  await child.receive({ type: 'undo', turn_id: own?.data.turn_id });
  expect([child.failures, await on.read('a.txt')]).toEqual([[], null]);
});

import { expect, it } from 'vitest';
import { agentStage } from './cast.ts';

const on = agentStage();

it('the offline model hands tasks to agents and waits for them', async () => {
  await on.write('a.txt', 'alpha');
  await on.write('b.txt', 'beta');
  const window = await on.open({ provider: 'offline', baseUrl: 'http://127.0.0.1:9' });
  expect(await window.turn('agent read a.txt; read b.txt')).toBe('completed');
  expect(await on.lives()).toEqual({
    'read a.txt': ['spawned', 'started', 'completed'],
    'read b.txt': ['spawned', 'started', 'completed'],
  });
  const ends = (await on.childEvents()).filter(({ event }) => event === 'finished');
  expect(ends.map(({ summary }) => summary).join()).toContain('alpha');
  expect(ends.every(({ checkpoint }) => checkpoint !== null)).toBe(true);
});

it('the offline model runs a workflow in stages, and one that holds asks', async () => {
  await on.write('a.txt', 'alpha');
  const window = await on.open({ provider: 'offline', baseUrl: 'http://127.0.0.1:9' });
  expect(await window.turn('workflow read a.txt; list then hold Which one?')).toBe('waiting');
  const [call] = await on.of('tool_call');
  await window.decide(call?.call_id ?? '', 'resume', { result: 'The first.' });
  expect(await window.rests()).toBe('completed');
  expect((await on.of('workflow_event')).at(-1)).toMatchObject({ status: 'completed', ok: true });
  const answers = await on.of('assistant_message');
  expect(answers.at(-1)?.text).toContain('The workflow ended as completed.');
});

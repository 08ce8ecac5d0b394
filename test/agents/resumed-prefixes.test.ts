import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cutTo, logText } from '../lifecycle/log-file.ts';
import { prefixLengths } from '../support/log-cuts.ts';
import { searchRuns } from '../support/search-runs.ts';
import { agentStage, asks, says } from './cast.ts';

const on = agentStage();

const STEPS = [
  { id: 'a', task: 'do a' },
  { id: 'b', task: 'do b', depends_on: ['a'] },
];

const report = (status: string, summary: string) => asks(['r', 'report_checkpoint', { status, summary }]);
const ready = (summary: string) => [report('checkpoint_ready', summary), says(summary)];

/** A workflow whose second step holds, is answered, and completes. */
async function recorded(): Promise<string> {
  const window = await on.play({
    Go: [asks(['f', 'run_workflow', { workflow: { name: 'W', steps: STEPS } }]), says('All done.')],
    'do a': ready('A'),
    'do b': [report('held', 'Which?'), says('Tell me.'), ...ready('B')],
  });
  expect(window.state).toBe('waiting');
  await window.decide('f', 'resume', { result: 'This one.' });
  expect(await window.rests()).toBe('completed');
  await window.close();
  return logText(on.place);
}

/** How often each step was started, and which are ready. */
async function stepsSoFar(): Promise<{
  readonly starts: readonly string[];
  readonly done: readonly string[];
}> {
  const told = await on.of('workflow_event');
  const those = (event: string, status?: string): readonly string[] =>
    told.flatMap((one) =>
      one.event === event && (status === undefined || one.status === status) ? [one.step_id ?? ''] : [],
    );
  return { starts: those('step_started'), done: those('checkpoint_decided', 'checkpoint_ready') };
}

async function isCompleted(): Promise<boolean> {
  const told = await on.of('workflow_event');
  return told.some(({ event, status }) => event === 'workflow_finished' && status === 'completed');
}

it(
  'from every prefix a workflow goes on to its end, and no step that is ready runs again',
  async () => {
    const whole = await recorded();
    let resumed = 0;
    for (const count of prefixLengths(whole)) {
      const where = `after ${count} lines`;
      await writeFile(join(on.place.storage, 'sessions', 's1.jsonl'), whole);
      await cutTo(on.place, count);
      const before = await stepsSoFar();
      const [started] = await on.of('workflow_event');
      if (started === undefined || (await isCompleted())) continue;
      await on.cast({
        Go: [says('All done.')],
        'do a': ready('A'),
        'do b': ready('B'),
      });
      const window = await on.open();
      if ((await window.rests()) === 'waiting') await window.decide('f', 'resume', { result: 'This one.' });
      else {
        const [told] = (await on.of('tool_result')).filter(({ call_id }) => call_id === 'f');
        expect(JSON.parse(told?.output ?? 'null'), where).toMatchObject({ workflow_id: started.workflow_id });
        const workflow = { resume: started.workflow_id };
        await window.receive({ type: 'run_workflow', client_turn_id: `again_${count}`, workflow });
        if ((await window.rests()) === 'waiting')
          await window.decide((await on.of('tool_call')).at(-1)?.call_id ?? '', 'resume', { result: 'So.' });
      }
      expect(await window.rests(), where).toBe('completed');
      expect(await isCompleted(), where).toBe(true);
      await window.close();
      const { starts } = await stepsSoFar();
      for (const id of before.done)
        expect(
          starts.filter((one) => one === id),
          `${where}: ${id}`,
        ).toEqual(before.starts.filter((one) => one === id));
      resumed += 1;
    }
    expect(resumed).toBeGreaterThan(10);
  },
  searchRuns(60_000),
);

it('one that completed in the moment before a crash is told as completed', async () => {
  await recorded();
  const events = await on.events();
  const at = events.findLastIndex(
    (one) => one.type === 'workflow_event' && one.data.event === 'workflow_finished',
  );
  await cutTo(on.place, at + 1);
  await on.cast({});
  const window = await on.open();
  await window.close();
  const [result] = (await on.of('tool_result')).filter(({ call_id }) => call_id === 'f');
  expect(JSON.parse(result?.output ?? 'null')).toMatchObject({
    ok: true,
    status: 'completed',
    steps: [
      { id: 'a', status: 'checkpoint_ready', summary: 'A' },
      { id: 'b', status: 'checkpoint_ready', summary: 'B' },
    ],
  });
});

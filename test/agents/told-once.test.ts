import { expect, it } from 'vitest';
import type { LogEvent } from '../../src/runtime/events.ts';
import { childEnds } from '../../src/runtime/extensions/child-ends.ts';
import { applyToSession, emptySession } from '../../src/runtime/session-state.ts';
import { held } from '../lifecycle/held-replies.ts';
import { SETTINGS } from '../support/session-bench.ts';
import { agentStage, asks, says, spawn, wait } from './cast.ts';

const on = agentStage();

/** How many ends a step would tell of that began where the log stops. */
function toldByStep(events: readonly LogEvent[]): number {
  const session = events.reduce(applyToSession, emptySession('s1'));
  const { turn } = session;
  if (turn === null) return 0;
  const verdict = childEnds.on?.step_start?.({ session, turn, settings: SETTINGS });
  return verdict?.record?.length ?? 0;
}

it('an end that a call beside the model is about to tell is not told by a step, too', async () => {
  const [a, streams] = [held(says('A.')), held(says('Meanwhile.'))];
  const { window, turn } = await on.begin(
    {
      Go: [
        asks(spawn('1', 'a')),
        asks(wait('w'), ['l', 'list_files', { path: null, glob: null }]),
        streams.reply,
        says('Done.'),
      ],
      a: [a.reply],
    },
    { permissions: { ask: ['wait_agent'] } },
  );
  await streams.arrived;
  await window.decide('w', 'resume');
  await window.until(
    (message) => message.type === 'tool_state' && message.call_id === 'w' && message.state === 'running',
  );
  a.release();
  streams.release();
  expect(await turn).toBe('completed');
  const log = await on.events();
  const ended = log.findIndex((one) => one.type === 'subagent_event' && one.data.event === 'finished');
  const told = log.findIndex((one) => one.type === 'tool_result' && one.data.call_id === 'w');
  expect(ended).toBeGreaterThan(0);
  expect(told).toBeGreaterThan(ended);
  expect(log.slice(ended, told).map((_, index) => toldByStep(log.slice(0, ended + index + 1)))).not.toContain(
    1,
  );
  const without = log.slice(0, ended + 1).filter(({ data }) => !('call_id' in data && data.call_id === 'w'));
  expect(toldByStep(without)).toBe(1);
});

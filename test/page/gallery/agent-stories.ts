import { AgentBench } from '../../support/agent-bench.ts';
import { asks, NOTHING, reports, run, says, spawn, wait } from '../../support/cast-provider.ts';
import { MINUTE } from '../../support/child-stories.ts';
import { fails, type Script } from '../../support/scripted-provider.ts';

/** Logs of sessions with children that took minutes, as the runtime records them on a clock that is told to go on. */

const TITLE = 'Find everything that reads the clock';
const SOURCE = 'Look for clocks in src, and say which of them tests can replace';
const TESTS = 'Look for clocks in test';

/** One child in each of the ways in which one can end, as the runtime records it. */
export async function everyAgentEnd(): Promise<readonly string[]> {
  const cast = {
    [TITLE]: [
      asks(
        spawn('c1', SOURCE, { agent: 'explorer' }),
        spawn('c2', TESTS, { agent: 'explorer' }),
        spawn('c3', 'Run the tests twice and compare the results', { agent: 'worker', timeout_ms: MINUTE }),
        spawn('c4', 'Look for clocks in docs'),
        spawn('c5', 'Look for clocks in dist'),
        spawn('c6', 'Look for clocks in media'),
        spawn('c7', 'Look for clocks in the history'),
      ),
      asks(wait('w')),
    ],
    [SOURCE]: [says('Two clocks: `login-client.ts` has its own, and `client.ts` takes one.')],
    [TESTS]: [[fails('invalid_request')]],
    '*': [NOTHING, NOTHING, NOTHING, NOTHING, NOTHING],
  };
  const bench = await new AgentBench(cast, { limits: { max_running: 8 } }).turn(TITLE);
  await bench.person(() => bench.supervisor.liveOf('agent_4')?.session?.stop() ?? Promise.resolve());
  await bench.person((desk) => desk.close('agent_5', 'Nobody needs what is built.'));
  await bench.person((desk) =>
    desk.end('agent_6', { status: 'cancelled', reason: 'The person stopped it.' }),
  );
  await bench.pass(MINUTE);
  return (await bench.crash()).log.lines;
}

/** A workflow whose steps end in all the ways in which steps can. */
export async function everyStepEnd(): Promise<readonly string[]> {
  const steps = [
    { id: 'survey', task: 'Survey it.', agent: 'explorer' },
    { id: 'port', task: 'Port it.', depends_on: ['survey'] },
    { id: 'lint', task: 'Lint it.', depends_on: ['survey'], required: false },
    { id: 'slow', task: 'Take long.', depends_on: ['survey'], timeout_ms: MINUTE, required: false },
    { id: 'ask', task: 'Ask.', depends_on: ['survey'], required: false },
    { id: 'half', task: 'Half of it.', depends_on: ['survey'], required: false },
    { id: 'after', task: 'After half.', depends_on: ['half'], required: false },
    { id: 'test', task: 'Test it.', depends_on: ['port', 'lint'] },
  ];
  const cast = {
    'Port the client': [asks(run('flow', { name: 'port the client', steps })), says('It stopped half-way.')],
    'Survey it.': reports('checkpoint_ready', 'Three files use it.'),
    'Port it.': reports('failed', 'The client has no clock.'),
    'Lint it.': reports('checkpoint_ready', 'Clean.'),
    'Take long.': [NOTHING],
    'Ask.': reports('needs_orchestrator', 'Which client?'),
    'Half of it.': reports('partial', 'Half.'),
    'After half.': reports('checkpoint_ready', 'After.'),
    'Test it.': reports('checkpoint_ready', 'Tested.'),
  };
  const bench = await new AgentBench(cast).turn('Port the client');
  return (await bench.pass(MINUTE)).log.lines;
}

/** One workflow for each way in which one can end; the last waits for a person. */
export async function everyWorkflowEnd(): Promise<readonly string[]> {
  const cast = {
    'Port the client': [
      flow('client', 'Survey it.', 'Ask which.', 'Ask when.'),
      says('It is ported; two steps were skipped.'),
      flow('server', 'Take long.'),
      says('It took too long.'),
      flow('proxy', 'Take longer.'),
      flow('cache', 'Fail.'),
      says('It failed.'),
      flow('docs', 'Ask what.'),
    ],
    'Survey it.': reports('checkpoint_ready', 'Three files use it.'),
    'Ask which.': reports('held', 'Which client?'),
    'Ask when.': reports('held', 'When?'),
    'Take long.': [NOTHING],
    'Take longer.': [NOTHING],
    'Fail.': reports('failed', 'There is no cache.'),
    'Ask what.': reports('held', 'What should be described?'),
  };
  const bench = await new AgentBench(cast).turn('Port the client');
  await bench.decide(askedBy(bench), 'resume', { skip: ['step-2', 'step-3'] });
  await (await bench.turn('And the server')).pass(10 * MINUTE);
  await (await bench.turn('And the proxy')).stop();
  await bench.turn('And the cache');
  await bench.turn('And the docs');
  return bench.log.lines;
}

function flow(id: string, ...tasks: readonly string[]): Script {
  const steps = tasks.map((task, at) => ({ id: `step-${at + 1}`, task }));
  return asks(run(id, { name: `Port the ${id}`, timeout_ms: 10 * MINUTE, steps }));
}

/** What a person is asked last. */
function askedBy({ events }: AgentBench): string {
  const asked = events.findLast(({ type, data }) => type === 'tool_call_status' && data.to === 'suspended');
  return asked?.type === 'tool_call_status' ? (asked.data.suspension?.id ?? '') : '';
}

import { AgentBench } from '../../support/agent-bench.ts';
import { asks, NOTHING, reports as scripted, run, says, spawn, wait } from '../../support/cast-provider.ts';
import { MINUTE } from '../../support/child-stories.ts';
import { ManyChildren } from '../../support/many-children.ts';
import { fails } from '../../support/scripted-provider.ts';
import type { HostMessage } from '../../../src/presenter/protocol.ts';
import type { GalleryGroup } from './gallery-state.ts';
import { begins, FILES, reads, reports, runs, runsWorkflow, spawns, waitsForAgents } from './script.ts';

const ASKED = 'Find everything that reads the clock';
const TASKS = {
  source: 'Look for clocks in src, and say which of them tests can replace',
  tests: 'Look for clocks in test',
  check: 'Run the tests twice and compare the results',
  docs: 'Look for clocks in docs',
};

function isEnd(one: HostMessage, status: string): boolean {
  return (
    one.type === 'append' &&
    one.items.some(({ type, data }) => type === 'subagent_event' && data['status'] === status)
  );
}

/** One child in each of the ways in which one can end, as the runtime records it. */
async function everyEnd(): Promise<readonly string[]> {
  const cast = {
    [ASKED]: [
      asks(
        spawn('c1', TASKS.source, { agent: 'explorer' }),
        spawn('c2', TASKS.tests, { agent: 'explorer' }),
        spawn('c3', TASKS.check, { agent: 'worker', timeout_ms: MINUTE }),
        spawn('c4', TASKS.docs),
        spawn('c5', 'Look for clocks in dist'),
        spawn('c6', 'Look for clocks in media'),
        spawn('c7', 'Look for clocks in the history'),
      ),
      asks(wait('w')),
    ],
    [TASKS.source]: [says('Two clocks: `login-client.ts` has its own, and `client.ts` takes one.')],
    [TASKS.tests]: [[fails('invalid_request')]],
    '*': [NOTHING, NOTHING, NOTHING, NOTHING, NOTHING],
  };
  const bench = await new AgentBench(cast, { limits: { max_running: 8 } }).turn(ASKED);
  await bench.person(() => bench.supervisor.liveOf('agent_4')?.session?.stop() ?? Promise.resolve());
  await bench.person((desk) => desk.close('agent_5', 'Nobody needs what is built.'));
  await bench.person((desk) =>
    desk.end('agent_6', { status: 'cancelled', reason: 'The person stopped it.' }),
  );
  await bench.pass(MINUTE);
  return (await bench.crash()).log.lines;
}

/** A workflow whose steps end in all the ways in which steps can. */
async function everyStep(): Promise<readonly string[]> {
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
    'Survey it.': scripted('checkpoint_ready', 'Three files use it.'),
    'Port it.': scripted('failed', 'The client has no clock.'),
    'Lint it.': scripted('checkpoint_ready', 'Clean.'),
    'Take long.': [NOTHING],
    'Ask.': scripted('needs_orchestrator', 'Which client?'),
    'Half of it.': scripted('partial', 'Half.'),
    'After half.': scripted('checkpoint_ready', 'After.'),
    'Test it.': scripted('checkpoint_ready', 'Tested.'),
  };
  const bench = await new AgentBench(cast).turn('Port the client');
  return (await bench.pass(MINUTE)).log.lines;
}

const STEPS = [
  { id: 'survey', task: 'Survey the callers', agent: 'explorer' },
  { id: 'port-client', task: 'Port the client', depends_on: ['survey'] },
  { id: 'port-server', task: 'Port the server', depends_on: ['survey'] },
  { id: 'docs', task: 'Describe the change', depends_on: ['survey'], required: false },
  { id: 'test', task: 'Test both ends', depends_on: ['port-client', 'port-server'] },
];
const SURVEYED = reports('checkpoint_ready', 'Three files use it.');

export const AGENTS: GalleryGroup = {
  title: 'Agents and workflows',
  states: [
    {
      name: 'agents-at-work',
      title: 'Agents at work: working, waiting, queued, completed',
      files: FILES,
      settings: { 'ledgerline.subagents.maxRunning': 2 },
      model: {
        [ASKED]: [
          { text: 'Four agents look.', calls: Object.values(TASKS).map((task) => spawns(task, 'worker')) },
          { calls: [waitsForAgents()] },
        ],
        [TASKS.source]: [{ text: 'Two clocks: `login-client.ts` has its own.' }],
        [TASKS.tests]: [{ calls: [reads('test/login.test.js')] }, begins('The tests have')],
        [TASKS.check]: [{ calls: [runs('node test/login.test.js && node test/login.test.js')] }],
        [TASKS.docs]: [begins('The docs')],
      },
      prepare: async ({ page }) => {
        await page.send(ASKED);
        await page.childrenAsk(1);
        await page.until('an end', (one) => isEnd(one, 'completed'));
      },
      look: '.agent[data-state="queued"]',
    },
    {
      name: 'agents-every-end',
      title: 'Agents, ended in every way',
      prepare: async (stage) => stage.openLog(await everyEnd()),
      look: '.agent[data-state="detached"]',
    },
    {
      name: 'agents-many',
      title: 'Many agents, one line each',
      settings: { 'ledgerline.subagents.maxRunning': 24 },
      model: new ManyChildren(24).reply,
      prepare: async ({ page }) => {
        await page.send('Send them all');
        await page.until('the last', (one) => one.type === 'children' && one.items.length > 0);
      },
      look: '.agent-list .agent[data-state="running"]',
    },
    {
      name: 'agent-transcript',
      title: 'The transcript of an agent, in a tab of its own',
      files: FILES,
      model: {
        [ASKED]: [
          { calls: [spawns(TASKS.source)] },
          { calls: [waitsForAgents()] },
          { text: 'There are two.' },
        ],
        [TASKS.source]: [{ calls: [reads('src/session/login-client.ts')] }, { text: 'Two clocks.' }],
      },
      prepare: async ({ page, window }) => {
        await page.turn(ASKED, 'completed');
        const ended = await page.until('an end', (one) => isEnd(one, 'completed'));
        const data =
          ended.type === 'append' ? ended.items.find(({ type }) => type === 'subagent_event')?.data : {};
        await window.vscode.run('ledgerline.openAgent', data?.['child_session_id']);
      },
      tab: true,
      look: '.parent',
    },
    {
      name: 'workflow-at-work',
      title: 'A workflow at work',
      files: FILES,
      model: {
        'Port the login': [{ calls: [runsWorkflow({ name: 'Port the login', steps: STEPS })] }],
        'Survey the callers': SURVEYED,
        'Describe the change': reports('checkpoint_ready', 'Described.'),
        'Port the client': [begins('Porting')],
        'Port the server': [{ calls: [runs('git mv src/server.ts src/session/server.ts')] }],
      },
      prepare: async ({ page }) => {
        await page.send('Port the login');
        await page.childrenAsk(1);
      },
      look: '.workflow[data-state="waiting"] .step',
    },
    {
      name: 'workflow-completed',
      title: 'A workflow that is completed',
      files: FILES,
      model: {
        'Port the login': [
          { calls: [runsWorkflow({ name: 'Port the login', steps: STEPS })] },
          { text: 'Both ends are ported and tested.' },
        ],
        'Survey the callers': SURVEYED,
        'Describe the change': reports('checkpoint_ready', 'Described.'),
        'Port the client': reports('checkpoint_ready', 'Ported.'),
        'Port the server': reports('checkpoint_ready', 'Ported.'),
        'Test both ends': reports('checkpoint_ready', 'All pass.'),
      },
      prepare: ({ page }) => page.turn('Port the login', 'completed'),
      look: '.workflow[data-state="completed"] .step',
    },
    {
      name: 'workflow-held',
      title: 'A workflow that is held, and asks how to go on',
      files: FILES,
      model: {
        'Port the login': [{ calls: [runsWorkflow({ name: 'Port the login', steps: STEPS })] }],
        'Survey the callers': SURVEYED,
        'Describe the change': reports('checkpoint_ready', 'Described.'),
        'Port the client': reports('checkpoint_ready', 'Ported.'),
        'Port the server': reports('held', 'Which of the two servers should be ported first?'),
      },
      prepare: async ({ page }) => {
        await page.send('Port the login');
        await page.turnIn('waiting');
      },
      look: '.step[data-state="held"]',
    },
    {
      name: 'workflow-every-step',
      title: 'A workflow whose steps ended in every way',
      prepare: async (stage) => stage.openLog(await everyStep()),
      look: '.step[data-state="not_run"], .step[data-state="skipped"]',
    },
  ],
};

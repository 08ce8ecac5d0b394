import { ManyChildren } from '../../support/many-children.ts';
import type { HostMessage } from '../../../src/presenter/protocol.ts';
import { everyAgentEnd, everyStepEnd, everyWorkflowEnd } from './agent-stories.ts';
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
      title: 'Agents: every way to end',
      prepare: async (stage) => stage.openLog(await everyAgentEnd()),
      height: 1100,
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
      title: 'An agent transcript in its own tab',
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
      title: 'A running workflow',
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
      title: 'A completed workflow',
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
      title: 'A paused workflow asks how to continue',
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
      title: 'A workflow: every way for a step to end',
      prepare: async (stage) => stage.openLog(await everyStepEnd()),
      height: 900,
      look: '.step[data-state="not_run"]',
    },
    {
      name: 'workflows-every-end',
      title: 'Workflows: every way to end',
      prepare: async (stage) => stage.openLog(await everyWorkflowEnd()),
      height: 1900,
      look: '.workflow[data-state="held"]',
    },
  ],
};

import { ANSWER } from '../scenes/appearance-scenes.ts';
import { apiError } from '../../support/responses-server/reply.ts';
import type { GalleryGroup } from './gallery-state.ts';
import {
  AUTO,
  begins,
  breaksOff,
  FILES,
  FIX_CLOCK,
  reads,
  REFUSED_KEY,
  runs,
  searches,
  usage,
  writes,
} from './script.ts';

const ASKED = 'Why does login.test.ts fail on CI?';
const THOUGHT = { summary: ['The test fails only on CI, so the clock is the likely cause.'] };
const LOOKS = {
  reasoning: THOUGHT,
  calls: [reads('src/session/login-client.ts'), reads('src/session/client.ts'), searches('Date.now')],
  usage: usage(9_000),
};

export const TURNS: GalleryGroup = {
  title: 'Turns',
  states: [
    {
      name: 'turn-running',
      title: 'Running: an answer streams in',
      files: FILES,
      model: [
        LOOKS,
        begins('The clock is mocked after the client is built, so the client keeps the real one. '),
      ],
      prepare: async ({ page }) => {
        await page.send(ASKED);
        await page.until('text', (one) => one.type === 'delta');
      },
      look: 'article[data-state="running"] .answer',
    },
    {
      name: 'turn-running-command',
      title: 'Running: a command and its output so far',
      settings: AUTO,
      prepare: async ({ page }) => {
        await page.send('run seq 3; sleep 600');
        await page.until(
          'output',
          (one) => one.type === 'tool_state' && one.progress?.includes('3') === true,
        );
      },
      look: 'article[data-state="running"] .progress',
    },
    {
      name: 'turn-thinking',
      title: 'Running: thinking',
      model: [
        begins(
          '',
          'The test fails only on CI, so the clock is the likely cause. I look at the client first.',
        ),
      ],
      prepare: async ({ page }) => {
        await page.send(ASKED);
        await page.until('a thought', (one) => one.type === 'delta');
      },
      look: 'article[data-state="running"] .thought',
    },
    {
      name: 'turn-retrying',
      title: 'Running: the provider asked to wait',
      model: [
        apiError(
          429,
          { message: 'Rate limit reached.', code: 'rate_limit_exceeded' },
          { 'retry-after': '50' },
        ),
      ],
      prepare: async ({ page }) => {
        await page.send(ASKED);
        await page.until(
          'a retry',
          (one) => one.type === 'turn_state' && /again/u.test(one.activity?.text ?? ''),
        );
      },
      look: 'article[data-state="running"] .state',
      says: 'trying again',
    },
    {
      name: 'turn-waiting',
      title: 'Waiting for a decision',
      files: FILES,
      model: [LOOKS, { text: 'One line is wrong.', calls: [FIX_CLOCK] }],
      prepare: async ({ page }) => {
        await page.send(ASKED);
        await page.turnIn('waiting');
      },
      look: 'article[data-state="waiting"] .call',
      says: 'Search',
    },
    {
      name: 'turn-completed',
      title: 'Completed',
      files: FILES,
      model: [LOOKS, { text: ANSWER, usage: usage(12_400) }],
      prepare: ({ page }) => page.turn(ASKED, 'completed'),
      look: 'article[data-state="completed"] .evidence',
      says: '3 calls',
    },
    {
      name: 'turn-completed-evidence',
      title: 'Completed, with the evidence expanded',
      files: FILES,
      settings: AUTO,
      model: [
        { calls: [FIX_CLOCK, writes('docs/clock.md', '# The clock\n\nIt is given.\n')] },
        { calls: [runs('node test/login.test.js'), runs('node test/logout.test.js')] },
        { text: 'The client takes its clock now.', usage: usage(12_400) },
      ],
      prepare: ({ page }) => page.turn('Fix the flaky login test', 'completed'),
      acts: [{ press: '.evidence > .disclosure' }],
      look: '.evidence-details .fact-command',
    },
    {
      name: 'turn-completed-check-failed',
      title: 'Completed, but the last check failed',
      files: FILES,
      settings: AUTO,
      model: [
        { calls: [FIX_CLOCK] },
        { calls: [runs('node test/login.test.js')] },
        { text: 'One test still fails: it needs a Monday.', usage: usage(12_400) },
      ],
      prepare: ({ page }) => page.turn('Fix the flaky login test', 'completed'),
      look: 'article[data-state="completed"] .evidence',
      says: '1 failed',
    },
    {
      name: 'turn-partial-failed',
      title: 'Stopped early: a partial answer',
      model: [breaksOff('The clock is mocked after the client is built, so the client keeps the')],
      prepare: ({ page }) => page.turn(ASKED, 'partial_failed'),
      look: 'article[data-state="partial_failed"]',
    },
    {
      name: 'turn-failed',
      title: 'Failed: the key was refused',
      model: [REFUSED_KEY],
      prepare: ({ page }) => page.turn(ASKED, 'failed'),
      look: 'article[data-state="failed"]',
      says: 'did not accept the API key',
    },
    {
      name: 'turn-interrupted',
      title: 'Interrupted by the user',
      model: [begins('The clock is mocked after')],
      prepare: async ({ page }) => {
        await page.send(ASKED);
        await page.until('text', (one) => one.type === 'delta');
        page.stop();
        await page.turnIn('interrupted');
      },
      look: 'article[data-state="interrupted"]',
    },
    {
      name: 'turn-superseded',
      title: 'Interrupted by the next message',
      model: [
        begins('The clock is mocked after'),
        { text: 'Then I look at the server.', usage: usage(9_200) },
      ],
      prepare: async ({ page }) => {
        await page.send(ASKED);
        await page.until('text', (one) => one.type === 'delta');
        await page.turn('Look at the server instead.', 'completed');
      },
      look: 'article[data-state="interrupted"] + article[data-state="completed"]',
    },
    {
      name: 'turn-timed-out',
      title: 'Timed out',
      settings: { 'ledgerline.turnTimeout': 1 },
      model: [begins('The clock is mocked after')],
      prepare: ({ page }) => page.turn(ASKED, 'timed_out'),
      look: 'article[data-state="timed_out"]',
    },
    {
      name: 'turn-stopped-by-rounds',
      title: 'Stopped at the round limit',
      files: FILES,
      settings: { 'ledgerline.maxRounds': 1 },
      model: [LOOKS, LOOKS],
      prepare: async ({ page }) => {
        await page.send(ASKED);
        await page.until('an end', (one) => one.type === 'turn_state' && one.state !== 'running');
      },
      look: 'article[data-state="failed"]',
      says: 'limit of 1 rounds',
    },
  ],
};

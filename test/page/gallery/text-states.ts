import { ANSWER, MARKDOWN, readCall } from '../scenes/appearance-scenes.ts';
import { RTL_ANSWER, RTL_ITEM, RTL_PROMPT, RTL_QUOTE } from '../scenes/view-scenes.ts';
import type { GalleryGroup } from './gallery-state.ts';
import { AUTO, begins, FILES, FIX_CLOCK, plans, reads, REFUSED_KEY, runs, usage } from './script.ts';

const WIDE = `| Test | Before | After | What changed | Who noticed | Where it is described |
|:--|--:|:-:|--|--|--|
| login | 12 % | 0 % | builds the client after the mock | CI | docs/clock.md |
| logout | 3 % | 0 % | nothing | nobody | nowhere |

https://login.example.org/v1/sessions/0123456789abcdef0123456789abcdef/expiry?started=now

\`src/session/a-very-long-name-that-does-not-fit-into-a-side-bar-of-any-usual-width.ts\``;

export const TEXTS: GalleryGroup = {
  title: 'Text',
  states: [
    {
      name: 'text-markdown',
      title: 'Markdown: headings, lists, links, a table',
      files: FILES,
      model: [{ text: MARKDOWN[0], usage: usage(9_000) }],
      prepare: ({ page }) => page.turn('Why is the test flaky?', 'completed'),
      look: '.answer table',
    },
    {
      name: 'text-code',
      title: 'Markdown: code blocks',
      files: FILES,
      model: [{ text: MARKDOWN[1], usage: usage(9_000) }],
      prepare: ({ page }) => page.turn('Show me the fix', 'completed'),
      look: '.answer pre',
      says: 'retries',
    },
    {
      name: 'text-wide',
      title: 'Markdown wider than the view',
      model: [{ text: WIDE, usage: usage(9_000) }],
      prepare: ({ page }) => page.turn('Compare them', 'completed'),
      look: '.answer table',
      says: 'Where it is described',
    },
    {
      name: 'text-thought',
      title: 'Thoughts, expanded',
      model: [
        {
          reasoning: {
            summary: [
              '**Looking at the clock**\n\nThe test fails only on CI.',
              'So the clock is the likely cause.',
            ],
          },
          text: 'The clock is mocked too late.',
          usage: usage(9_000),
        },
      ],
      prepare: ({ page }) => page.turn('Why is the test flaky?', 'completed'),
      acts: [{ press: '.thought > summary' }],
      look: '.thought[open]',
    },
    {
      name: 'text-calls-opened',
      title: 'Tool calls, expanded',
      files: FILES,
      settings: AUTO,
      model: [
        { calls: [reads('src/session/client.ts'), readCall('call_missing', 'src/session/missing.ts')] },
        { calls: [runs('node test/login.test.js')] },
        { text: 'One test fails.', usage: usage(9_000) },
      ],
      prepare: ({ page }) => page.turn('Look at the client', 'completed'),
      acts: [
        { press: '.call-toggle[aria-expanded="false"]' },
        { press: '.call-toggle[aria-expanded="false"]' },
      ],
      look: '.call-body',
    },
    {
      name: 'text-long-prompt',
      title: 'A long prompt, collapsed',
      model: [{ text: 'That is a long list.', usage: usage(9_000) }],
      prepare: ({ page }) =>
        page.turn(
          Array.from({ length: 60 }, (_, at) => `${at + 1}. Look at part ${at + 1}.`).join('\n'),
          'completed',
        ),
      look: '.prompt .link-button',
    },
    {
      name: 'text-plan',
      title: 'A plan in progress',
      files: FILES,
      settings: AUTO,
      model: [
        {
          text: 'This is my plan.',
          calls: [
            plans(
              ['Find out which clock the client uses', 'completed'],
              ['Give the client the clock of the test, where there is one', 'in_progress'],
              ['Run the tests', 'pending'],
            ),
          ],
        },
        { calls: [FIX_CLOCK] },
        begins('The client takes its clock now. '),
      ],
      prepare: async ({ page }) => {
        await page.send('Fix the flaky login test');
        await page.until('text', (one) => one.type === 'delta' && one.text.includes('takes'));
      },
      look: '.plan .plan-step',
    },
    {
      name: 'text-german',
      title: 'German: an approval',
      language: 'de',
      files: FILES,
      model: [
        { calls: [reads('src/session/client.ts')] },
        { text: 'Eine Zeile ist falsch.', calls: [FIX_CLOCK] },
      ],
      prepare: async ({ page }) => {
        await page.send('Warum schlägt login.test.ts fehl?');
        await page.waits(1);
      },
      look: '.decision',
      says: 'Genehmigen',
    },
    {
      name: 'text-german-ends',
      title: 'German: completed and failed',
      language: 'de',
      files: FILES,
      settings: AUTO,
      model: [
        { calls: [FIX_CLOCK, runs('node test/login.test.js')] },
        { text: ANSWER, usage: usage(9_000) },
        REFUSED_KEY,
      ],
      prepare: async ({ page }) => {
        await page.turn('Warum schlägt login.test.ts fehl?', 'completed');
        await page.turn('Und jetzt?', 'failed');
      },
      look: 'article[data-state="failed"]',
      says: 'Fehlgeschlagen',
    },
    {
      name: 'text-right-to-left',
      title: 'Right to left',
      model: [
        {
          text: `${RTL_ANSWER}\n\nAnd then in English.\n\n- ${RTL_ITEM}\n\n> ${RTL_QUOTE}`,
          usage: usage(9_000),
        },
      ],
      prepare: ({ page }) => page.turn(RTL_PROMPT, 'completed'),
      look: '.answer blockquote',
    },
  ],
};

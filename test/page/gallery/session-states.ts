import { ANSWER, readCall } from '../scenes/appearance-scenes.ts';
import { damaged } from '../../e2e/diagnostics-scenes.ts';
import { VIEW_SCENES } from '../scenes/view-scenes.ts';
import { storeIn } from '../../bench/place.ts';
import { benchSession } from '../../bench/rounds.ts';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { GalleryGroup } from './gallery-state.ts';
import type { Stage } from './stage.ts';
import { AUTO, FILES, FIX_CLOCK, usage, writes } from './script.ts';

const LONG_SESSION = 600;
const EDITS = [
  { calls: [FIX_CLOCK, writes('docs/clock.md', '# The clock\n\nIt is given.\n')] },
  { text: 'The client takes its clock now.', usage: usage(9_000) },
];

/** A turn that changed two files, and what then becomes of an undo of it. */
async function undone(stage: Stage, before: () => Promise<void> = async () => undefined): Promise<void> {
  const { page } = stage;
  await page.turn('Fix the flaky login test', 'completed');
  await before();
  const undo = page.next('the undo', (one) => one.type === 'append');
  page.say({ type: 'undo', turn_id: page.turn_id });
  await undo;
  await page.answered();
}

export const SESSIONS: GalleryGroup = {
  title: 'Sessions',
  states: [
    {
      name: 'empty-no-key',
      title: 'Empty: no API key',
      model: 'no_key',
      look: '.empty .choice',
    },
    {
      name: 'empty-key',
      title: 'Empty: API key set',
      model: [],
      look: '.empty button',
      says: 'What does this project do',
    },
    {
      name: 'empty-offline',
      title: 'Empty: offline model',
      look: '.empty button',
      says: 'help',
    },
    {
      name: 'empty-no-folder',
      title: 'Empty: no folder open',
      files: null,
      look: '.access .banner',
      says: 'No folder is open',
    },
    {
      name: 'empty-untrusted',
      title: 'Empty: restricted mode',
      trusted: false,
      look: '.access .banner',
      says: 'Restricted mode',
    },
    {
      name: 'session-loading',
      title: 'Checking the log of a session',
      look: '.access .banner',
      says: 'Checking the log',
      told: { why: 'it is over before anybody can look', messages: () => VIEW_SCENES.loading },
    },
    {
      name: 'session-held',
      title: 'A session open in another window',
      files: FILES,
      model: [{ calls: [readCall('call_1', 'notes.txt')] }, { text: ANSWER, usage: usage(9_000) }],
      prepare: async (stage) => {
        await stage.page.turn('Why does login.test.ts fail on CI?', 'completed');
        await stage.secondWindow();
      },
      look: '.banner[aria-label="Read-only"]',
      says: 'open in another window',
    },
    {
      name: 'session-damaged',
      title: 'A session with a damaged log',
      prepare: (stage) => stage.openLog(damaged().lines),
      look: '.banner[aria-label="Read-only"]',
      says: 'is damaged',
    },
    {
      name: 'session-imported',
      title: 'An imported session',
      prepare: (stage) => stage.openLog(damaged().lines.slice(0, 3), 'imported-0123456789abcdef'),
      look: '.banner[aria-label="Read-only"]',
      says: 'imported from a bundle',
    },
    {
      name: 'session-fork',
      title: 'A fork with a summary of what it left out',
      files: FILES,
      model: [
        { text: ANSWER, usage: usage(9_000) },
        { text: 'The server has a clock of its own.', usage: usage(9_400) },
      ],
      prepare: async ({ page }) => {
        await page.turn('Why does login.test.ts fail on CI?', 'completed');
        const at_seq = page.last_seq;
        await page.turn('And the server?', 'completed');
        page.say({ type: 'fork', at_seq, summary: true });
        await page.next('the fork', (one) => one.type === 'snapshot' && one.fork !== undefined);
      },
      look: '.mark',
    },
    {
      name: 'session-long',
      title: 'A long session, showing only its end',
      prepare: async (stage) => {
        const session = await benchSession(storeIn(stage.window.storage), 'long');
        while (session.events() < LONG_SESSION) await session.turn(15);
        await session.close();
        await stage.openSession('long');
      },
      look: '.log .more',
    },
    {
      name: 'undo-done',
      title: 'An undone turn',
      files: FILES,
      settings: AUTO,
      model: EDITS,
      prepare: (stage) => undone(stage),
      acts: [{ press: '.evidence > .disclosure' }],
      look: '.fact[data-standing="undone"]',
    },
    {
      name: 'undo-refused',
      title: 'An undo that skipped a file changed since',
      files: FILES,
      settings: AUTO,
      model: EDITS,
      prepare: (stage) =>
        undone(stage, () =>
          writeFile(path.join(stage.workspace, 'docs', 'clock.md'), '# The clock\n\nMine.\n'),
        ),
      acts: [{ press: '.evidence > .disclosure' }],
      look: '.fact-note',
    },
  ],
};

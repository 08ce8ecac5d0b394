import { VIEW_SCENES } from '../scenes/view-scenes.ts';
import { apiError } from '../../support/responses-server/reply.ts';
import type { GalleryGroup, GalleryState } from './gallery-state.ts';
import type { Stage } from './stage.ts';
import { usage } from './script.ts';

const WINDOW = { 'ledgerline.contextWindow': 1000 } as const;
const LONG = 'An answer of some length, so that there is something to sum up. '.repeat(8);

function meter(percent: number, name: string, title: string, more: Partial<GalleryState> = {}): GalleryState {
  return {
    name,
    title,
    settings: WINDOW,
    model: [{ text: LONG, usage: usage(percent * 10) }],
    prepare: ({ page }) => page.turn('What fills the window?', 'completed'),
    look: '.meter-button',
    ...more,
  };
}

/** So many turns that there is something to compact, and then a person has it done. */
async function compacted({ page }: Stage): Promise<void> {
  for (let at = 1; at <= 12; at += 1) await page.turn(`Question ${at}?`, 'completed');
  page.say({ type: 'compact' });
  await page.until(
    'a checkpoint',
    (one) => one.type === 'append' && one.items.some(({ type }) => type === 'history_compaction'),
  );
}

const ANSWERS = Array.from({ length: 13 }, () => ({ text: LONG, usage: usage(720) }));

function failing(about: Pick<GalleryState, 'name' | 'title' | 'says' | 'settings' | 'model'>): GalleryState {
  return {
    prepare: ({ page }) => page.turn('Why does login.test.ts fail on CI?', 'failed'),
    look: 'article[data-state="failed"]',
    ...about,
  };
}

export const CONTEXT: GalleryGroup = {
  title: 'Meter and checkpoints',
  states: [
    meter(0, 'meter-unknown', 'Meter: context window unknown', {
      settings: { 'ledgerline.model': 'house-model' },
      look: 'main:has(article[data-state="completed"]) ~ .composer .meter-button',
      says: '– %',
    }),
    meter(38, 'meter-estimated', 'Meter: estimated, the provider counted nothing', {
      settings: { 'ledgerline.contextWindow': 8000 },
      model: [{ text: LONG, usage: null }],
      says: '~',
    }),
    meter(38, 'meter-calm', 'Meter: 38 %', { says: '38 %' }),
    meter(38, 'meter-opened', 'Meter: expanded', {
      acts: [{ press: '.meter-button' }],
      look: '#context-panel',
    }),
    meter(72, 'meter-advisory', 'Meter: advisory, 72 %', { look: '.notice', says: '72 %' }),
    meter(86, 'meter-warning', 'Meter: warning, 86 %', { look: '.notice', says: '86 %' }),
    meter(93, 'meter-critical', 'Meter: critical, 93 %', { look: '.notice', says: '93 %' }),
    {
      name: 'checkpoint',
      title: 'A checkpoint and its notice',
      settings: WINDOW,
      model: ANSWERS,
      prepare: compacted,
      look: '.checkpoint',
    },
    {
      name: 'checkpoint-opened',
      title: 'A checkpoint, expanded',
      settings: WINDOW,
      model: ANSWERS,
      prepare: compacted,
      acts: [{ press: '.checkpoint .disclosure' }],
      look: '.checkpoint .evidence-details',
    },
    {
      name: 'checkpoint-recovery',
      title: 'A checkpoint that freed space for a request',
      look: '.checkpoint',
      says: 'before the next request',
      told: {
        why: 'it would take a provider that refuses a request in the middle of a long turn',
        messages: () => VIEW_SCENES.checkpoint,
      },
    },
  ],
};

export const NOTICES: GalleryGroup = {
  title: 'Notices and errors',
  states: [
    {
      name: 'notice-failure',
      title: 'An action failed',
      prepare: async ({ page }) => {
        page.say({ type: 'fork' });
        await page.until('a failure', (one) => one.type === 'failure');
      },
      look: '.notice[data-level="error"]',
    },
    {
      name: 'notice-info',
      title: 'An action was not needed',
      prepare: async ({ page }) => {
        await page.turn('read notes.txt', 'completed');
        page.say({ type: 'compact' });
        await page.until('a failure', (one) => one.type === 'failure');
      },
      look: '.notice[data-level="info"]',
      says: 'nothing to compact',
    },
    {
      name: 'notices-several',
      title: 'Several notices above a conversation',
      look: '.notice + .notice',
      told: { why: 'it would take a failing disk', messages: () => VIEW_SCENES.notices },
    },
    failing({
      name: 'error-model',
      title: 'Failed: no such model',
      settings: { 'ledgerline.model': 'gpt-6-ultra' },
      model: [apiError(404, { message: 'The model `gpt-6-ultra` does not exist.', code: 'model_not_found' })],
      says: 'does not know this model',
    }),
    failing({
      name: 'error-quota',
      title: 'Failed: quota used up',
      model: [
        apiError(429, {
          message: 'You exceeded your current quota.',
          code: 'insufficient_quota',
          type: 'insufficient_quota',
        }),
      ],
      says: 'no quota left',
    }),
    failing({
      name: 'error-unreachable',
      title: 'Failed: the provider is unreachable',
      model: Array.from({ length: 6 }, () => ({ kind: 'drop' as const })),
      says: 'could not be reached',
    }),
    {
      name: 'error-view',
      title: 'The view failed',
      look: '.view-fault',
      told: {
        why: 'only a bug would show it',
        messages: () => [{ ...VIEW_SCENES.empty[0], items: [null] } as never],
      },
    },
  ],
};

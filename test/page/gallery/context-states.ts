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

function failing(
  name: string,
  title: string,
  settings: object,
  model: GalleryState['model'] & object,
): GalleryState {
  return {
    name,
    title,
    settings: { ...settings },
    model,
    prepare: ({ page }) => page.turn('Why does login.test.ts fail on CI?', 'failed'),
    look: 'article[data-state="failed"] .actions',
  };
}

export const CONTEXT: GalleryGroup = {
  title: 'Meter and checkpoints',
  states: [
    {
      ...meter(0, 'meter-unknown', 'Meter: nothing is known'),
      model: [{ text: LONG, usage: null }],
      settings: {},
    },
    meter(38, 'meter-calm', 'Meter: 38 %'),
    meter(38, 'meter-opened', 'Meter: opened', {
      acts: [{ press: '.meter-button' }],
      look: '#context-panel',
    }),
    meter(72, 'meter-advisory', 'Meter: advisory, 72 %', { look: '.notice' }),
    meter(86, 'meter-warning', 'Meter: warning, 86 %', { look: '.notice' }),
    meter(93, 'meter-critical', 'Meter: critical, 93 %', { look: '.notice[data-level="warning"]' }),
    {
      name: 'checkpoint',
      title: 'A checkpoint, with the notice of it',
      settings: WINDOW,
      model: ANSWERS,
      prepare: compacted,
      look: '.checkpoint',
    },
    {
      name: 'checkpoint-opened',
      title: 'A checkpoint, opened',
      settings: WINDOW,
      model: ANSWERS,
      prepare: compacted,
      acts: [{ press: '.checkpoint .disclosure' }],
      look: '.checkpoint .evidence-details',
    },
    {
      name: 'checkpoint-recovery',
      title: 'A checkpoint that made room for a request',
      look: '.checkpoint + .answer, .checkpoint',
      told: {
        why: 'a provider has to refuse a request in the middle of a long turn',
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
      title: 'Something that could not be done',
      prepare: async ({ page }) => {
        page.say({ type: 'fork' });
        await page.until('a failure', (one) => one.type === 'failure');
      },
      look: '.notice[data-level="error"]',
    },
    {
      name: 'notice-info',
      title: 'Something that need not be done',
      prepare: async ({ page }) => {
        await page.turn('read notes.txt', 'completed');
        page.say({ type: 'compact' });
        await page.until('a failure', (one) => one.type === 'failure');
      },
      look: '.notice[data-level="info"]',
    },
    {
      name: 'notices-several',
      title: 'Several notices over a conversation',
      look: '.notice + .notice',
      told: { why: 'a disk has to fail', messages: () => VIEW_SCENES.notices },
    },
    failing('error-model', 'Failed: no such model', { 'ledgerline.model': 'gpt-6-ultra' }, [
      apiError(404, { message: 'The model `gpt-6-ultra` does not exist.', code: 'model_not_found' }),
    ]),
    failing('error-quota', 'Failed: no quota is left', {}, [
      apiError(429, {
        message: 'You exceeded your current quota.',
        code: 'insufficient_quota',
        type: 'insufficient_quota',
      }),
    ]),
    failing(
      'error-unreachable',
      'Failed: the provider cannot be reached',
      {},
      Array.from({ length: 6 }, () => ({ kind: 'drop' as const })),
    ),
    {
      name: 'error-view',
      title: 'The view itself failed',
      look: '.view-fault',
      told: {
        why: 'no host sends it: it stands for a bug',
        messages: () => [{ ...VIEW_SCENES.empty[0], items: [null] } as never],
      },
    },
  ],
};

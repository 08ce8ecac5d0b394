import { readFileSync } from 'node:fs';
import { projectPath } from '../../../src/dev/project.mjs';
import type { GalleryGroup } from './gallery-state.ts';
import type { Onlooker } from './onlooker.ts';
import { begins, FILES, usage } from './script.ts';

const SKILL = `---
name: review
description: Looks at a change the way a careful colleague would, and says what is missing.
---
Look twice.
`;

const PICTURE = { kind: 'image', label: 'login.png', mime: 'image/png' };

function attached(): readonly object[] {
  const data = readFileSync(projectPath('media', 'icon.png')).toString('base64');
  return [
    { kind: 'file', path: 'src/session/login-client.ts', label: 'login-client.ts' },
    { kind: 'selection', path: 'src/session/client.ts', label: 'client.ts:1-2', start_line: 1, end_line: 2 },
    { kind: 'folder', path: 'test', label: 'test' },
    { ...PICTURE, data },
  ];
}

async function draft(page: Onlooker, text: string, attachments: readonly object[] = []): Promise<void> {
  page.say({
    type: 'draft',
    session_id: page.session_id,
    text,
    attachments: attachments.map((one, at) => ({ ...one, id: `a${at}` })) as never,
    at: Date.now(),
  });
  await page.answered();
}

export const COMPOSER: GalleryGroup = {
  title: 'Composer',
  states: [
    {
      name: 'composer-attachments',
      title: 'Attachments of a draft',
      files: FILES,
      prepare: ({ page }) => draft(page, 'Why does this fail on CI?', attached()),
      look: '.composer .chip',
    },
    {
      name: 'composer-sent-attachments',
      title: 'Attachments of a sent message',
      files: FILES,
      model: [{ text: 'The clock is mocked too late.', usage: usage(9_000) }],
      prepare: async ({ page }) => {
        await page.send('Why does this fail on CI?', attached());
        await page.turnIn('completed');
      },
      look: '.prompt .chip',
    },
    {
      name: 'composer-long',
      title: 'A long draft',
      prepare: ({ page }) =>
        draft(page, Array.from({ length: 14 }, (_, at) => `Line ${at + 1} of what is asked.`).join('\n')),
      look: '.composer .send:not(:disabled)',
    },
    {
      name: 'composer-mention',
      title: 'Attachment menu',
      files: FILES,
      acts: [{ write: '@', into: '.composer textarea' }],
      look: '.composer [role="option"]',
    },
    {
      name: 'composer-commands',
      title: 'Commands and skills',
      files: { ...FILES, '.agents/skills/review/SKILL.md': SKILL },
      acts: [{ write: '/', into: '.composer textarea' }],
      look: '.composer [role="option"]',
      says: '/review',
    },
    {
      name: 'composer-doubt',
      title: 'Unknown command',
      files: { '.agents/skills/review/SKILL.md': SKILL },
      acts: [
        { write: '/rev', into: '.composer textarea' },
        // From here on the page knows the skills.
        { await: '.composer [role="option"]' },
        { write: '/revew this', into: '.composer textarea' },
        { press: '.composer .send:not(:disabled)' },
      ],
      look: '.doubt',
    },
    {
      name: 'composer-interrupts',
      title: 'A draft that would interrupt the answer',
      model: [begins('The clock is mocked after the client is built. ')],
      prepare: async ({ page }) => {
        await page.send('Why does login.test.ts fail on CI?');
        await page.until('text', (one) => one.type === 'delta');
        await draft(page, 'Look at the server instead.');
      },
      look: '.composer .hint:not([hidden])',
    },
  ],
};

import { expect, it } from 'vitest';
import { says, stage } from './window.ts';

const on = stage();

it('where drafts are not kept, that is what is said, and nothing is written', async () => {
  await on.script(says('Hello.'));
  const window = await on.open();
  await window.receive({ type: 'draft', session_id: 's1', text: 'half a tho', attachments: [], at: 1 });
  expect(window.failures).toMatchObject([
    {
      for: 'draft',
      kind: 'not_available',
      message: 'Drafts are not kept here: what is not sent stays with whoever wrote it.',
    },
  ]);
  await expect(on.events()).rejects.toMatchObject({ code: 'ENOENT' });
});

it('what needs an editor says so', async () => {
  await on.script(says('Hello.'));
  const window = await on.open();
  await window.receive({ type: 'open', path: 'a.ts' });
  expect(window.failures).toMatchObject([
    { for: 'open', kind: 'not_available', message: 'That needs an editor, and here is none.' },
  ]);
});

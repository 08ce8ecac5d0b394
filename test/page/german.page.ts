import type { Frame } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { importBundle } from '../../src/app/bundle/import-bundle.ts';
import { makeBundle } from '../../src/app/bundle/make-bundle.ts';
import { EVERYTHING } from '../../src/runtime/redaction/choices.ts';
import { button } from '../support/browser/cards.ts';
import { loggedEvents } from '../support/browser/log-record.ts';
import { storeOf } from '../support/browser/recorded-talk.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { chatPage } from './chat-page.ts';

const view = chatPage();
let chat: Frame;

beforeAll(async () => {
  chat = await view.open({
    workspace: await newWorkspace(),
    settings: { 'ledgerline.provider': 'offline' },
    language: 'de',
  });
});

test('where VS Code speaks German, so does the chat, and the log stays as it is', async () => {
  expect(await chat.locator('html').getAttribute('lang')).toBe('de');
  await chat.getByRole('heading', { name: 'Jeder Schritt ist belegt' }).waitFor();
  await chat.getByRole('textbox', { name: 'Nachricht' }).fill('write note.txt: hello');
  await button(chat, 'Senden').click();
  const conversation = chat.getByRole('log', { name: 'Unterhaltung' });
  const card = conversation.getByRole('group', { name: 'Genehmigung' });
  await card.waitFor();
  await conversation.hover({ position: { x: 4, y: 4 } });
  expect(await card.locator('.change-head').textContent()).toBe('note.txtneue Datei+1 −0Diff');
  await expect.poll(() => conversation.locator('.phrase').textContent()).toBe('Braucht Sie: 1 Genehmigung');
  await button(card, 'Genehmigen').click();
  await conversation.getByText('Abgeschlossen').waitFor();
  expect(await conversation.locator('.call-head').textContent()).toMatch(/^Schreibennote\.txt.*okDiff$/u);
  const decisions = (await loggedEvents(view)).filter(({ type }) => type === 'tool_call_decision');
  expect(decisions.map(({ data }) => data['action'])).toEqual(['resume']);
});

test('an imported session says in German what it lacks, and what can be done with it', async () => {
  const store = await storeOf(view);
  const made = await makeBundle(store, {
    session_id: (await loggedEvents(view))[0]?.session_id ?? '',
    choices: EVERYTHING,
    around: { workspaces: [], home: null, user: null, host: null, secrets: [] },
    app_version: '1',
    made_at: '',
    salt: '',
  });
  if (made.kind !== 'made') throw new Error(made.kind);
  const { session_id } = await importBundle(store, Buffer.from(made.text));
  await view.window.vscode.run('ledgerline.openSession', session_id);
  const banner = chat.getByRole('note');
  await banner
    .getByText('Diese Sitzung wurde aus einem Paket ohne ihre Inhalte importiert.', { exact: false })
    .waitFor();
  await button(banner, 'Diese Sitzung abzweigen').waitFor();
});

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { vsCodeVersion } from '../../src/dev/vscode-server.mjs';
import { button, waitingCards } from '../support/browser/cards.ts';
import { callRecord } from '../support/browser/log-record.ts';
import { lastTurn, send, turnIn } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { runCommand } from './workbench-driver.ts';
import { chatWindow } from './chat-window.ts';
import { openDiagnostics, row } from './diagnostics-driver.ts';
import { expectRows, showSessions } from './sessions-driver.ts';
import { expectKeptPage } from './webview-page.ts';

/** The oldest VS Code that the manifest allows, on the Node that it brings along. */

const workbench = chatWindow();

afterAll(workbench.close);

test('the package works from its first run on in the oldest VS Code that it allows', async () => {
  const workspace = await newWorkspace();
  const chat = await workbench.open({ workspace, vscode: 'oldest' });
  const { page, vscode } = workbench;
  await expect.poll(() => vscode.logs()).toContain(`Ledgerline on VS Code ${vsCodeVersion('oldest')}`);
  await expectKeptPage(chat, 'oldest');

  await chat.getByRole('button', { name: 'Use offline model' }).click();
  await chat.getByRole('heading', { name: 'Every step is on record' }).waitFor();
  await send(chat, 'read notes.txt');
  expect(await callRecord(vscode, await turnIn(chat, 'completed'))).toEqual({
    decisions: [],
    permissions: ['allow by policy'],
    results: ['ok'],
  });
  await lastTurn(chat).getByText('second line').waitFor();

  await send(chat, 'edit notes.txt: first => 1st');
  await button(await waitingCards(chat, 1), 'Approve').click();
  expect(await callRecord(vscode, await turnIn(chat, 'completed'))).toEqual({
    decisions: ['resume by user'],
    permissions: ['ask by policy', 'allow by user'],
    results: ['ok'],
  });
  expect(await readFile(path.join(workspace, 'notes.txt'), 'utf8')).toBe('1st line\nsecond line\n');

  await openDiagnostics(page);
  await row(page, /^read notes\.txt, Completed, 1 call/).waitFor();
  await row(page, /^edit_file notes\.txt, Completed/).waitFor();
  await showSessions(page);
  await expectRows(page, [/^read notes\.txt.*open/]);
  await runCommand(page, 'New Session');
  await chat.getByRole('heading', { name: 'Every step is on record' }).waitFor();
  expect(workbench.violations).toEqual([]);
});

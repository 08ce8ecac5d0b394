import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Frame, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOST, HOSTILE, MARK } from '../support/hostile-markdown.ts';
import { events, type Reply, stream, streamOf, wait } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { type ResponsesServer, startResponsesServer } from '../support/responses-server/server.ts';
import { button, lastTurn, newWorkspace, send, setApiKey, turnIn } from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { screenshot, until } from './harness/index.ts';

const workbench = chatWindow();
const replies: Reply[] = [];
let server: ResponsesServer;
let chat: Frame;
let workspace: string;

beforeAll(async () => {
  server = await startResponsesServer({
    handler: () => replies.shift() ?? streamOf(responseEvents({ text: 'Nothing was scripted.' })),
  });
  workspace = await newWorkspace({ 'long.txt': 'a line\n'.repeat(40) });
  chat = await workbench.open({
    workspace,
    settings: { 'ledgerline.baseUrl': server.url, 'ledgerline.transport': 'sse' },
  });
  await setApiKey(workbench.page, 'sk-test');
});

afterAll(async () => {
  await workbench.close();
  await server?.close();
});

function portionsOf(text: string, size: number): readonly string[] {
  return text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
}

async function answered(prompt: string, text: string): Promise<Locator> {
  replies.push(streamOf(responseEvents({ text: portionsOf(text, 40) })));
  await send(chat, prompt);
  return turnIn(chat, 'completed');
}

/** What in an answer is none of ours: kinds of elements, attributes and addresses. */
async function foreignIn(turn: Locator): Promise<readonly string[]> {
  return turn.evaluate((root) => {
    const kinds = new Set(
      'a article blockquote br button circle code del details div em h3 h4 h5 h6 hr li ol p path pre rect span strong summary svg table tbody td th thead tr ul'.split(
        ' ',
      ),
    );
    const attributes = new Set(
      'href title class dir role type start scope tabindex aria-label aria-hidden focusable viewBox d x y width height rx cx cy r data-seq data-state data-turn-id data-tone'.split(
        ' ',
      ),
    );
    return [...root.querySelectorAll('.answer, .answer *')].flatMap((element) => {
      const found = kinds.has(element.localName) ? [] : [`<${element.localName}>`];
      for (const { name, value } of element.attributes) {
        const isPlace =
          name === 'data-vscode-context' &&
          element.classList.contains('answer') &&
          /^\{"webviewSection":"transcriptEntry","at_seq":\d+\}$/.test(value);
        if (!attributes.has(name) && !isPlace) found.push(`${element.localName} ${name}=${value}`);
        if (name === 'href' && !/^(?:https?:\/\/|mailto:)/.test(value)) found.push(`href=${value}`);
      }
      return found;
    });
  });
}

/** Many at once, each with nothing of the others around it but an empty line. */
function groups(size: number): readonly string[] {
  const count = Math.ceil(HOSTILE.length / size);
  return Array.from({ length: count }, (_, at) => HOSTILE.slice(at * size, (at + 1) * size).join('\n\n'));
}

describe('hostile text', () => {
  const requests: string[] = [];
  const dialogs: string[] = [];

  beforeAll(async () => {
    const { page } = workbench;
    page.on('request', (request) => requests.push(request.url()));
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      dialog.dismiss().catch((error: unknown) => dialogs.push(String(error)));
    });
    await chat.evaluate(() => {
      document.addEventListener('securitypolicyviolation', (event) => {
        console.error(`Content Security Policy: ${event.blockedURI}`);
      });
    });
  });

  test('draws nothing, runs nothing and loads nothing', async () => {
    for (const [index, text] of groups(12).entries()) {
      const turn = await answered(`Hostile ${index}`, text);
      expect(await foreignIn(turn)).toEqual([]);
    }
    // What the last answer would load is asked for by the frame after it.
    await chat.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    const marks = await Promise.all(
      workbench.page.frames().map((frame) => frame.evaluate((name) => name in window, MARK)),
    );
    expect(marks.length).toBeGreaterThan(1);
    expect(marks).toEqual(marks.map(() => false));
    const origin = new URL(workbench.vscode.url).origin;
    const elsewhere = requests.filter(
      (url) => !/^(?:data|blob):/.test(url) && new URL(url).origin !== origin,
    );
    expect(elsewhere.filter((url) => url.includes(HOST))).toEqual([]);
    expect(
      elsewhere.filter((url) => !/^https:\/\/[\w.-]*(?:vscode-cdn\.net|open-vsx\.org)\//.test(url)),
    ).toEqual([]);
    expect(dialogs).toEqual([]);
    expect(workbench.violations).toEqual([]);
  });

  test('and after a reload neither', async () => {
    chat = await workbench.reload();
    await turnIn(chat, 'completed');
    expect(await foreignIn(lastTurn(chat))).toEqual([]);
    expect(await chat.evaluate((name) => name in window, MARK)).toBe(false);
    expect(workbench.violations).toEqual([]);
    // A browser does not keep it.
    await setApiKey(workbench.page, 'sk-test');
  });
});

describe('an answer', () => {
  test('keeps its place in the page when it settles', async () => {
    let release: (() => void) | undefined;
    const rest = new Promise<void>((resolve) => {
      release = resolve;
    });
    const all = responseEvents({ text: ['# Title\n\nFirst **words**.\n\n- one\n', '- two\n'] });
    const cut = all.findLastIndex((event) => event.type === 'response.output_text.delta');
    replies.push(stream([events(all.slice(0, cut)), wait(rest), events(all.slice(cut))]));
    await send(chat, 'Settle.');
    const heading = lastTurn(chat).getByRole('heading', { name: 'Title' });
    await lastTurn(chat).getByRole('listitem').first().waitFor();
    const before = await heading.elementHandle();
    release?.();
    const turn = await turnIn(chat, 'completed');
    await turn.getByRole('listitem').nth(1).waitFor();
    const after = await heading.elementHandle();
    expect(await before?.evaluate((node, other) => node === other && node.isConnected, after)).toBe(true);
  });

  test('leads to the web only through VS Code, and the chat stays what it is', async () => {
    const { page } = workbench;
    const turn = await answered('A link.', 'See [the guide](https://example.org/guide).');
    const opened: Page[] = [];
    page.context().on('page', (other) => opened.push(other));
    const question = page.locator('.monaco-dialog-box').getByText('https://example.org/guide');
    await turn.getByRole('link', { name: 'the guide' }).click();
    // It asks first, unless the domain is one that this VS Code trusts.
    await until({
      what: 'VS Code to take the link',
      probe: async () => (opened.length > 0 || (await question.isVisible()) ? true : undefined),
    });
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'hidden' });
    expect(await turn.getByRole('link', { name: 'the guide' }).isVisible()).toBe(true);
    // A browser draws what is behind another page once a second.
    for (const other of opened) await other.close();
    await page.bringToFront();
  });
});

describe('a path', () => {
  test('opens at its line', async () => {
    const turn = await answered('A path.', 'Look at notes.txt:2 and at [this](../outside.txt).');
    await turn.getByRole('button', { name: 'notes.txt:2' }).click();
    await workbench.page.getByRole('tab', { name: /^notes\.txt/ }).waitFor();
    await workbench.page.getByText('Ln 2, Col 1').waitFor();
  });

  test('that leads out of the workspace opens nothing, and says so', async () => {
    await button(lastTurn(chat), 'this').click();
    await chat.locator('.notice', { hasText: 'is outside of the workspace' }).waitFor();
  });
});

async function notes(): Promise<string> {
  return readFile(path.join(workspace, 'notes.txt'), 'utf8');
}

describe('a block of code', () => {
  test('is copied, and says so', async () => {
    const turn = await answered('Code.', '```txt notes.txt\nfirst line\nchanged line\n```');
    await button(turn, 'Copy code').click();
    await turn.getByText('Copied').waitFor();
    const copied = await until({
      what: 'the code on the clipboard',
      probe: async () => {
        const text = await workbench.page.evaluate(() => navigator.clipboard.readText());
        return text.includes('changed') ? text : undefined;
      },
    });
    expect(copied).toBe('first line\nchanged line');
  });

  test('is applied to the file it names only after it was shown and confirmed', async () => {
    const { page } = workbench;
    await button(lastTurn(chat), 'Apply to file').click();
    await page.getByRole('tab', { name: /code from the chat/ }).waitFor();
    const question = page.locator('.notification-toast', {
      hasText: 'Apply the code to notes.txt as shown?',
    });
    await question.waitFor();
    await screenshot(page, 'markdown-apply');
    expect(await page.locator('.tab.dirty').count()).toBe(0);
    await question.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.locator('.tab.active.dirty', { hasText: 'notes.txt' }).waitFor();
    expect(await notes()).toBe('first line\nsecond line\n');
    await until({
      what: 'the change in the file',
      probe: async () => {
        // The editor gets the keyboard after its tab.
        await page.keyboard.press('Control+s');
        return (await notes()) === 'first line\nchanged line\n' ? true : undefined;
      },
    });
  });

  test('can be applied from its diff for as long as that is open, with what it would take away', async () => {
    const { page } = workbench;
    const turn = await answered('A part.', '```txt long.txt\none line\n```');
    const diff = page.getByRole('tab', { name: /long\.txt .*replaces all 40 lines by 1/ });
    const title = page.locator('.editor-group-container.active .editor-actions');
    await button(turn, 'Apply to file').click();
    await diff.waitFor();
    await title.getByRole('button', { name: 'Discard Code' }).click();
    await diff.waitFor({ state: 'detached' });
    await button(turn, 'Apply to file').click();
    await diff.waitFor();
    await screenshot(page, 'markdown-apply-title');
    // Nothing is inserted into what is only shown; the diff stays.
    await button(turn, 'Insert at cursor').click();
    await chat.locator('.notice', { hasText: 'What is open cannot be changed' }).waitFor();
    await title.getByRole('button', { name: 'Apply Code to File' }).click();
    await page.locator('.tab.active.dirty', { hasText: 'long.txt' }).waitFor();
    await diff.waitFor({ state: 'detached' });
    expect(await readFile(path.join(workspace, 'long.txt'), 'utf8')).toBe('a line\n'.repeat(40));
    await page.locator('.editor-group-container.active .monaco-editor.focused').waitFor();
    await page.keyboard.press('Control+z');
    await page.locator('.tab.dirty').waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: /^notes\.txt/ }).click();
    replies.length = 0;
    await answered('Again.', '```txt notes.txt\nfirst line\nchanged line\n```');
  });

  test('is inserted at the cursor, and where no editor is open that is said', async () => {
    const { page } = workbench;
    await button(lastTurn(chat), 'Insert at cursor').click();
    await page.locator('.tab.dirty', { hasText: 'notes.txt' }).waitFor();
    // At the beginning of the line that says the same.
    const line = page.locator('.editor-group-container.active .view-line');
    await line.filter({ hasText: /^changed\slinechanged\sline$/ }).waitFor();
    // The editor has the code first and the keyboard after it.
    await page.locator('.editor-group-container.active .monaco-editor.focused').waitFor();
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+s');
    const tab = page.locator('.editor-group-container .tab', { hasText: 'notes.txt' });
    await page.locator('.tab.dirty').waitFor({ state: 'detached' });
    // Closes all editors.
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Control+w');
    await tab.waitFor({ state: 'detached' });
    await button(lastTurn(chat), 'Insert at cursor').click();
    await chat.locator('.notice', { hasText: 'No editor is open' }).waitFor();
  });
});

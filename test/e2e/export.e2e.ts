import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HTML_STYLE } from '../../src/presenter/transcript/html-style.ts';
import { transcriptHtml } from '../../src/presenter/transcript/transcript-html.ts';
import { transcriptOf } from '../../src/presenter/transcript/transcript.ts';
import { inEnglish } from '../../src/runtime/inspection/spoken-words.ts';
import { made, numbered, oneOfEach } from '../support/made-events.ts';
import { button, newWorkspace, runCommand, send, setSideBarWidth, turnIn } from './chat-driver.ts';
import { chatWindow } from './chat-window.ts';
import { acceptProposedName, importFile, toast } from './export-driver.ts';
import { inEachTheme, launchBrowser, screenshot, until } from './harness/index.ts';
import { quickInput, sessionRow, sessionWith, showSessions } from './sessions-driver.ts';

const workbench = chatWindow();
let chat: Frame;
let workspace: string;
let id: string;

const SECRET = 'hunter2hunter2';
const PROMPT = `help <img src=x onerror="window.hacked=1"><script>window.hacked=1</script> PASSWORD=${SECRET}`;

beforeAll(async () => {
  workspace = await newWorkspace();
  chat = await workbench.open({ workspace, settings: { 'ledgerline.provider': 'offline' } });
  await showSessions(workbench.page);
  await send(chat, PROMPT);
  await turnIn(chat, 'completed');
  id = await sessionWith(workbench.vscode, SECRET);
});

afterAll(workbench.close);

async function exportAs(format: RegExp): Promise<void> {
  const { page } = workbench;
  await runCommand(page, 'Export Session...');
  await quickInput(page).getByRole('option', { name: format }).click();
}

async function exported(name: string): Promise<string> {
  const file = path.join(workspace, name);
  const said = toast(workbench.page, `The session was exported to ${file}.`);
  await said.waitFor();
  await button(said, 'Clear Notification').or(said.locator('.codicon-notifications-clear')).first().click();
  return readFile(file, 'utf8');
}

/** The tree of sessions follows a moment later. */
async function logs(): Promise<readonly string[]> {
  const names = await readdir(path.join(await workbench.vscode.storageDir(), 'sessions'));
  return names.filter((name) => name.endsWith('.jsonl')).toSorted();
}

const IMPORT = { command: 'Import Session...', button: 'Import' };

describe('an export', () => {
  test('asks for the form, and writes Markdown with the evidence of each turn', async () => {
    await runCommand(workbench.page, 'Export Session...');
    const forms = quickInput(workbench.page).getByRole('option');
    await expect.poll(() => forms.count()).toBe(4);
    await screenshot(workbench.page, 'export-forms');
    await forms.first().click();
    await acceptProposedName(workbench.page);
    const text = await exported(`${id}.md`);
    expect(text).toContain('## Turn 1\n\n- State: Completed\n- Evidence: a whole answer at seq ');
    expect(text).toContain(`\`\`\`text\n${PROMPT}\n\`\`\``);
  });

  test('writes a page that runs nothing and asks for nothing, wherever it is opened', async () => {
    await exportAs(/^HTML/);
    await acceptProposedName(workbench.page);
    const text = await exported(`${id}.html`);
    expect(text).toContain("default-src 'none'");
    await opened(path.join(workspace, `${id}.html`), async ({ headings }) => {
      expect(headings[0]).toContain('Session: help <img src=x');
    });
  });
});

interface Looked {
  readonly headings: readonly string[];
}

/** In a browser of its own; fails when anything runs or is asked for. */
async function opened(
  file: string,
  look: (looked: Looked) => Promise<void>,
  { shot, scripts = 0 }: { readonly shot?: string; readonly scripts?: number } = {},
): Promise<void> {
  const browser = await launchBrowser();
  try {
    for (const [colorScheme, width] of [
      ['light', 900],
      ['dark', 900],
      ['light', 300],
    ] as const) {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
      const page = await context.newPage();
      const asked: string[] = [];
      page.on('request', (request) => {
        if (!request.url().startsWith('file:') && !request.url().startsWith('data:'))
          asked.push(request.url());
      });
      // What the policy stops is told as asked for, and never left.
      page.on('requestfailed', (request) => {
        if (request.failure()?.errorText === 'csp') asked.splice(asked.indexOf(request.url()), 1);
      });
      page.on('dialog', (dialog) => asked.push(dialog.message()));
      await page.goto(pathToFileURL(file).href, { waitUntil: 'load' });
      const found = await page.evaluate(() => ({
        hacked: 'hacked' in window,
        scripts: document.scripts.length,
        headings: [...document.querySelectorAll('h1, h2, h3')].map((one) => one.textContent ?? ''),
        wider: document.documentElement.scrollWidth > document.documentElement.clientWidth,
        styled: getComputedStyle(document.querySelector('h1') ?? document.body).fontSize,
      }));
      expect({ ...found, headings: [] }).toEqual({
        hacked: false,
        scripts,
        headings: [],
        wider: false,
        styled: '24px',
      });
      expect(asked).toEqual([]);
      await look(found);
      if (shot !== undefined) await screenshot(page, `${shot}-${colorScheme}-${width}`);
      await context.close();
    }
  } finally {
    await browser.close();
  }
}

test('a hostile log is only words in the page that is made of it', async () => {
  const one = oneOfEach();
  const hostile = [
    '</pre></section></main><script>window.hacked = 1; alert(1)</script>',
    '<img src="https://evil.example/x.png" onerror="window.hacked=1">',
    '![x](https://evil.example/y.png) [click](javascript:window.hacked=1) <svg onload=alert(1)>',
    '<meta http-equiv="refresh" content="0;url=https://evil.example"> <iframe src="https://evil.example">',
    '<style>@import "https://evil.example/z.css"; body { background: url(https://evil.example/b.png) }</style>',
    '# A list\n\n- **bold** and `code`\n- [a link](https://example.com/)\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```ts\nconst x = 1;\n```',
  ];
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC';
  const events = numbered([
    one.session_started,
    made('user_message', 0, {
      ...one.user_message.data,
      text: hostile.join('\n\n'),
      attachments: [{ kind: 'image', label: hostile[1], data: png }],
    }),
    ...hostile.flatMap((text, index) => [
      made('tool_call', 0, { ...one.tool_call.data, call_id: `c${index}`, name: text, args: text }),
      made('tool_result', 0, { ...one.tool_result.data, call_id: `c${index}`, output: text }),
    ]),
    made('assistant_message', 0, { ...one.assistant_message.data, text: hostile.join('\n\n') }),
  ]);
  const transcript = transcriptOf({
    session_id: hostile[0] ?? '',
    title: hostile[1] ?? '',
    events,
    damage: [],
    torn_bytes: 0,
    exported_at: '2026-01-01T00:00:00.000Z',
  });
  const style_sha256_base64 = createHash('sha256').update(HTML_STYLE).digest('base64');
  const file = path.join(workspace, 'hostile.html');
  await writeFile(file, transcriptHtml(transcript, { say: inEnglish, language: 'en', style_sha256_base64 }));
  await opened(
    file,
    async ({ headings }) => {
      expect(headings.filter((one) => one.startsWith('Turn '))).toEqual(['Turn 1']);
    },
    { shot: 'export-html' },
  );
  // Nothing gets in; but if something did, the policy of the page would not let it do anything.
  const markup = [
    '<script>window.hacked = 1</script>',
    '<script src="https://evil.example/x.js"></script>',
    '<img src="https://evil.example/x.png" onerror="window.hacked = 1">',
    '<svg width="1" onload="window.hacked = 1"></svg>',
    '<style>h1 { font-size: 9px !important }</style>',
    '<link rel="stylesheet" href="https://evil.example/z.css">',
    '<object width="1" data="https://evil.example/o"></object>',
    '<video width="1" autoplay src="https://evil.example/v.mp4"></video>',
  ];
  const page = await readFile(file, 'utf8');
  await writeFile(file, page.replace('<main>', `<main>${markup.join('')}`));
  await opened(file, async () => undefined, { scripts: 2 });
});

describe('a bundle for a bug report', () => {
  let bundle: string;

  test('is shown before it is written, can be changed, and is written as it was shown', async () => {
    const { page } = workbench;
    await exportAs(/^Bundle for a bug report/);
    const choices = quickInput(page).getByRole('checkbox', { checked: true });
    await expect.poll(() => choices.count()).toBeGreaterThanOrEqual(4);
    await screenshot(page, 'export-choices');
    await page.keyboard.press('Enter');
    const said = toast(workbench.page, 'Nothing is written yet, and nothing is sent anywhere.');
    await button(said, 'Save bundle…').waitFor();
    await until({
      what: 'the bundle and its summary in editors',
      probe: async () =>
        (await page.locator('.tab', { hasText: 'What leaves' }).count()) > 0 ? true : undefined,
    });
    await screenshot(page, 'export-preview');
    await button(said, 'Change what is removed').click();
    await quickInput(page).getByRole('button', { name: 'OK' }).waitFor();
    await expect.poll(() => page.locator('.tab', { hasText: 'What leaves' }).count()).toBe(0);
    await page.keyboard.press('Enter');
    await button(said, 'Save bundle…').waitFor();
    const shown = await until({
      what: 'the first line of the bundle in its editor',
      probe: async () => {
        const text = (await page.locator('.editor-instance .view-line').allTextContents()).join('\n');
        return /"sha256":"([0-9a-f]{64})"/u.exec(text.replaceAll('\u00a0', ' '))?.[1];
      },
    });
    await button(said, 'Save bundle…').click();
    await acceptProposedName(workbench.page);
    bundle = path.join(workspace, `${id}.ledgerline-bundle.jsonl`);
    const text = await exported(`${id}.ledgerline-bundle.jsonl`);
    const [first = '', ...rest] = text.split('\n');
    const manifest = JSON.parse(first) as { sha256: string; removed: string[] };
    expect(manifest).toMatchObject({
      removed: ['secrets', 'paths', 'file_names', 'contents'],
      sha256: shown,
    });
    expect(createHash('sha256').update(rest.join('\n')).digest('hex')).toBe(shown);
    expect(text).not.toMatch(/hunter2|hacked|onerror/u);
    expect(text).not.toContain(workspace);
  });

  test('is imported as a session that is read, marked and forked, and never written to', async () => {
    const { page } = workbench;
    await importFile(page, bundle, IMPORT);
    const banner = chat.getByRole('note', { name: 'Read-only' });
    await banner.getByText('This session was imported from a bundle without its contents.').waitFor();
    await toast(workbench.page, 'The bundle was imported as a session').waitFor();
    const row = sessionRow(page, /\[removed: \d+ characters/);
    await expect.poll(() => row.locator('.label-description').textContent()).toMatch(/^imported · .*open$/);
    await turnIn(chat, 'completed');
    await setSideBarWidth(page, 300);
    await inEachTheme(page, async (theme) => void (await screenshot(page, `imported-${theme}`)), chat);
    await button(chat, 'Fork this session').click();
    await expect.poll(() => banner.count()).toBe(0);
  });

  test('that is none is refused with the line, and nothing changes', async () => {
    const { page } = workbench;
    const file = path.join(workspace, 'bad.jsonl');
    await writeFile(file, '{"format":"zip"}\n');
    const before = await logs();
    await importFile(page, file, IMPORT);
    await toast(
      page,
      `${file} was not imported: line 1: this is no bundle of Ledgerline. Nothing was changed.`,
    ).waitFor();
    expect(await logs()).toEqual(before);
    await expect.poll(() => toast(page, 'Checking the bundle…').count()).toBe(0);
    await screenshot(page, 'import-refused');
  });
});

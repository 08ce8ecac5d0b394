import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { HTML_STYLE } from '../../src/presenter/transcript/html-style.ts';
import { transcriptHtml } from '../../src/presenter/transcript/transcript-html.ts';
import { transcriptOf } from '../../src/presenter/transcript/transcript.ts';
import { inEnglish } from '../../src/runtime/inspection/spoken-words.ts';
import { count } from '../support/browser/counts.ts';
import { made, numbered, oneOfEach } from '../support/made-events.ts';

/** The page that a session is exported as, wherever it is opened: it runs nothing and asks for nothing. */

const HOSTILE = [
  '</pre></section></main><script>window.hacked = 1; alert(1)</script>',
  '<img src="https://evil.example/x.png" onerror="window.hacked=1">',
  '![x](https://evil.example/y.png) [click](javascript:window.hacked=1) <svg onload=alert(1)>',
  '<meta http-equiv="refresh" content="0;url=https://evil.example"> <iframe src="https://evil.example">',
  '<style>@import "https://evil.example/z.css"; body { background: url(https://evil.example/b.png) }</style>',
  '# A list\n\n- **bold** and `code`\n- [a link](https://example.com/)\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```ts\nconst x = 1;\n```',
];

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC';

/** What nothing of a log can become; but if it did, the policy of the page would not let it do anything. */
const MARKUP = [
  '<script>window.hacked = 1</script>',
  '<script src="https://evil.example/x.js"></script>',
  '<img src="https://evil.example/x.png" onerror="window.hacked = 1">',
  '<svg width="1" onload="window.hacked = 1"></svg>',
  '<style>h1 { font-size: 9px !important }</style>',
  '<link rel="stylesheet" href="https://evil.example/z.css">',
  '<object width="1" data="https://evil.example/o"></object>',
  '<video width="1" autoplay src="https://evil.example/v.mp4"></video>',
];

let browser: Browser;
let folder: string;

beforeAll(async () => {
  browser = await chromium.connect(inject('browser'));
  folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-exported-'));
});

afterAll(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

function hostilePage(): string {
  const one = oneOfEach();
  const events = numbered([
    one.session_started,
    made('user_message', 0, {
      ...one.user_message.data,
      text: HOSTILE.join('\n\n'),
      attachments: [{ kind: 'image', label: HOSTILE[1], data: PNG }],
    }),
    ...HOSTILE.flatMap((text, index) => [
      made('tool_call', 0, { ...one.tool_call.data, call_id: `c${index}`, name: text, args: text }),
      made('tool_result', 0, { ...one.tool_result.data, call_id: `c${index}`, output: text }),
    ]),
    made('assistant_message', 0, { ...one.assistant_message.data, text: HOSTILE.join('\n\n') }),
  ]);
  const transcript = transcriptOf({
    session_id: HOSTILE[0] ?? '',
    title: HOSTILE[1] ?? '',
    events,
    damage: [],
    torn_bytes: 0,
    exported_at: '2026-01-01T00:00:00.000Z',
  });
  const style_sha256_base64 = createHash('sha256').update(HTML_STYLE).digest('base64');
  return transcriptHtml(transcript, { say: inEnglish, language: 'en', style_sha256_base64 });
}

interface Looked {
  readonly hacked: boolean;
  readonly asked: readonly string[];
  readonly scripts: number;
  readonly turns: readonly string[];
  readonly wider: boolean;
  readonly title: string;
}

async function opened(html: string, colorScheme: 'light' | 'dark', width: number): Promise<Looked> {
  const file = path.join(folder, 'session.html');
  await writeFile(file, html);
  count('pages');
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
  const page = await context.newPage();
  const asked: string[] = [];
  page.on('request', (request) => {
    if (!/^(?:file|data):/u.test(request.url())) asked.push(request.url());
  });
  // What the policy stops is told as asked for, and never left.
  page.on('requestfailed', (request) => {
    if (request.failure()?.errorText !== 'csp') return;
    const at = asked.indexOf(request.url());
    if (at !== -1) asked.splice(at, 1);
  });
  page.on('dialog', (dialog) => asked.push(dialog.message()));
  await page.goto(pathToFileURL(file).href, { waitUntil: 'load' });
  const found = await page.evaluate(() => ({
    hacked: 'hacked' in window,
    scripts: document.scripts.length,
    turns: [...document.querySelectorAll('h2')]
      .map((one) => one.textContent ?? '')
      .filter((one) => one.startsWith('Turn ')),
    wider: document.documentElement.scrollWidth > document.documentElement.clientWidth,
    title: getComputedStyle(document.querySelector('h1') ?? document.body).fontSize,
  }));
  await context.close();
  return { ...found, asked };
}

const HARMLESS: Looked = {
  hacked: false,
  asked: [],
  scripts: 0,
  turns: ['Turn 1'],
  wider: false,
  title: '24px',
};

describe.each([
  ['light', 900],
  ['dark', 900],
  ['light', 300],
] as const)('in %s, %i px wide', (colorScheme, width) => {
  test('a hostile log is only words in the page that is made of it', async () => {
    expect(await opened(hostilePage(), colorScheme, width)).toEqual(HARMLESS);
  });

  test('what would get in all the same could do nothing', async () => {
    const html = hostilePage().replace('<main>', `<main>${MARKUP.join('')}`);
    expect(await opened(html, colorScheme, width)).toEqual({ ...HARMLESS, scripts: 2 });
  });
});

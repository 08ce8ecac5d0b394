import type { Frame, Locator } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { button } from '../support/browser/cards.ts';
import { lastTurn, send, turnIn } from '../support/browser/turns.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { scriptedServer } from '../support/browser/scripted-server.ts';
import { HOST, HOSTILE, MARK } from '../support/hostile-markdown.ts';
import { events, stream, wait } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { delta } from '../webview/log-items.ts';
import { chatPage } from './chat-page.ts';
import { tell } from './scenes/stage.ts';
import { prompt, snapshot, turnState } from './scenes/view-scenes.ts';

const server = scriptedServer();
const view = chatPage();
let chat: Frame;

beforeAll(async () => {
  const workspace = await newWorkspace();
  chat = await view.open({ workspace, settings: server.settings, apiKey: 'sk-test' });
});

function portionsOf(text: string, size: number): readonly string[] {
  return text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
}

async function answered(prompt: string, text: string): Promise<Locator> {
  server.says({ text: portionsOf(text, 40) });
  await send(chat, prompt);
  return turnIn(chat, 'completed');
}

/**
 * What in an answer is none of ours: kinds of elements, attributes and addresses. Of answers that are still to come, in
 * portions, it looks at each drawing. The host would join the portions: they are given to the page one by one.
 */
async function foreignIn(
  turn: Locator,
  coming: readonly (readonly HostMessage[])[] = [],
): Promise<readonly string[]> {
  return turn.evaluate(async (root, answers) => {
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
    const foreign = (): readonly string[] =>
      [...root.querySelectorAll('.answer, .answer *')].flatMap((element) => {
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
    const words = (): string => [...root.querySelectorAll('.answer')].map((one) => one.innerHTML).join();
    const drawn = (before: string): Promise<boolean> =>
      new Promise((resolve) => {
        const observer = new MutationObserver(() => {
          if (words() !== before) end(true);
        });
        const end = (isDrawn: boolean): void => {
          observer.disconnect();
          resolve(isDrawn);
        };
        observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
        requestAnimationFrame(() => requestAnimationFrame(() => end(false)));
      });
    const all = new Set(foreign());
    for (const messages of answers)
      for (const [index, message] of messages.entries()) {
        const drawing = drawn(words());
        window.postMessage(message, '*');
        // Some portions change nothing to be seen, but never the first, which is cut off in the middle.
        if (!(await drawing) && index === 0) all.add(`not drawn: ${JSON.stringify(message)}`);
        for (const one of foreign()) all.add(one);
      }
    return [...all];
  }, coming);
}

/** At least two of each; what is very long comes in larger ones. */
function cutInside(text: string): readonly string[] {
  const { length } = text;
  return portionsOf(text, Math.max(Math.min(40, Math.ceil(length / 2)), Math.ceil(length / 12)));
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
    const { page } = view;
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

  /** Of all that was drawn so far. */
  async function nothingHappened(): Promise<void> {
    // What the last answer would load is asked for by the frame after it.
    await chat.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    const marks = await Promise.all(
      view.page.frames().map((frame) => frame.evaluate((name) => name in window, MARK)),
    );
    expect(marks).toEqual([false, false]);
    const { origin } = new URL(view.page.url());
    expect(requests.filter((url) => url.includes(HOST) || new URL(url).origin !== origin)).toEqual([]);
    expect(dialogs).toEqual([]);
    expect(view.violations).toEqual([]);
  }

  test('draws nothing, runs nothing and loads nothing', async () => {
    for (const [index, text] of groups(40).entries()) {
      const turn = await answered(`Hostile ${index}`, text);
      expect(await foreignIn(turn)).toEqual([]);
    }
    await nothingHappened();
  });

  test('nor while it comes in, cut inside of each', async () => {
    const portions = HOSTILE.map(cutInside);
    expect(portions.filter((all) => all.length < 2)).toEqual([]);
    await tell({ chat }, [snapshot([prompt(0)]), turnState('running')]);
    const coming = portions.map((all, index) =>
      all.map((text) => ({ ...delta(text), stream_run_id: `hostile_${index}` })),
    );
    expect(await foreignIn(lastTurn(chat), coming)).toEqual([]);
    await nothingHappened();
  });

  test('and after a reload neither', async () => {
    chat = await view.reload();
    await turnIn(chat, 'completed');
    expect(await foreignIn(lastTurn(chat))).toEqual([]);
    expect(await chat.evaluate((name) => name in window, MARK)).toBe(false);
    expect(view.violations).toEqual([]);
  });
});

describe('an answer', () => {
  test('keeps its place in the page when it settles', async () => {
    const { promise: rest, resolve: release } = Promise.withResolvers<void>();
    const all = responseEvents({ text: ['# Title\n\nFirst **words**.\n\n- one\n', '- two\n'] });
    const cut = all.findLastIndex((event) => event.type === 'response.output_text.delta');
    server.replies.push(stream([events(all.slice(0, cut)), wait(rest), events(all.slice(cut))]));
    await send(chat, 'Settle.');
    const heading = lastTurn(chat).getByRole('heading', { name: 'Title' });
    await lastTurn(chat).getByRole('listitem').first().waitFor();
    const before = await heading.elementHandle();
    release();
    const turn = await turnIn(chat, 'completed');
    await turn.getByRole('listitem').nth(1).waitFor();
    const after = await heading.elementHandle();
    expect(await before?.evaluate((node, other) => node === other && node.isConnected, after)).toBe(true);
  });
});

test('a path that leads out of the workspace opens nothing, and says so', async () => {
  const turn = await answered('A path.', 'Look at [this](../outside.txt).');
  await button(turn, 'this').click();
  await chat.locator('.notice', { hasText: 'is outside of the workspace' }).waitFor();
  expect(view.window.vscode.executed.filter(([command]) => command === 'vscode.open')).toEqual([]);
});

describe('a block of code', () => {
  test('is copied, and says so', async () => {
    const turn = await answered('Code.', '```txt notes.txt\nfirst line\nchanged line\n```');
    await button(turn, 'Copy code').click();
    await turn.getByText('Copied').waitFor();
    // It says so at once; the extension copies it a moment later.
    await expect.poll(() => view.window.vscode.clipboard.text).toBe('first line\nchanged line');
  });

  test('is inserted nowhere when no editor is open, and that is said', async () => {
    await button(lastTurn(chat), 'Insert at cursor').click();
    await chat.locator('.notice', { hasText: 'No editor is open' }).waitFor();
  });
});

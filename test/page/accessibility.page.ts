import { readFile } from 'node:fs/promises';
import type { AxeResults } from 'axe-core';
import type { Frame } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { projectPath } from '../../src/dev/project.mjs';
import { button } from '../support/browser/cards.ts';
import { isFocused } from '../support/browser/keyboard.ts';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { COLOR_THEMES } from '../support/browser/color-themes.ts';
import { until } from '../support/browser/until.ts';
import { chatPage } from './chat-page.ts';
import { layoutShape, shapeDifferences, shapeFaults, type Shape } from './scenes/layout-shape.ts';
import { tell } from './scenes/stage.ts';
import {
  ASKED_CALL,
  moved,
  RTL_ANSWER,
  RTL_PROMPT,
  SCENE_NAMES,
  suspended,
  VIEW_SCENES,
  type SceneName,
} from './scenes/view-scenes.ts';

const AXE = projectPath('node_modules', 'axe-core', 'axe.min.js');

/** Of the chat in a window of 900 px. */
const HEIGHT = 580;

const view = chatPage();
let chat: Frame;

beforeAll(async () => {
  chat = await view.open(
    { workspace: await newWorkspace(), settings: { 'ledgerline.provider': 'offline' } },
    { width: 300, height: HEIGHT },
  );
  // As a string it is evaluated by the browser's debugger, which the policy of the page does not bind.
  await chat.evaluate(await readFile(AXE, 'utf8'));
});

async function setWidth(width: number): Promise<void> {
  await view.page.setViewportSize({ width, height: HEIGHT });
}

async function show(name: SceneName): Promise<void> {
  await tell({ chat }, VIEW_SCENES[name]);
}

/** What axe-core finds, with all of its rules or with those that a theme may break, as a line an element. */
async function violations(rules: 'all' | 'colours' = 'all'): Promise<readonly string[]> {
  const only = rules === 'all' ? {} : { runOnly: ['color-contrast', 'link-in-text-block'] };
  const found = await chat.evaluate(
    async (options) => {
      const { axe } = window as unknown as {
        axe: { run: (context: Document, options: object) => Promise<AxeResults> };
      };
      return (await axe.run(document, options)).violations;
    },
    { resultTypes: ['violations'], ...only },
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ html, any }) => `${id}: ${html.slice(0, 160)} ${any.map(({ message }) => message).join(' ')}`,
    ),
  );
}

async function announced(): Promise<string> {
  return (await chat.locator('.unseen[role="status"]').textContent()) ?? '';
}

/** How far the first line of some words is from both edges of the block they are in. */
async function margins(words: string): Promise<{ readonly left: number; readonly right: number }> {
  return chat
    .getByText(words)
    .last()
    .evaluate((block) => {
      const range = document.createRange();
      range.selectNodeContents(block);
      const [first, ...others] = range.getClientRects();
      if (first === undefined) throw new Error('no line');
      // Runs of one direction are boxes of their own.
      const line = [first, ...others.filter(({ top }) => Math.abs(top - first.top) < 2)];
      const box = block.getBoundingClientRect();
      return {
        left: Math.min(...line.map(({ left }) => left)) - box.left,
        right: box.right - Math.max(...line.map(({ right }) => right)),
      };
    });
}

describe('in every theme', () => {
  const shapes = new Map<SceneName, Shape>();

  test.each(COLOR_THEMES)('%s: nothing for axe to find, and the same layout', async (theme) => {
    await view.setTheme(theme);
    const faults: string[] = [];
    for (const name of SCENE_NAMES) {
      await show(name);
      const shape = await layoutShape(chat);
      const known = shapes.get(name);
      if (known === undefined) shapes.set(name, shape);
      const found = [
        ...(await violations(known === undefined ? 'all' : 'colours')),
        ...shapeFaults(shape),
        ...(known === undefined ? [] : shapeDifferences(known, shape)),
      ];
      faults.push(...found.map((fault) => `${name}: ${fault}`));
    }
    expect(faults).toEqual([]);
  });
});

describe('what a person opened', () => {
  beforeAll(() => setWidth(300));

  test('has nothing for axe to find', async () => {
    const faults: string[] = [];
    for (const name of ['approval', 'question', 'completed', 'checkpoint'] as const) {
      await show(name);
      await chat.evaluate(() => {
        for (const closed of document.querySelectorAll<HTMLElement>('.log [aria-expanded="false"]'))
          closed.click();
      });
      await tell({ chat }, []);
      expect(await chat.locator('.log [aria-expanded="true"]').count(), name).toBeGreaterThan(0);
      faults.push(...(await violations()).map((fault) => `${name}, opened: ${fault}`));
    }
    const meter = chat.getByRole('button', { name: /^Context/u });
    await meter.click();
    await chat.getByRole('group', { name: 'Context window' }).waitFor();
    faults.push(...(await violations()).map((fault) => `the meter, opened: ${fault}`));
    await meter.press('Escape');
    const message = chat.getByRole('textbox', { name: 'Message' });
    for (const words of ['/', '@']) {
      await message.fill('');
      await message.pressSequentially(words);
      await chat.getByRole('listbox').waitFor();
      faults.push(...(await violations()).map((fault) => `${words}: ${fault}`));
    }
    await message.fill('');
    expect(faults).toEqual([]);
  });
});

describe('in every other width', () => {
  test.each([
    [600, 1],
    [900, 1],
    [600, 2],
  ])('%i px at a zoom of %i: nothing is cut off or out of reach', async (width, zoom) => {
    await setWidth(width);
    await chat.evaluate((factor) => document.documentElement.style.setProperty('zoom', String(factor)), zoom);
    const faults: string[] = [];
    for (const name of SCENE_NAMES) {
      await show(name);
      faults.push(...shapeFaults(await layoutShape(chat)).map((fault) => `${name}: ${fault}`));
    }
    await chat.evaluate(() => document.documentElement.style.removeProperty('zoom'));
    expect(faults).toEqual([]);
  });
});

describe('by keyboard and by ear', () => {
  beforeAll(() => setWidth(400));

  test('a new approval is announced with its key, and takes the focus from nobody', async () => {
    await show('running');
    const message = chat.getByRole('textbox', { name: 'Message' });
    await message.fill('I am still writing');
    await message.focus();
    await tell({ chat }, [
      {
        v: 1,
        type: 'append',
        session_id: 'scene',
        items: [ASKED_CALL, suspended(11, 'c1')],
      },
      VIEW_SCENES.approval[1],
    ]);
    await expect.poll(announced).toMatch(/needs your approval.*Ctrl\+Alt\+Enter/);
    expect(await isFocused(message)).toBe(true);
    expect(await message.inputValue()).toBe('I am still writing');
    await tell({ chat }, [{ v: 1, type: 'reveal', what: 'decision' }]);
    await until({
      what: 'the keyboard at the approval',
      probe: async () => ((await isFocused(button(chat, 'Approve'))) ? true : undefined),
    });
  });

  test('every focus can be seen, and the order of the keys is the order of the page', async () => {
    await show('several');
    await chat.getByRole('log').focus();
    const seen: { readonly top: number; readonly outline: string; readonly name: string }[] = [];
    for (let steps = 0; steps < 40; steps += 1) {
      await view.page.keyboard.press('Tab');
      const at = await chat.evaluate(() => {
        const { activeElement } = document;
        if (activeElement === null || activeElement === document.body) return null;
        const style = getComputedStyle(activeElement);
        const around = getComputedStyle(activeElement.closest('.input') ?? activeElement);
        const outline = [style, around].find(
          ({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && outlineWidth !== '0px',
        );
        return {
          top: activeElement.getBoundingClientRect().bottom,
          outline: outline?.outlineColor ?? around.borderColor,
          name: activeElement.getAttribute('aria-label') ?? activeElement.textContent ?? '',
          ring: outline !== undefined || around.borderColor !== 'rgba(0, 0, 0, 0)',
        };
      });
      if (at === null) break;
      expect(at, at.name).toMatchObject({ ring: true });
      seen.push(at);
    }
    const names = seen.map(({ name }) => name.trim());
    expect(names.indexOf('Approve')).toBeGreaterThanOrEqual(0);
    expect(names.indexOf('Message')).toBeGreaterThan(names.lastIndexOf('Approve'));
  });

  test('a decision leaves the focus in the conversation', async () => {
    await show('approval');
    await button(chat, 'Approve').focus();
    await view.page.keyboard.press('Enter');
    await until({
      what: 'the answer of the host, which knows no such call',
      probe: async () =>
        (await chat.getByText('Nothing waits for a decision').count()) > 0 ? true : undefined,
    });
    await expect
      .poll(() => chat.evaluate(() => document.activeElement?.closest('.turn') !== null))
      .toBe(true);
    await tell({ chat }, [
      {
        v: 1,
        type: 'append',
        session_id: 'scene',
        items: [moved(20, 'c1', 'suspended', 'resuming'), moved(21, 'c1', 'resuming', 'running')],
      },
    ]);
    await expect.poll(() => chat.evaluate(() => document.activeElement === document.body)).toBe(false);
  });

  test('the end of an answer is announced once, and its words are not read out one by one', async () => {
    await show('running');
    expect(await chat.getByRole('log').getAttribute('aria-live')).toBe('off');
    await tell({ chat }, [{ ...VIEW_SCENES.completed[1] }]);
    await expect.poll(announced).toBe('The answer is complete');
    const said = await chat.evaluate(async () => {
      const words: string[] = [];
      const region = document.querySelector('.unseen[role="status"]');
      if (region === null) throw new Error('no live region');
      new MutationObserver(() => words.push(region.textContent ?? '')).observe(region, {
        subtree: true,
        childList: true,
        characterData: true,
      });
      window.postMessage({ v: 1, type: 'notice', level: 'info', message: 'News', next_actions: [] }, '*');
      // The notice is drawn, and effects of that have run: two frames and what they put off.
      while (!document.querySelector('.notices')?.textContent?.includes('News'))
        await new Promise(requestAnimationFrame);
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      return words;
    });
    expect(said).toEqual(['News']);
  });

  test('nothing spins for those who asked for less motion', async () => {
    await show('running');
    const spinning = (): Promise<string> =>
      chat
        .locator('.spin')
        .first()
        .evaluate((icon) => getComputedStyle(icon).animationName);
    expect(await spinning()).toBe('spin');
    await view.page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await spinning()).toBe('none');
    await view.page.emulateMedia({ reducedMotion: null });
    // In one go: VS Code sets and removes this class by itself.
    const told = await chat.evaluate(() => {
      const icon = document.querySelector('.spin');
      document.body.classList.add('vscode-reduce-motion');
      const name = icon === null ? 'no icon' : getComputedStyle(icon).animationName;
      document.body.classList.remove('vscode-reduce-motion');
      return name;
    });
    expect(told).toBe('none');
  });
});

describe('from right to left', () => {
  test('words begin at their own side', async () => {
    await setWidth(600);
    await show('rightToLeft');
    for (const words of [RTL_PROMPT, RTL_ANSWER]) {
      const { left, right } = await margins(words);
      expect(left, words).toBeGreaterThan(right);
    }
    // A mark stands where the words begin, and so does the bar of a quote.
    const sides = await chat.evaluate(() =>
      ['.markdown ul', '.markdown li', '.markdown blockquote'].map((one) => {
        const element = document.querySelector(one);
        return element === null ? null : getComputedStyle(element).direction;
      }),
    );
    expect(sides).toEqual(['rtl', 'rtl', 'rtl']);
    const message = chat.getByRole('textbox', { name: 'Message' });
    await message.fill(RTL_PROMPT);
    expect(await message.evaluate((field) => getComputedStyle(field).unicodeBidi)).toBe('plaintext');
    await message.fill('');
  });
});

import type { Frame } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { newWorkspace } from '../support/browser/workspaces.ts';
import { COLOR_THEMES } from '../support/browser/color-themes.ts';
import { themeOf, webviewPage } from './bridge/themes.ts';
import { chatPage } from './chat-page.ts';
import { tell } from './scenes/stage.ts';
import { SCENE_NAMES, VIEW_SCENES } from './scenes/view-scenes.ts';

const view = chatPage();
let chat: Frame;

beforeAll(async () => {
  chat = await view.open({
    workspace: await newWorkspace(),
    settings: { 'ledgerline.provider': 'offline' },
  });
});

test('the page is told of the theme and of reduced motion, and can open neither windows nor dialogs', async () => {
  const className = (): Promise<string> => chat.evaluate(() => document.body.className);
  for (const theme of COLOR_THEMES) {
    await view.setTheme(theme);
    expect(await className()).toBe(themeOf(theme).className);
  }
  await view.page.emulateMedia({ reducedMotion: 'reduce' });
  await expect.poll(className).toBe(`${themeOf('hc-light').className} vscode-reduce-motion`);
  await view.setTheme('dark');
  expect(await className()).toBe('vscode-dark vscode-reduce-motion');
  chat = await view.lookAway();
  expect(await className()).toBe('vscode-dark vscode-reduce-motion');
  await view.page.emulateMedia({ reducedMotion: null });
  await expect.poll(className).toBe('vscode-dark');
  const opened = await chat.evaluate(() => [window.open('about:blank'), window.confirm('Really?')]);
  expect(opened).toEqual([null, false]);
});

/**
 * What looks otherwise with the other default style: of every element, and of what takes the keyboard also while it has
 * it, all that a default style can set. In one go, so that the page stays as it is.
 */
async function differences(): Promise<readonly string[]> {
  const styles = [webviewPage('current'), webviewPage('oldest')].map(({ style }) => style.join('\n'));
  return chat.evaluate(([current = '', oldest = '']) => {
    const parsed = new CSSStyleSheet();
    const rulesOf = (text: string): readonly CSSRule[] => {
      parsed.replaceSync(text);
      return [...parsed.cssRules];
    };
    const { sheet } = document.querySelector<HTMLStyleElement>('#_defaultStyles') ?? {};
    if (!(sheet instanceof CSSStyleSheet)) throw new Error('no default style');
    // By rules: the policy of the page refuses words of a style that come later.
    const wear = (text: string): void => {
      while (sheet.cssRules.length > 0) sheet.deleteRule(0);
      for (const { cssText } of rulesOf(text)) sheet.insertRule(cssText, sheet.cssRules.length);
    };
    const names = rulesOf(oldest).flatMap((rule) => (rule instanceof CSSStyleRule ? [...rule.style] : []));
    const look = (element: Element, state = ''): readonly string[] => {
      const style = getComputedStyle(element);
      return [...new Set(names)].map(
        (name) =>
          `${element.localName}.${element.className}${state} ${name}: ${style.getPropertyValue(name)}`,
      );
    };
    const focused = (element: HTMLElement, focusVisible: boolean): readonly string[] => {
      element.focus({ preventScroll: true, focusVisible });
      const found = look(element, focusVisible ? ':focus-visible' : ':focus');
      element.blur();
      return found;
    };
    const looks = (): readonly string[] => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      const usable = [...document.querySelectorAll<HTMLElement>('a, button, input, select, textarea')];
      return [
        ...[...document.querySelectorAll('body, body *')].flatMap((element) => look(element)),
        ...usable.flatMap((element) => [true, false].flatMap((visible) => focused(element, visible))),
      ];
    };
    wear(oldest);
    const before = looks();
    wear(current);
    const now = looks();
    return before.flatMap((line, index) => (line === now[index] ? [] : [`${line}, now ${now[index]}`]));
  }, styles);
}

test('the oldest VS Code, whose default style competes with ours, shows the same', async () => {
  const found: string[] = [];
  for (const name of SCENE_NAMES) {
    await tell({ chat }, VIEW_SCENES[name]);
    found.push(...(await differences()).map((line) => `${name}: ${line}`));
  }
  expect(found).toEqual([]);
});

test('links are underlined for those who ask VS Code for it', async () => {
  await view.setTheme('dark');
  await tell({ chat }, VIEW_SCENES.markdown);
  const link = chat.getByRole('link', { name: 'The Clock of the client' });
  const line = (): Promise<string> => link.evaluate((one) => getComputedStyle(one).textDecorationLine);
  expect(await line()).toBe('none');
  await chat.evaluate(() =>
    document.documentElement.style.setProperty('--text-link-decoration', 'underline'),
  );
  expect(await line()).toBe('underline');
});

import type { Frame, Page } from 'playwright-core';
import { COLOR_THEMES, type ColorTheme, THEMES } from '../../support/browser/color-themes.ts';
import type { Settings } from './vscode.ts';

export { COLOR_THEMES, type ColorTheme };

/**
 * Windows follow what the system prefers, so that a test changes the theme of an open one at once. A change of the
 * settings file would do it, too, but VS Code does not notice each.
 */

export const SYSTEM_THEMES: Settings = {
  'window.autoDetectColorScheme': true,
  'window.autoDetectHighContrast': true,
  'workbench.preferredDarkColorTheme': 'Dark Modern',
  'workbench.preferredLightColorTheme': 'Light Modern',
  'workbench.preferredHighContrastColorTheme': 'Default High Contrast',
  'workbench.preferredHighContrastLightColorTheme': 'Default High Contrast Light',
};

const HIGH_CONTRAST = 'system-high-contrast';

/**
 * Only VS Code is told that the system has a high contrast. The browser is not: it would paint every page in forced
 * colours of its own. It is kept in the window, and so outlives a reload.
 */
export async function followContrast(page: Page, colorTheme: ColorTheme): Promise<void> {
  await page.addInitScript(
    ({ key, first }) => {
      if (window !== window.top) return;
      const ask = window.matchMedia.bind(window);
      const forced = ask('(forced-colors: active)');
      Object.defineProperty(forced, 'matches', {
        get: () => (sessionStorage.getItem(key) ?? first) === 'true',
      });
      window.matchMedia = (query) => (query === forced.media ? forced : ask(query));
      window.addEventListener(key, () => forced.dispatchEvent(new Event('change')));
    },
    { key: HIGH_CONTRAST, first: String(THEMES[colorTheme].highContrast) },
  );
}

export function schemeOf(colorTheme: ColorTheme): 'dark' | 'light' {
  return THEMES[colorTheme].scheme;
}

export function workbenchClass(colorTheme: ColorTheme): string {
  return THEMES[colorTheme].className;
}

/** Gives an open window another theme, and waits until it and the chat in it have it. */
export async function changeTheme(page: Page, colorTheme: ColorTheme, chat?: Frame): Promise<void> {
  const { scheme, highContrast, className, kind } = THEMES[colorTheme];
  await page.emulateMedia({ colorScheme: scheme });
  await page.evaluate(
    ({ key, value }) => {
      sessionStorage.setItem(key, value);
      window.dispatchEvent(new Event(key));
    },
    { key: HIGH_CONTRAST, value: String(highContrast) },
  );
  await page.locator(`.monaco-workbench.${className}`).waitFor();
  await chat?.locator(`body[data-vscode-theme-kind="${kind}"]`).waitFor();
}

/** Looks at what is shown in each theme, one after the other. */
export async function inEachTheme(
  page: Page,
  look: (colorTheme: ColorTheme) => Promise<void>,
  chat?: Frame,
): Promise<void> {
  for (const colorTheme of COLOR_THEMES) {
    await changeTheme(page, colorTheme, chat);
    await look(colorTheme);
  }
}

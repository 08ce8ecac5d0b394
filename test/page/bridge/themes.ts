import { readFileSync } from 'node:fs';
import { projectPath } from '../../../src/dev/project.mjs';
import type { ColorTheme } from '../../support/browser/color-themes.ts';

/** A theme as VS Code tells it to the page of a webview. */
export interface Theme {
  readonly kind: string;
  /** Of the page's body, where motion is not reduced. */
  readonly className: string;
  readonly variables: Readonly<Record<string, string>>;
}

export function themeFile(name: ColorTheme): string {
  return projectPath('test', 'page', 'bridge', 'themes', `${name}.json`);
}

/** Taken from the real VS Code; a journey there fails when they are not the same any more. */
export function themeOf(name: ColorTheme): Theme {
  return JSON.parse(readFileSync(themeFile(name), 'utf8')) as Theme;
}

/** What VS Code makes of every page of a webview that runs scripts, in each theme. */
export interface WebviewPage {
  /** Of the frame that the page is in. */
  readonly sandbox: string;
  /** Of the page's body. */
  readonly role: string;
  /** The lines of the style sheet that comes before the page's own. */
  readonly style: readonly string[];
}

export function webviewPageFile(version: 'current' | 'oldest'): string {
  return projectPath('test', 'page', 'bridge', 'themes', `page-${version}.json`);
}

/** Taken and compared as the themes are. */
export function webviewPage(version: 'current' | 'oldest' = 'current'): WebviewPage {
  return JSON.parse(readFileSync(webviewPageFile(version), 'utf8')) as WebviewPage;
}

/** Of the room around the page. */
const AROUND = '--vscode-sideBar-background';

/** Pure: the variables of VS Code that a style sheet asks for. */
export function usedVariables(css: string): string[] {
  const own = [...css.matchAll(/var\(\s*(--(?:vscode|monaco|text-link)-[\w-]+)/gu)].map(
    ([, name = '']) => name,
  );
  return [...new Set([...own, AROUND])].toSorted();
}

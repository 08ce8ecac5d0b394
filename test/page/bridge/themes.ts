import { readFileSync } from 'node:fs';
import { projectPath } from '../../../src/dev/project.mjs';
import type { ColorTheme } from '../../support/browser/color-themes.ts';

/** A theme as VS Code tells it to the page of a webview. */
export interface Theme {
  /** The class of the page's body. */
  readonly kind: string;
  readonly variables: Readonly<Record<string, string>>;
}

export function themeFile(name: ColorTheme): string {
  return projectPath('test', 'page', 'bridge', 'themes', `${name}.json`);
}

/** Taken from the real VS Code; a journey there fails when they are not the same any more. */
export function themeOf(name: ColorTheme): Theme {
  return JSON.parse(readFileSync(themeFile(name), 'utf8')) as Theme;
}

/** What VS Code's own style of pages, and the room around them, ask for besides. */
const AROUND = [
  '--monaco-monospace-font',
  '--vscode-editor-background',
  '--vscode-editor-foreground',
  '--vscode-font-family',
  '--vscode-font-size',
  '--vscode-font-weight',
  '--vscode-scrollbarSlider-background',
  '--vscode-sideBar-background',
  '--vscode-textBlockQuote-background',
  '--vscode-textBlockQuote-border',
  '--vscode-textLink-activeForeground',
  '--vscode-textLink-foreground',
  '--vscode-textPreformat-background',
  '--vscode-textPreformat-foreground',
];

/** Pure: the variables of VS Code that a style sheet asks for. */
export function usedVariables(css: string): string[] {
  const own = [...css.matchAll(/var\(\s*(--(?:vscode|monaco)-[\w-]+)/gu)].map(([, name = '']) => name);
  return [...new Set([...own, ...AROUND])].toSorted();
}

/** The themes in which everything is looked at. */
type Theme = {
  readonly scheme: 'dark' | 'light';
  readonly highContrast: boolean;
  /** What VS Code gives the workbench. */
  readonly className: string;
  /** What VS Code tells the page of a webview. */
  readonly kind: string;
};

export const THEMES = {
  dark: { scheme: 'dark', highContrast: false, className: 'vs-dark', kind: 'vscode-dark' },
  light: { scheme: 'light', highContrast: false, className: 'vs', kind: 'vscode-light' },
  'hc-dark': { scheme: 'dark', highContrast: true, className: 'hc-black', kind: 'vscode-high-contrast' },
  'hc-light': {
    scheme: 'light',
    highContrast: true,
    className: 'hc-light',
    kind: 'vscode-high-contrast-light',
  },
} as const satisfies Record<string, Theme>;

export type ColorTheme = keyof typeof THEMES;

export const COLOR_THEMES = Object.keys(THEMES) as readonly ColorTheme[];

import { COLOR_THEMES, type ColorTheme } from '../../support/browser/color-themes.ts';

/** A side bar as VS Code opens it, one that was made wider, and a tab. */
export const WIDTHS = [300, 450, 900] as const;

export const HEIGHT = 640;

export interface Look {
  readonly theme: ColorTheme;
  readonly width: number;
}

/** Every way in which a state is looked at. */
export const LOOKS: readonly Look[] = COLOR_THEMES.flatMap((theme) =>
  WIDTHS.map((width) => ({ theme, width })),
);

const THEME_NAMES: Readonly<Record<ColorTheme, string>> = {
  dark: 'Dark',
  light: 'Light',
  'hc-dark': 'Dark high contrast',
  'hc-light': 'Light high contrast',
};

export function lookName({ theme, width }: Look): string {
  return `${THEME_NAMES[theme]}, ${width} px`;
}

/** Switches for themes and widths, and the rules by which they hide what is not wanted. */
export function lookSwitches(shown: (value: ColorTheme | number) => boolean): string {
  const box = (kind: string, value: ColorTheme | number, words: string): string =>
    `<label><input type="checkbox" data-${kind}="${value}"${shown(value) ? ' checked' : ''}> ${words}</label>`;
  const themes = COLOR_THEMES.map((theme) => box('theme', theme, THEME_NAMES[theme]));
  const widths = WIDTHS.map((width) => box('width', width, `${width} px`));
  const rules = [
    ...COLOR_THEMES.map((one) => hidingRule('theme', one)),
    ...WIDTHS.map((one) => hidingRule('width', one)),
  ];
  return `<style>${rules.join('\n')}</style>
<fieldset><legend>Themes</legend>${themes.join('\n')}</fieldset>
<fieldset><legend>Widths</legend>${widths.join('\n')}</fieldset>`;
}

function hidingRule(kind: 'theme' | 'width', value: ColorTheme | number): string {
  return `body:has(input[data-${kind}="${value}"]:not(:checked)) figure[data-${kind}="${value}"] { display: none; }`;
}

/** The frame of both pages: as plain as a page of the browser itself. */
export const STYLE = `
:root { color-scheme: light dark; font: 14px/1.4 system-ui, sans-serif; }
body { margin: 0; }
h1, h2, h3 { font-size: 1em; margin: 0; }
fieldset { border: 0; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: baseline; }
legend { float: left; padding: 0 8px 0 0; opacity: 0.7; }
code { font-family: ui-monospace, monospace; font-size: 0.9em; opacity: 0.7; }
.note { opacity: 0.7; margin: 2px 0 0; }
section { padding: 12px 16px 20px; border-top: 1px solid color-mix(in srgb, currentColor 15%, transparent); }
.looks { display: flex; flex-wrap: wrap; gap: 16px; margin-top: 8px; }
figure { margin: 0; }
figcaption { font-size: 0.85em; opacity: 0.7; margin-bottom: 4px; }
`;

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

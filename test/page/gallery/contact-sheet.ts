import type { GalleryGroup, GalleryState } from './gallery-state.ts';
import { escaped, HEIGHT, LOOKS, lookName, lookSwitches, type Look, STYLE } from './looks.ts';

export function pictureName({ name }: GalleryState, { theme, width }: Look): string {
  return `${name}-${theme}-${width}.png`;
}

/** One page that shows all pictures of its folder. */
export function contactSheet(groups: readonly GalleryGroup[]): string {
  const sections = groups.flatMap(({ title, states }) => [
    `<h2>${escaped(title)}</h2>`,
    ...states.map(section),
  ]);
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Ledgerline: pictures</title>
    <style>${STYLE}
      header { position: sticky; top: 0; background: Canvas; padding: 8px 16px; display: flex; flex-wrap: wrap; gap: 4px 24px; }
      h2 { padding: 16px; font-size: 1.2em; }
      img { display: block; }
    </style>
  </head>
  <body>
    <header>${lookSwitches((value) => value === 'dark' || value === 'light' || value === 300)}</header>
    <main>${sections.join('\n')}</main>
  </body>
</html>
`;
}

function section(state: GalleryState): string {
  const figures = LOOKS.map(
    (look) => `<figure data-theme="${look.theme}" data-width="${look.width}">
<figcaption>${lookName(look)}</figcaption>
<img src="${pictureName(state, look)}" alt="${escaped(state.title)}" width="${look.width}" height="${state.height ?? HEIGHT}" loading="lazy">
</figure>`,
  );
  return `<section><h3>${escaped(state.title)} <code>${state.name}</code></h3>
<div class="looks">${figures.join('\n')}</div></section>`;
}

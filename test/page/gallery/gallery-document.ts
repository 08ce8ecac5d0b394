import type { GalleryGroup, GalleryState } from './gallery-state.ts';
import { escaped, HEIGHT, LOOKS, lookName, lookSwitches, STYLE } from './looks.ts';

/** What the page of the gallery asks for. */
export type GalleryRequest =
  | { readonly kind: 'open'; readonly id: string; readonly state: string; readonly theme: string }
  | { readonly kind: 'close'; readonly id: string };

/** What it is told. */
export type GalleryAnswer =
  | { readonly kind: 'opened'; readonly id: string; readonly url: string }
  | { readonly kind: 'failed'; readonly id: string; readonly message: string }
  /** The extension is another one now: what is open is to be opened anew. */
  | { readonly kind: 'changed' };

/** A list of all states at the left, and at the right their frames side by side. */
export function galleryDocument(groups: readonly GalleryGroup[]): string {
  const list = groups.map(
    ({ title, states }) => `<li class="group">${escaped(title)}<ul>${states.map(entry).join('')}</ul></li>`,
  );
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Ledgerline: page gallery</title>
    <link rel="icon" href="data:,">
    <style>${STYLE}${LAYOUT}</style>
  </head>
  <body>
    <nav aria-label="States">
      <label class="filter">Filter <input type="search" id="filter" autocomplete="off"></label>
      <ul>${list.join('')}</ul>
    </nav>
    <div class="right">
      <header>
        <h1>Ledgerline</h1>
        ${lookSwitches((value) => value === 'dark' || value === 'light' || value === 300)}
        <p class="note" role="status" id="status"></p>
      </header>
      <main>${groups.flatMap(({ states }) => states.map(section)).join('\n')}</main>
    </div>
    <script>(${galleryScript.toString()})();</script>
  </body>
</html>`;
}

const LAYOUT = `
body { display: grid; grid-template-columns: 270px 1fr; height: 100vh; }
nav { overflow: auto; padding: 8px 0; border-right: 1px solid color-mix(in srgb, currentColor 15%, transparent); }
nav ul { list-style: none; margin: 0; padding: 0; }
nav .group { padding: 8px 12px 0; opacity: 0.9; font-weight: 600; }
nav .group ul { font-weight: normal; margin: 2px 0 0; }
nav a { display: block; padding: 2px 8px; color: inherit; text-decoration: none; border-radius: 3px; }
nav a:hover, nav a[aria-current="true"] { background: color-mix(in srgb, currentColor 12%, transparent); }
.filter { display: flex; gap: 8px; padding: 0 12px; align-items: baseline; }
.filter input { flex: 1; min-width: 0; font: inherit; }
.right { display: flex; flex-direction: column; min-width: 0; min-height: 0; }
header { display: flex; flex-wrap: wrap; gap: 4px 24px; padding: 8px 16px; align-items: baseline; }
main { overflow: auto; flex: 1; }
[hidden] { display: none !important; }
.frame { position: relative; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); overflow: hidden; }
.frame iframe { border: 0; width: 100%; height: 100%; display: block; }
.frame p { margin: 0; padding: 12px; white-space: pre-wrap; overflow-wrap: anywhere; }
`;

function entry({ name, title }: GalleryState): string {
  return `<li data-state="${name}"><a href="#${name}" title="${name}">${escaped(title)}</a></li>`;
}

function section(state: GalleryState): string {
  const note = state.told === undefined ? '' : `<p class="note">Simulated: ${escaped(state.told.why)}.</p>`;
  const figures = LOOKS.map(
    (look) => `<figure data-state="${state.name}" data-theme="${look.theme}" data-width="${look.width}">
<figcaption>${lookName(look)}</figcaption>
<div class="frame" style="width: ${look.width}px; height: ${state.height ?? HEIGHT}px"></div>
</figure>`,
  );
  return `<section id="${state.name}" data-state="${state.name}" aria-label="${escaped(state.title)}">
<h2>${escaped(state.title)} <code>${state.name}</code></h2>${note}
<div class="looks">${figures.join('\n')}</div></section>`;
}

/** Runs in the browser. */
function galleryScript(): void {
  // oxlint-disable unicorn/consistent-function-scoping -- all of this runs in the browser
  const all = (selector: string): readonly HTMLElement[] => [
    ...document.querySelectorAll<HTMLElement>(selector),
  ];
  const filter = document.querySelector<HTMLInputElement>('#filter');
  const status = document.querySelector<HTMLElement>('#status');
  const boxes = [...document.querySelectorAll<HTMLInputElement>('header input[type="checkbox"]')];
  const keyOf = (box: HTMLInputElement): string => box.dataset['theme'] ?? box.dataset['width'] ?? '';
  const frames = new Map<string, HTMLElement>();
  const openings = new Map<Element, { readonly id: string | null; readonly timer: number }>();
  let count = 0;
  let socket: WebSocket | null = null;

  const say = (request: GalleryRequest): void => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(request));
  };
  const open = (figure: HTMLElement): void => {
    const { state = '', theme = '' } = figure.dataset;
    const place = figure.querySelector<HTMLElement>('.frame');
    if (place === null) return;
    const id = `${(count += 1)}`;
    frames.set(id, place);
    openings.set(figure, { id, timer: 0 });
    place.textContent = '';
    place.append(Object.assign(document.createElement('p'), { textContent: 'Opening…' }));
    say({ kind: 'open', id, state, theme });
  };
  const close = (figure: Element): void => {
    const { id = null, timer = 0 } = openings.get(figure) ?? {};
    openings.delete(figure);
    clearTimeout(timer);
    if (id === null) return;
    frames.get(id)?.replaceChildren();
    frames.delete(id);
    say({ kind: 'close', id });
  };
  // A frame is a whole extension: only those in view are there, and none that is only scrolled past.
  const looker = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) close(target);
        else if (!openings.has(target))
          openings.set(target, {
            id: null,
            timer: window.setTimeout(() => open(target as HTMLElement), 150),
          });
      }
    },
    { rootMargin: '100px' },
  );
  const hear = (answer: GalleryAnswer): void => {
    if (answer.kind === 'changed') {
      const shown = [...openings.keys()];
      shown.forEach(close);
      for (const figure of shown) open(figure as HTMLElement);
      return;
    }
    const place = frames.get(answer.id);
    if (place === undefined) return;
    const drawn =
      answer.kind === 'opened'
        ? Object.assign(document.createElement('iframe'), { src: answer.url, title: 'Chat' })
        : Object.assign(document.createElement('p'), { textContent: answer.message });
    place.replaceChildren(drawn);
  };
  const connect = (first: boolean): void => {
    socket = new WebSocket(`${location.origin.replace('http', 'ws')}${location.pathname}/socket`);
    socket.addEventListener('open', () => {
      // Whoever answers again may have other states.
      if (!first) return location.reload();
      for (const figure of all('figure')) looker.observe(figure);
    });
    socket.addEventListener('message', ({ data }) => hear(JSON.parse(String(data)) as GalleryAnswer));
    socket.addEventListener('close', () => {
      if (status !== null) status.textContent = 'Disconnected. Start npm run page again to reconnect.';
      setTimeout(() => connect(false), 500);
    });
  };
  const narrow = (): void => {
    const words = (filter?.value ?? '').toLowerCase().split(/\s+/u);
    for (const one of all('li[data-state], section[data-state]')) {
      const text = `${one.dataset['state']} ${one.textContent}`.toLowerCase();
      one.hidden = !words.every((word) => text.includes(word));
    }
    for (const group of all('nav .group')) group.hidden = group.querySelector('li:not([hidden])') === null;
  };
  const keep = (): void => {
    const shown = boxes.filter(({ checked }) => checked).map(keyOf);
    const query = new URLSearchParams({ show: shown.join(' '), filter: filter?.value ?? '' });
    history.replaceState(null, '', `?${query}${location.hash}`);
  };
  const given = new URLSearchParams(location.search);
  const shown = given.get('show')?.split(' ');
  if (shown !== undefined) for (const box of boxes) box.checked = shown.includes(keyOf(box));
  if (filter !== null) filter.value = given.get('filter') ?? '';
  narrow();
  filter?.addEventListener('input', () => {
    narrow();
    document.querySelector('main')?.scrollTo(0, 0);
    keep();
  });
  for (const box of boxes) box.addEventListener('change', keep);
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target === filter) return;
    event.preventDefault();
    filter?.focus();
  });
  const mark = (): void => {
    for (const link of document.querySelectorAll<HTMLAnchorElement>('nav a'))
      link.ariaCurrent = String(link.hash === location.hash);
  };
  window.addEventListener('hashchange', mark);
  mark();
  connect(true);
}

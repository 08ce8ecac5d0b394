import { type Theme, webviewPage } from './themes.ts';

/** What is done in a page once it is there, by selectors: for what a page is asked to show, and keeps to itself. */
export type Act =
  | { readonly press: string }
  | { readonly write: string; readonly into: string }
  | { readonly await: string };

/** The parent of a page, in the place of the workbench: it carries words to and fro, and draws nothing. */
export function frameDocument({ path, theme }: { readonly path: string; readonly theme: Theme }): string {
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Ledgerline</title>
    <style>html, body { height: 100%; margin: 0; overflow: hidden; } iframe { border: 0; width: 100%; height: 100%; display: block; }</style>
  </head>
  <body style="background: ${theme.variables['--vscode-sideBar-background'] ?? 'transparent'}">
    <script>(${frameScript.toString()})(${JSON.stringify({ path, sandbox: webviewPage().sandbox })});</script>
  </body>
</html>`;
}

/** Runs in the browser. */
function frameScript({ path, sandbox }: { readonly path: string; readonly sandbox: string }): void {
  type FromHost =
    | { readonly kind: 'post'; readonly message: unknown }
    | { readonly kind: 'show' | 'hide' | 'reload' }
    | { readonly kind: 'theme'; readonly theme: Theme }
    | { readonly kind: 'act'; readonly acts: readonly Act[] };
  const socket = new WebSocket(`${location.origin.replace('http', 'ws')}${path}/socket`);
  let frame: HTMLIFrameElement | null = null;
  const hide = (): void => {
    frame?.remove();
    frame = null;
  };
  const show = (): void => {
    hide();
    frame = document.createElement('iframe');
    frame.title = 'Chat';
    frame.setAttribute('sandbox', sandbox);
    frame.allow = 'clipboard-read; clipboard-write';
    frame.src = `${path}/page`;
    // Who opens a view works in it; of many views side by side, none takes the keyboard by itself.
    if (parent === window)
      frame.addEventListener('load', ({ currentTarget }) =>
        (currentTarget as HTMLIFrameElement).contentWindow?.focus(),
      );
    document.body.append(frame);
  };
  const paint = ({ kind, className, variables }: Theme): void => {
    document.body.style.background = variables['--vscode-sideBar-background'] ?? 'transparent';
    const inside = frame?.contentDocument;
    if (inside === null || inside === undefined) return;
    inside.documentElement.removeAttribute('style');
    for (const [name, value] of Object.entries(variables))
      inside.documentElement.style.setProperty(name, value);
    const reduced = inside.body.classList.contains('vscode-reduce-motion');
    inside.body.className = reduced ? `${className} vscode-reduce-motion` : className;
    inside.body.dataset['vscodeThemeKind'] = kind;
  };
  const found = (selector: string): Promise<HTMLElement> =>
    new Promise((resolve, reject) => {
      let [last, waited] = [performance.now(), 0];
      const look = (): void => {
        const element = frame?.contentDocument?.querySelector<HTMLElement>(selector) ?? null;
        if (element !== null) return resolve(element);
        // A page in the background is not drawn: that time does not count.
        const now = performance.now();
        waited += Math.min(now - last, 250);
        last = now;
        if (waited < 15_000) requestAnimationFrame(look);
        else reject(new Error(`Couldn't find ${selector} within 15 seconds.`));
      };
      look();
    });
  const act = async (acts: readonly Act[]): Promise<void> => {
    // Before that the host's first words would replace what is shown.
    await found('.log[aria-busy="false"]');
    for (const one of acts) {
      const element = await found('press' in one ? one.press : 'into' in one ? one.into : one.await);
      if ('press' in one) element.click();
      if ('into' in one) {
        Object.assign(element, { value: one.write });
        element.dispatchEvent(new InputEvent('input', { bubbles: true }));
      }
      // What comes of it is drawn before the next.
      for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame);
    }
  };
  Object.assign(window, { toHost: (message: unknown) => socket.send(JSON.stringify(message)) });
  socket.addEventListener('message', ({ data }) => {
    const said = JSON.parse(String(data)) as FromHost;
    if (said.kind === 'post') frame?.contentWindow?.postMessage(said.message, '*');
    if (said.kind === 'show') show();
    if (said.kind === 'hide') hide();
    if (said.kind === 'reload') location.reload();
    if (said.kind === 'theme') paint(said.theme);
    if (said.kind === 'act')
      act(said.acts).catch((reason: unknown) => {
        const note = document.createElement('p');
        note.setAttribute('role', 'alert');
        note.style.cssText =
          'position: fixed; inset: auto 0 0; margin: 0; padding: 8px; font: 13px sans-serif; background: #fff; color: #a00;';
        note.textContent = String(reason);
        document.body.append(note);
      });
  });
}

/**
 * The page as the extension wrote it, with what VS Code puts before it: its API, the theme, and the default style.
 * The page's own policy comes after these, and holds for all that follows.
 */
export function pageDocument(options: {
  readonly html: string;
  readonly theme: Theme;
  readonly kept: string | undefined;
}): string {
  const { html, theme, kept } = options;
  const style = Object.entries(theme.variables)
    .map(([name, value]) => `${name}: ${value};`)
    .join(' ');
  const page = webviewPage();
  const before = `<style id="_defaultStyles">${page.style.join('\n')}</style><script>(${apiScript.toString()})(${scriptJson(kept)});</script>`;
  return html
    .replace(/<html([^>]*)>/u, (_, rest: string) => `<html${rest} style="${attribute(style)}">`)
    .replace('<head>', () => `<head>${before}`)
    .replace(
      '<body>',
      `<body class="${theme.className}" role="${page.role}" data-vscode-theme-kind="${theme.kind}">`,
    );
}

/** Runs in the browser. */
function apiScript(kept: string | null): void {
  const { toHost } = parent as unknown as { toHost: (message: unknown) => void };
  // Kept as JSON from the moment that it is given, so that what a reload would lose is lost at once.
  let state = kept ?? undefined;
  let acquired = false;
  Object.assign(window, {
    acquireVsCodeApi: () => {
      if (acquired) throw new Error('An instance of the VS Code API has already been acquired');
      acquired = true;
      return {
        postMessage: (message: unknown) => toHost({ kind: 'said', message }),
        getState: (): unknown => (state === undefined ? undefined : JSON.parse(state)),
        setState: (next: unknown) => {
          state = JSON.stringify(next);
          toHost({ kind: 'kept', state });
          return next;
        },
      };
    },
  });
  const motion = matchMedia('(prefers-reduced-motion: reduce)');
  const tellMotion = (): void => {
    document.body.classList.toggle('vscode-reduce-motion', motion.matches);
  };
  motion.addEventListener('change', tellMotion);
  document.addEventListener('DOMContentLoaded', tellMotion);
}

/** A closing tag inside of a script would end it. */
function scriptJson(value: unknown): string {
  return JSON.stringify(value ?? null).replaceAll('<', '\\u003c');
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

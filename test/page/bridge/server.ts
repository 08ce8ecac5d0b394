import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { type WebSocket, WebSocketServer } from 'ws';
import { say } from '../../../src/dev/progress.mjs';
import { projectPath } from '../../../src/dev/project.mjs';
import type { ColorTheme } from '../../support/browser/color-themes.ts';
import { type Act, frameDocument, pageDocument } from './documents.ts';
import type { PageWebview } from './page-webview.ts';
import { themeOf } from './themes.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
};

/** Enough for a message with all the attachments that it may have. */
const LARGEST_MESSAGE = 64 * 1024 * 1024;

/** A place in a browser where the page of one webview is drawn. */
export interface Placed {
  readonly url: string;
  readonly setTheme: (theme: ColorTheme) => void;
  /** As the view that another one covers: the page is thrown away, and drawn again when it is shown. */
  readonly show: (visible: boolean) => void;
  /** What is done in the page each time that it has come. */
  readonly act: (acts: readonly Act[]) => void;
  /** Draws the page once more, as for changed files. */
  readonly reload: () => void;
  readonly remove: () => void;
}

export interface PageServer {
  readonly origin: string;
  readonly place: (webview: PageWebview, theme: ColorTheme) => Placed;
  /** Answers under an address of its own, besides the pages, and takes the socket that its document opens. */
  readonly serve: (address: string, served: Served) => string;
  readonly close: () => Promise<void>;
}

export interface Served {
  readonly document: () => string | Promise<string>;
  readonly converse?: (socket: WebSocket) => void;
}

interface Entry {
  readonly webview: PageWebview;
  theme: ColorTheme;
  acts: readonly Act[];
  socket: WebSocket | null;
}

/**
 * Serves pages to a browser on this machine. Addresses are random: no other page that the browser has open can speak to
 * the tools behind them.
 */
export async function startPageServer(port = 0): Promise<PageServer> {
  const entries = new Map<string, Entry>();
  const documents = new Map<string, Served>();
  const server = createServer((request, response) => {
    answer(request, { entries, documents }).then(
      (found) => reply(response, found),
      (error: unknown) => {
        say(String(error));
        reply(response, BROKEN);
      },
    );
  });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: LARGEST_MESSAGE });
  server.on('upgrade', (request, socket, head) => {
    // A browser may go at any time, and a message may be too large: the socket is closed then.
    socket.on('error', () => socket.destroy());
    const [kind = '', id = ''] = partsOf(request);
    const entry = entries.get(id);
    const take =
      entry === undefined ? documents.get(kind)?.converse : (opened: WebSocket) => converse(entry, opened);
    if (take === undefined) return void socket.destroy();
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on('error', () => opened.terminate());
      take(opened);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    place: (webview, theme) => {
      const id = randomUUID();
      const entry: Entry = { webview, theme, acts: [], socket: null };
      entries.set(id, entry);
      const tell = (message: object): void => entry.socket?.send(JSON.stringify(message));
      return {
        url: `${origin}/webview/${id}`,
        setTheme: (next) => {
          entry.theme = next;
          tell({ kind: 'theme', theme: themeOf(next) });
        },
        show: (visible) => {
          webview.show(visible);
          tell({ kind: visible ? 'show' : 'hide' });
        },
        act: (acts) => {
          entry.acts = acts;
          tell({ kind: 'act', acts });
        },
        reload: () => tell({ kind: 'reload' }),
        remove: () => {
          entry.socket?.close();
          entries.delete(id);
        },
      };
    },
    serve: (address, served) => {
      documents.set(address, served);
      return `${origin}/${address}`;
    },
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function converse(entry: Entry, socket: WebSocket): void {
  const { webview } = entry;
  const draw = (message: unknown): void => socket.send(JSON.stringify({ kind: 'post', message }));
  entry.socket = socket;
  webview.connect(draw);
  socket.on('message', (data: Buffer) => {
    const said = parsed(data) as { kind: string; message?: unknown; state?: string } | null;
    if (said === null) return;
    if (said.kind === 'kept') webview.kept = said.state;
    else webview.hears(said.message);
  });
  socket.on('close', () => webview.disconnect(draw));
  if (!webview.isVisible) return;
  socket.send(JSON.stringify({ kind: 'show' }));
  if (entry.acts.length > 0) socket.send(JSON.stringify({ kind: 'act', acts: entry.acts }));
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array;
}

const BROKEN: Answer = {
  status: 500,
  type: 'text/plain',
  body: 'This page could not be made. The terminal says why.',
};
const MISSING: Answer = { status: 404, type: 'text/plain', body: 'Not found' };

async function answer(
  request: IncomingMessage,
  { entries, documents }: { entries: ReadonlyMap<string, Entry>; documents: ReadonlyMap<string, Served> },
): Promise<Answer> {
  const [kind = '', id = '', what] = partsOf(request);
  if (kind === 'files') return file(projectPath(...partsOf(request).slice(1)));
  const served = documents.get(kind);
  if (served !== undefined)
    return { status: 200, type: 'text/html; charset=utf-8', body: await served.document() };
  const entry = kind === 'webview' ? entries.get(id) : undefined;
  if (entry === undefined) return MISSING;
  const theme = themeOf(entry.theme);
  const { html, kept } = entry.webview;
  const body =
    what === 'page' ? pageDocument({ html, theme, kept }) : frameDocument({ path: `/webview/${id}`, theme });
  return { status: 200, type: 'text/html; charset=utf-8', body };
}

/** Of the project only what a webview may load. */
async function file(name: string): Promise<Answer> {
  const allowed = [projectPath('dist', 'webview'), projectPath('media')];
  const type = TYPES[path.extname(name)];
  if (type === undefined || !allowed.some((folder) => name.startsWith(`${folder}${path.sep}`)))
    return MISSING;
  const body = await readFile(name).catch(() => null);
  return body === null ? MISSING : { status: 200, type, body };
}

/** None of an address that is malformed. */
function partsOf({ url = '/' }: IncomingMessage): readonly string[] {
  try {
    return new URL(url, 'http://localhost').pathname.split('/').slice(1).map(decodeURIComponent);
  } catch {
    return [];
  }
}

/** What a page says, or `null` if it makes no sense. */
export function parsed(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString());
  } catch {
    return null;
  }
}

function reply(response: ServerResponse, { status, type, body }: Answer): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
  response.end(body);
}

import type { WebSocket } from 'ws';
import { say } from '../../../src/dev/progress.mjs';
import { COLOR_THEMES } from '../../support/browser/color-themes.ts';
import { parsed, startPageServer } from '../bridge/server.ts';
import { GROUPS, STATES } from './all-states.ts';
import { type GalleryAnswer, galleryDocument, type GalleryRequest } from './gallery-document.ts';
import { Stage } from './stage.ts';

export interface Gallery {
  readonly url: string;
  readonly port: number;
  /** The files of the page are others now. */
  readonly redraw: () => void;
  /** The extension is another one now. */
  readonly openAnew: () => void;
  readonly close: () => Promise<void>;
}

/**
 * Serves all states to a browser. Each frame has an extension of its own, which goes with it: a webview has one page at a
 * time, and a recording of what one page was told would look right only until somebody presses a button in it.
 */
export async function startGallery(options: {
  readonly port: number;
  readonly address: string;
}): Promise<Gallery> {
  const server = await startPageServer(options.port);
  const visitors = new Set<Visitor>();
  const url = server.serve(options.address, {
    document: () => galleryDocument(GROUPS),
    converse: (socket) => {
      const visitor = new Visitor(socket, (state, theme) => Stage.open(server, state, theme));
      visitors.add(visitor);
      socket.on('close', () => visitors.delete(visitor));
    },
  });
  return {
    url,
    port: Number(new URL(url).port),
    redraw: () => visitors.forEach((visitor) => visitor.redraw()),
    openAnew: () => visitors.forEach((visitor) => visitor.tell({ kind: 'changed' })),
    close: async () => {
      const leaving = [...visitors].map((visitor) => visitor.leave());
      await Promise.all(leaving);
      await server.close();
    },
  };
}

type Open = (state: (typeof STATES)[number], theme: (typeof COLOR_THEMES)[number]) => Promise<Stage>;

/** One page of the gallery, and what it has open. */
class Visitor {
  private readonly stages = new Map<string, Promise<Stage | null>>();

  constructor(
    private readonly socket: WebSocket,
    private readonly open: Open,
  ) {
    socket.on('message', (data: Buffer) => this.hear(parsed(data) as GalleryRequest | null));
    socket.on('close', () => void this.leave());
  }

  tell(answer: GalleryAnswer): void {
    this.socket.send(JSON.stringify(answer));
  }

  redraw(): void {
    for (const stage of this.stages.values())
      stage.then((opened) => opened?.window.redraw()).catch((fault: unknown) => say(String(fault)));
  }

  async leave(): Promise<void> {
    await Promise.all([...this.stages.keys()].map((id) => this.end(id)));
  }

  private hear(request: GalleryRequest | null): void {
    if (request === null) return;
    if (request.kind === 'close') return void this.end(request.id);
    const { id } = request;
    const state = STATES.find(({ name }) => name === request.state);
    const theme = COLOR_THEMES.find((name) => name === request.theme);
    if (state === undefined || theme === undefined) return;
    const opening = this.open(state, theme).then(
      (stage) => {
        this.tell({ kind: 'opened', id, url: stage.url });
        return stage;
      },
      (error: unknown) => {
        this.tell({ kind: 'failed', id, message: String(error) });
        return null;
      },
    );
    this.stages.set(id, opening);
  }

  /** Also one that is still being opened. Never rejects: what does not close is said. */
  private async end(id: string): Promise<void> {
    const stage = this.stages.get(id);
    this.stages.delete(id);
    try {
      await (await stage)?.close();
    } catch (fault) {
      say(`A state did not close: ${String(fault)}`);
    }
  }
}

import path from 'node:path';
import { PROJECT } from '../../../src/dev/project.mjs';
import { vscodeDouble } from '../../host/vscode-double.ts';

/** A webview of the extension, and the page that is drawn for it: one at a time, and none while it is hidden. */
export class PageWebview {
  html = '';
  /** What the page asked to be kept for its next coming, as JSON. */
  kept: string | undefined = undefined;
  private visible = true;
  private closed = false;
  private draw: ((message: unknown) => void) | null = null;
  private readonly received = new vscodeDouble.EventEmitter();
  private readonly posted = new vscodeDouble.EventEmitter();
  private readonly changed = new vscodeDouble.EventEmitter();
  private readonly gone = new vscodeDouble.EventEmitter();
  /** Where its files are served from, for its policy. */
  cspSource = '';

  private readonly webview = this.asWebview();

  /** What the page says, and what it is told, for those who look on. */
  readonly onHeard = this.received.event;
  readonly onPosted = this.posted.event;

  /** As VS Code hands it out for a view. */
  readonly view = this.asView();

  /** As VS Code hands it out for a tab. */
  readonly panel = Object.assign(this.asView(), { title: '', reveal: () => undefined, iconPath: undefined });

  get isVisible(): boolean {
    return this.visible;
  }

  /** A page has come: from now on it is told what the extension says. */
  connect(draw: (message: unknown) => void): void {
    this.draw = draw;
  }

  disconnect(draw: (message: unknown) => void): void {
    if (this.draw === draw) this.draw = null;
  }

  hears(message: unknown): void {
    this.received.fire(message);
  }

  /** Tells the page something; answers whether there is one. */
  post(message: unknown): boolean {
    this.posted.fire(message);
    this.draw?.(message);
    return this.draw !== null;
  }

  /** A view that another one covers: its page is thrown away. */
  show(visible: boolean): void {
    this.visible = visible;
    this.changed.fire({ webviewPanel: this.panel });
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.gone.fire(undefined);
  }

  private asWebview(): object {
    const webview = {
      options: {},
      asWebviewUri: ({ fsPath }: { readonly fsPath: string }) => fileAddress(fsPath),
      onDidReceiveMessage: this.received.event,
      postMessage: async (message: unknown) => this.post(message),
    };
    return Object.defineProperties(webview, {
      html: {
        get: () => this.html,
        set: (html: string) => {
          this.html = html;
        },
      },
      cspSource: { get: () => this.cspSource },
    });
  }

  private asView(): object {
    const view = {
      webview: this.webview,
      onDidChangeVisibility: this.changed.event,
      onDidChangeViewState: this.changed.event,
      onDidDispose: this.gone.event,
      dispose: () => this.close(),
    };
    return Object.defineProperties(view, {
      visible: { get: () => this.visible },
      active: { get: () => this.visible },
    });
  }
}

/** Where the server has a file of the project, whatever the folder of the project is called. */
function fileAddress(file: string): string {
  const parts = path.relative(PROJECT, file).split(path.sep);
  return `/files/${parts.map(encodeURIComponent).join('/')}`;
}

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PROJECT, projectPath } from '../../../src/dev/project.mjs';
import { API_KEY_SECRET } from '../../../src/host/contribution-ids.ts';
import type { ColorTheme } from '../../support/browser/color-themes.ts';
import { count } from '../../support/browser/counts.ts';
import { oneAfterAnother } from '../../support/browser/one-after-another.ts';
import { type Extension, loadExtension } from './extension-code.ts';
import { Memory } from './memory.ts';
import type { PageWebview } from './page-webview.ts';
import type { Act } from './documents.ts';
import type { PageServer, Placed } from './server.ts';
import { StandIn, type Values, type WindowState } from './vscode-api.ts';

export interface WindowOptions {
  readonly folders?: readonly string[];
  /** False for a window in restricted mode. */
  readonly trusted?: boolean;
  readonly settings?: Values;
  readonly apiKey?: string;
  readonly colorTheme?: ColorTheme;
  readonly language?: 'en' | 'de';
  /** A storage to go on with, which then is not removed; otherwise a fresh one. */
  readonly storage?: string;
}

/** Has no chat yet when it could not open one. */
interface Started {
  readonly standIn: StandIn;
  readonly extension: Extension;
  readonly chat: Placed | null;
}

type Opened = Started & { readonly chat: Placed };

/** A window without a workbench: the real extension, with one page in a browser. */
export class PageWindow {
  readonly storage: string;
  private readonly server: PageServer;
  private readonly state: WindowState;
  private readonly isOwn: boolean;
  private theme: ColorTheme;
  private current: Opened | null = null;
  /** The pages of tabs, in the order in which they were opened. */
  readonly tabs: Placed[] = [];

  private constructor(server: PageServer, state: WindowState, options: WindowOptions) {
    this.server = server;
    this.state = state;
    this.storage = state.storage;
    this.isOwn = options.storage === undefined;
    this.theme = options.colorTheme ?? 'dark';
  }

  static async open(server: PageServer, options: WindowOptions = {}): Promise<PageWindow> {
    const { folders = [], trusted = true, settings = {}, language = 'en', apiKey } = options;
    const storage = options.storage ?? (await mkdtemp(path.join(tmpdir(), 'ledgerline-page-')));
    const state: WindowState = {
      folders,
      trusted,
      settings: { ...settings },
      language,
      words: language === 'en' ? undefined : await translations(language),
      storage,
      extension: PROJECT,
      workspaceState: new Memory(),
      globalState: new Memory(),
      secrets: new Map(apiKey === undefined ? [] : [[API_KEY_SECRET, apiKey]]),
    };
    const window = new PageWindow(server, state, options);
    count('pages');
    try {
      await window.start();
    } catch (error) {
      await window.close();
      throw error;
    }
    return window;
  }

  get vscode(): StandIn {
    return this.opened.standIn;
  }

  get url(): string {
    return this.opened.chat.url;
  }

  setTheme(theme: ColorTheme): void {
    // A test could not wait for this: the page looks the same before and after.
    if (theme === this.theme) return;
    this.theme = theme;
    for (const placed of [this.opened.chat, ...this.tabs]) placed.setTheme(theme);
  }

  show(visible: boolean): void {
    this.opened.chat.show(visible);
  }

  /** Done in the chat each time that its page has come. */
  act(acts: readonly Act[]): void {
    this.opened.chat.act(acts);
  }

  /** Draws the pages once more, as for changed files; the extension goes on meanwhile. */
  redraw(): void {
    for (const placed of [this.opened.chat, ...this.tabs]) placed.reload();
  }

  setApiKey(key: string): Promise<void> {
    return this.vscode.secrets.store(API_KEY_SECRET, key);
  }

  /** Ends the extension and starts it again, as VS Code does for a reload; the page is to be opened again by its url. */
  async reload(): Promise<void> {
    const kept = this.vscode.webviews[0]?.kept;
    count('reloads');
    await this.stop();
    await this.start(kept);
  }

  async close(): Promise<void> {
    await oneAfterAnother(
      () => this.stop(),
      async () => this.isOwn && (await rm(this.storage, { recursive: true, force: true, maxRetries: 5 })),
    );
  }

  private async start(kept?: string): Promise<void> {
    const placed = (webview: PageWebview): Placed => {
      webview.cspSource = this.server.origin;
      return this.server.place(webview, this.theme);
    };
    let chat: Placed | null = null;
    const standIn = new StandIn(this.state, (webview) => {
      if (chat === null) {
        webview.kept = kept;
        chat = placed(webview);
      } else this.tabs.push(placed(webview));
    });
    const extension = loadExtension(standIn.api);
    try {
      await extension.activate(standIn.context);
      standIn.openChat();
      if (chat === null) throw new Error('no chat was opened');
      this.current = { standIn, chat, extension };
    } catch (error) {
      await this.end({ standIn, chat, extension });
      throw error;
    }
  }

  private async stop(): Promise<void> {
    const { current } = this;
    this.current = null;
    if (current !== null) await this.end(current);
  }

  private async end({ standIn, chat, extension }: Started): Promise<void> {
    await oneAfterAnother(
      () => standIn.close(),
      () => [...(chat === null ? [] : [chat]), ...this.tabs.splice(0)].forEach((placed) => placed.remove()),
      () => extension.deactivate(),
      () => standIn.dispose(),
    );
  }

  private get opened(): Opened {
    if (this.current === null) throw new Error('the window is not open');
    return this.current;
  }
}

async function translations(language: string): Promise<Record<string, string>> {
  const file = projectPath('media', 'l10n', `bundle.l10n.${language}.json`);
  return JSON.parse(await readFile(file, 'utf8')) as Record<string, string>;
}

import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { say } from '../../../src/dev/progress.mjs';
import type { ColorTheme } from '../../support/browser/color-themes.ts';
import { type ResponsesServer, startResponsesServer } from '../../support/responses-server/server.ts';
import { PageWindow, type WindowOptions } from '../bridge/page-window.ts';
import type { PageServer } from '../bridge/server.ts';
import { castModel } from './cast.ts';
import type { GalleryState } from './gallery-state.ts';
import { Onlooker } from './onlooker.ts';

const KEY = 'sk-gallery';

/**
 * One state of the product, made by the real extension in a window of its own: on a folder and a storage that are
 * removed with it.
 */
export class Stage {
  private readonly opened: PageWindow[] = [];
  private readonly seen: Onlooker[] = [];
  private readonly folders: string[] = [];
  private provider: ResponsesServer | null = null;
  /** The folder that the window has open. */
  workspace = '';

  private constructor(
    private readonly server: PageServer,
    private readonly state: GalleryState,
    private readonly theme: ColorTheme,
  ) {}

  /** Resolves when the state is reached: the page is then to be opened by its url. */
  static async open(server: PageServer, state: GalleryState, theme: ColorTheme): Promise<Stage> {
    const stage = new Stage(server, state, theme);
    try {
      await stage.begin();
      return stage;
    } catch (error) {
      const logged = stage.opened.at(-1)?.vscode.logged.join('\n') ?? '';
      await stage.close().catch((fault: unknown) => say(`${state.name} did not close: ${String(fault)}`));
      throw new Error(`${state.name}: ${String(error)}\n${logged}`, { cause: error });
    }
  }

  get window(): PageWindow {
    const window = this.opened.at(-1);
    if (window === undefined) throw new Error('the window is not open');
    return window;
  }

  get url(): string {
    const { tabs, url } = this.window;
    return this.state.tab === true ? (tabs.at(-1)?.url ?? url) : url;
  }

  /** What the page is told, and what it would say. */
  get page(): Onlooker {
    const seen = this.seen.at(-1);
    if (seen === undefined) throw new Error('the window is not open');
    return seen;
  }

  /** A log as another run left it, opened. */
  async openLog(lines: readonly string[], id = 'gallery'): Promise<void> {
    await this.writeLog(lines, id);
    await this.openSession(id);
  }

  async writeLog(lines: readonly string[], id: string): Promise<void> {
    const folder = path.join(this.window.storage, 'sessions');
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, `${id}.jsonl`), lines.map((line) => `${line}\n`).join(''));
  }

  async openSession(session_id: string): Promise<void> {
    this.page.say({ type: 'open_session', session_id });
    await this.page.until('the session', (one) => one.type === 'snapshot' && one.session_id === session_id);
    await this.page.answered();
  }

  /** Another window on the same storage, in which the session of this one is open. */
  async secondWindow(): Promise<void> {
    await this.openAgain(this.window.storage);
  }

  /** What a host leaves behind that is killed now: all that is whole on disk, and what runs goes on. */
  async killHost(): Promise<void> {
    const storage = await this.newFolder('storage');
    // A file that is being written has its name a moment later, or never.
    await cp(this.window.storage, storage, { recursive: true, filter: (from) => !from.endsWith('.tmp') });
    const sessions = path.join(storage, 'sessions');
    const leases = (await readdir(sessions)).filter((name) => name.endsWith('.lease'));
    for (const lease of leases) await rm(path.join(sessions, lease));
    await this.openAgain(storage);
  }

  /** Closes everything, also after a part of it that does not close. */
  async close(): Promise<void> {
    for (const seen of this.seen.splice(0)) seen.close();
    const steps = [
      ...this.opened
        .splice(0)
        .toReversed()
        .map((window) => () => window.close()),
      async () => this.provider?.close(),
      ...this.folders
        .splice(0)
        .map((folder) => () => rm(folder, { recursive: true, force: true, maxRetries: 5 })),
    ];
    const faults: unknown[] = [];
    for (const step of steps) await step().catch((fault: unknown) => faults.push(fault));
    if (faults.length > 0) throw new Error(faults.map(String).join('\n'));
  }

  private async begin(): Promise<void> {
    const { files, model, settings, trusted, language, prepare, acts } = this.state;
    if (files !== null) await this.makeWorkspace(files);
    const isOffline = model === undefined;
    if (!isOffline && model !== 'no_key')
      this.provider = await startResponsesServer({
        model: typeof model === 'function' ? model : castModel(model),
      });
    await this.openWindow({
      folders: files === null ? [] : [this.workspace],
      settings: {
        ...(isOffline ? { 'ledgerline.provider': 'offline' } : {}),
        ...(this.provider === null
          ? {}
          : { 'ledgerline.baseUrl': this.provider.url, 'ledgerline.transport': 'sse' }),
        ...settings,
      },
      ...(this.provider === null ? {} : { apiKey: KEY }),
      ...(language === undefined ? {} : { language }),
      ...(trusted === undefined ? {} : { trusted }),
      colorTheme: this.theme,
      storage: await this.newFolder('storage'),
    });
    await prepare?.(this);
    await this.page.answered();
    const { told } = this.state;
    this.page.leave(told === undefined ? [] : told.messages());
    if (acts !== undefined) this.window.act(acts);
  }

  private options: WindowOptions = {};

  private async openWindow(options: WindowOptions): Promise<void> {
    this.options = options;
    const window = await PageWindow.open(this.server, options);
    this.opened.push(window);
    const [webview] = window.vscode.webviews;
    if (webview === undefined) throw new Error('no chat was opened');
    this.seen.push(new Onlooker(webview));
    await this.page.come();
  }

  private async openAgain(storage: string): Promise<void> {
    const { session_id } = this.page;
    await this.openWindow({ ...this.options, storage });
    await this.openSession(session_id);
  }

  private async makeWorkspace(files: Readonly<Record<string, string>> = {}): Promise<void> {
    this.workspace = await this.newFolder('workspace');
    for (const [name, text] of Object.entries({ 'notes.txt': 'first line\nsecond line\n', ...files })) {
      const file = path.join(this.workspace, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text);
    }
  }

  private async newFolder(what: string): Promise<string> {
    const folder = await mkdtemp(path.join(tmpdir(), `ledgerline-gallery-${what}-`));
    this.folders.push(folder);
    return folder;
  }
}

import { EventEmitter as NodeEmitter } from 'node:events';
import { existsSync, watch, type Dirent, type FSWatcher } from 'node:fs';
import { copyFile, glob, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Uri, vscodeDouble } from '../../host/vscode-double.ts';
import type { Memory } from './memory.ts';
import { PageWebview } from './page-webview.ts';
import type { TreeProvider } from './trees.ts';

/**
 * As much of VS Code as the extension asks for, once for each window: its settings, its folders, its memory and its
 * webviews. Nothing of it stands between the page and the log: what the page says reaches the extension's own code.
 */

export type Values = Readonly<Record<string, unknown>>;

export interface WindowState {
  readonly folders: readonly string[];
  readonly trusted: boolean;
  /** By their whole names, as in settings.json. */
  readonly settings: Record<string, unknown>;
  readonly language: string;
  /** Translations of the extension's own words, by the English ones. */
  readonly words: Readonly<Record<string, string>> | undefined;
  readonly storage: string;
  readonly extension: string;
  /** What outlives a reload. */
  readonly workspaceState: Memory;
  readonly globalState: Memory;
  readonly secrets: Map<string, string>;
}

/** A question or a notification, until it is answered. */
export interface Asked {
  readonly text: string;
  readonly buttons: readonly string[];
  readonly answer: (button: string | undefined) => void;
}

type Listener = (value: unknown) => void;

/** The window around the extension: what a test does to it, and sees of it. */
export class StandIn {
  readonly asked: Asked[] = [];
  /** What VS Code itself was asked to do, such as to open a file. */
  readonly executed: (readonly unknown[])[] = [];
  readonly webviews: PageWebview[] = [];
  /** By their ids. */
  readonly trees = new Map<string, TreeProvider>();
  readonly clipboard = { text: '' };
  readonly logged: string[] = [];
  /** What the extension asked VS Code to dispose of once it is over. */
  private readonly subscriptions: { dispose(): unknown }[] = [];
  private readonly heard = new NodeEmitter();
  private readonly commands = new Map<string, (...args: readonly unknown[]) => unknown>();
  private readonly watchers: FSWatcher[] = [];
  private closed = false;
  private provider: { resolveWebviewView(view: unknown): void } | undefined;

  readonly state: WindowState;
  private readonly onWebview: (webview: PageWebview) => void;

  constructor(state: WindowState, onWebview: (webview: PageWebview) => void) {
    this.state = state;
    this.onWebview = onWebview;
    this.heard.setMaxListeners(0);
  }

  /** The chat in the side bar, once the extension is active. */
  openChat(): PageWebview {
    const { provider } = this;
    if (provider === undefined) throw new Error('the extension has registered no chat');
    const webview = this.newWebview();
    provider.resolveWebviewView(webview.view);
    return webview;
  }

  changeSettings(settings: Values): void {
    Object.assign(this.state.settings, settings);
    const names = Object.keys(settings);
    this.heard.emit('configuration', {
      affectsConfiguration: (section: string) =>
        names.some((name) => name === section || name.startsWith(`${section}.`)),
    });
  }

  run(command: string, ...args: readonly unknown[]): Promise<unknown> {
    return this.execute(command, ...args);
  }

  close(): void {
    this.closed = true;
    for (const watcher of this.watchers) watcher.close();
    for (const webview of this.webviews) webview.close();
  }

  /** As VS Code does once the extension is deactivated. */
  async dispose(): Promise<void> {
    for (const one of this.subscriptions.splice(0).toReversed()) await one.dispose();
  }

  get context(): object {
    const { storage, extension, workspaceState, globalState } = this.state;
    return {
      subscriptions: this.subscriptions,
      extensionUri: Uri.file(extension),
      extension: { packageJSON: { version: '0.0.0' } },
      storageUri: Uri.file(storage),
      globalStorageUri: Uri.file(storage),
      workspaceState,
      globalState,
      secrets: this.secrets,
    };
  }

  get api(): object {
    return {
      ...vscodeDouble,
      FileSystemError,
      version: 'page',
      UIKind: { Desktop: 1, Web: 2 },
      Position: class {
        constructor(
          readonly line: number,
          readonly character: number,
        ) {}
      },
      Selection: vscodeDouble.Range,
      Disposable: Disposable,
      env: {
        appRoot: null,
        language: this.state.language,
        uiKind: 2,
        remoteName: undefined,
        clipboard: {
          writeText: async (text: string) => void (this.clipboard.text = text),
          readText: async () => this.clipboard.text,
        },
      },
      l10n: { bundle: this.state.words, t: this.translate },
      extensions: { getExtension: () => undefined },
      languages: {
        ...vscodeDouble.languages,
        registerCodeActionsProvider: nothing,
      },
      commands: {
        executeCommand: this.execute,
        getCommands: async () => [...this.commands.keys()],
        registerCommand: (id: string, handler: () => unknown) => {
          this.commands.set(id, handler);
          return new Disposable(() => this.commands.delete(id));
        },
      },
      window: this.window,
      workspace: this.workspace,
    };
  }

  private readonly translate = (
    first: string | { message: string },
    ...values: readonly unknown[]
  ): string => {
    const message = typeof first === 'string' ? first : first.message;
    const words = this.state.words?.[message] ?? message;
    return words.replaceAll(/\{(\d+)\}/gu, (_, index: string) => String(values[Number(index)]));
  };

  private readonly execute = async (command: string, ...args: readonly unknown[]): Promise<unknown> => {
    const handler = this.commands.get(command);
    if (handler !== undefined) return handler(...args);
    this.executed.push([command, ...args]);
    return undefined;
  };

  private readonly ask = (text: string, ...rest: readonly unknown[]): Promise<unknown> => {
    const buttons = rest.filter((one) => typeof one === 'string' || isTitled(one));
    return new Promise((resolve) => {
      const asked: Asked = {
        text,
        buttons: buttons.map(titleOf),
        answer: (button) => {
          this.asked.splice(this.asked.indexOf(asked), 1);
          resolve(buttons.find((one) => titleOf(one) === button));
        },
      };
      this.asked.push(asked);
    });
  };

  private on(name: string): (listener: Listener) => Disposable {
    return (listener) => {
      this.heard.on(name, listener);
      return new Disposable(() => this.heard.off(name, listener));
    };
  }

  private newWebview(): PageWebview {
    const webview = new PageWebview();
    this.webviews.push(webview);
    this.onWebview(webview);
    return webview;
  }

  readonly secrets = {
    get: async (key: string) => this.state.secrets.get(key),
    store: async (key: string, value: string) => {
      this.state.secrets.set(key, value);
      this.heard.emit('secret', { key });
    },
    delete: async (key: string) => {
      this.state.secrets.delete(key);
      this.heard.emit('secret', { key });
    },
    onDidChange: (listener: Listener) => this.on('secret')(listener),
  };

  private get window(): object {
    const log = (level: string) => (text: string) => void this.logged.push(`${level}: ${text}`);
    return {
      ...vscodeDouble.window,
      activeTextEditor: undefined,
      visibleTextEditors: [],
      activeTerminal: undefined,
      tabGroups: {
        all: [],
        activeTabGroup: { activeTab: undefined },
        onDidChangeTabs: nothing,
        close: async () => true,
      },
      createOutputChannel: () => ({
        info: log('info'),
        warn: log('warn'),
        error: log('error'),
        show: () => undefined,
        dispose: () => undefined,
      }),
      registerWebviewViewProvider: (_: string, provider: StandIn['provider']) => {
        this.provider = provider;
        return new Disposable(() => undefined);
      },
      onDidStartTerminalShellExecution: nothing,
      onDidEndTerminalShellExecution: nothing,
      showInformationMessage: this.ask,
      showWarningMessage: this.ask,
      showErrorMessage: this.ask,
      showTextDocument: async (document: unknown) => void this.executed.push(['showTextDocument', document]),
      withProgress: (_: unknown, work: (progress: object, token: object) => Promise<unknown>) =>
        work(
          { report: () => undefined },
          { isCancellationRequested: false, onCancellationRequested: nothing },
        ),
      createWebviewPanel: (_: string, title: string) => Object.assign(this.newWebview().panel, { title }),
      createTreeView: (id: string, { treeDataProvider }: { treeDataProvider: TreeProvider }) => {
        this.trees.set(id, treeDataProvider);
        return vscodeDouble.window.createTreeView();
      },
    };
  }

  private get workspace(): object {
    const { folders, settings } = this.state;
    const workspaceFolders = folders.map((folder) => ({
      name: path.basename(folder),
      uri: Uri.file(folder),
    }));
    const folderOf = (uri: Uri) =>
      workspaceFolders.find((one) => uri.fsPath.startsWith(`${one.uri.fsPath}${path.sep}`));
    return {
      ...vscodeDouble.workspace,
      isTrusted: this.state.trusted,
      workspaceFolders: folders.length === 0 ? undefined : workspaceFolders,
      textDocuments: [],
      getWorkspaceFolder: folderOf,
      asRelativePath: (uri: Uri, withName?: boolean) => {
        const found = folderOf(uri);
        if (found === undefined) return uri.fsPath;
        const inside = path.relative(found.uri.fsPath, uri.fsPath);
        return withName === true ? `${found.name}/${inside}` : inside;
      },
      getConfiguration: (section?: string) => {
        const whole = (name: string): string => (section === undefined ? name : `${section}.${name}`);
        return {
          get: (name: string) => settings[whole(name)],
          inspect: (name: string) => ({ globalValue: settings[whole(name)] }),
          update: async (name: string, value: unknown) => this.changeSettings({ [whole(name)]: value }),
        };
      },
      findFiles: async (include: string, hidden: string, most: number) => {
        const found: Uri[] = [];
        for (const folder of folders) {
          const exclude = ({ parentPath, name }: Dirent): boolean =>
            path.matchesGlob(path.relative(folder, path.join(parentPath, name)), hidden);
          for await (const entry of glob(include, { cwd: folder, withFileTypes: true, exclude }))
            if (entry.isFile() && found.length < most)
              found.push(Uri.file(path.join(entry.parentPath, entry.name)));
        }
        return found;
      },
      openTextDocument: async (what: Uri | { content: string }) =>
        what instanceof Uri
          ? textDocument(what, what.scheme === 'file' ? await readFile(what.fsPath, 'utf8') : '')
          : textDocument(Uri.file('untitled'), what.content),
      createFileSystemWatcher: ({ base, pattern }: { base: Uri; pattern: string }) =>
        this.watch(base.fsPath, pattern),
      onDidChangeConfiguration: this.on('configuration'),
      fs: {
        stat: async ({ fsPath }: Uri) => {
          const found = await stat(fsPath).catch(missing);
          return { type: found.isDirectory() ? 2 : 1, size: found.size };
        },
        readDirectory: async ({ fsPath }: Uri) => {
          const entries = await readdir(fsPath, { withFileTypes: true }).catch(missing);
          return entries.map((entry) => [entry.name, entry.isDirectory() ? 2 : 1]);
        },
        readFile: async ({ fsPath }: Uri) => new Uint8Array(await readFile(fsPath)),
        writeFile: async ({ fsPath }: Uri, bytes: Uint8Array) => writeFile(fsPath, bytes),
        copy: async (from: Uri, to: Uri) => copyFile(from.fsPath, to.fsPath),
      },
    };
  }

  private watch(folder: string, pattern: string): object {
    const { EventEmitter } = vscodeDouble;
    const [created, changed, deleted] = [new EventEmitter(), new EventEmitter(), new EventEmitter()] as const;
    let watcher: FSWatcher | null = null;
    // What is asked for while the window ends would outlive it.
    if (!this.closed && existsSync(folder)) {
      watcher = watch(folder, (what, name) => {
        if (name === null || !path.matchesGlob(name, pattern)) return;
        const file = path.join(folder, name);
        const told = what === 'change' ? changed : existsSync(file) ? created : deleted;
        told.fire(Uri.file(file));
      });
      this.watchers.push(watcher);
    }
    return {
      onDidCreate: created.event,
      onDidChange: changed.event,
      onDidDelete: deleted.event,
      dispose: () => watcher?.close(),
    };
  }
}

class FileSystemError extends Error {
  readonly code = 'FileNotFound';
}

function missing(error: unknown): never {
  throw new FileSystemError(String(error));
}

class Disposable {
  readonly dispose: () => void;

  constructor(end: () => unknown) {
    this.dispose = () => void end();
  }

  static from(...all: readonly { dispose(): unknown }[]): Disposable {
    return new Disposable(() => all.forEach((one) => one.dispose()));
  }
}

function nothing(): Disposable {
  return new Disposable(() => undefined);
}

function isTitled(one: unknown): one is { readonly title: string } {
  return typeof one === 'object' && one !== null && 'title' in one;
}

function titleOf(button: unknown): string {
  return isTitled(button) ? button.title : String(button);
}

function textDocument(uri: Uri, text: string): object {
  return { uri, getText: () => text, lineCount: text.split('\n').length, isDirty: false };
}

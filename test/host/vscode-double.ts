import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';

/** As much of VS Code as the host asks for in tests: real folders and files, and a person who answers. */

export class Uri {
  private constructor(
    readonly scheme: string,
    readonly fsPath: string,
    readonly query = '',
  ) {}

  static file(path: string): Uri {
    return new Uri('file', path);
  }

  static from({ scheme, path, query }: { scheme: string; path: string; query?: string }): Uri {
    return new Uri(scheme, path, query);
  }

  static joinPath(base: Uri, ...parts: readonly string[]): Uri {
    return new Uri(base.scheme, join(base.fsPath, ...parts));
  }

  get path(): string {
    return this.fsPath;
  }

  toString(): string {
    return `${this.scheme}:${this.fsPath}${this.query === '' ? '' : `?${this.query}`}`;
  }
}

/** An editor that is in view, and what was put into it. */
export interface Editor {
  readonly document: { readonly uri: Uri };
  readonly selection: string;
  readonly edit: (change: (edit: { replace(at: string, text: string): void }) => void) => Promise<boolean>;
}

interface Tab {
  readonly input: unknown;
  readonly label?: string;
}

class TabInputTextDiff {
  constructor(
    readonly original: Uri,
    readonly modified: Uri,
  ) {}
}

export interface Folder {
  readonly name: string;
  readonly uri: Uri;
}

class FileSystemError extends Error {}

class Disposable {
  static from(): Disposable {
    return new Disposable();
  }

  dispose(): void {
    return undefined;
  }
}

class EventEmitter {
  private readonly listeners = new Set<(value: unknown) => void>();
  readonly event = (listener: (value: unknown) => void): Disposable => {
    this.listeners.add(listener);
    return Object.assign(new Disposable(), { dispose: () => void this.listeners.delete(listener) });
  };

  fire(value: unknown): void {
    for (const listener of this.listeners) listener(value);
  }

  dispose(): void {
    this.listeners.clear();
  }
}

class CancellationTokenSource {
  readonly token = { isCancellationRequested: false };

  cancel(): void {
    this.token.isCancellationRequested = true;
  }

  dispose(): void {
    return undefined;
  }
}

/** A tree as its provider knows it; always in view. */
class TreeView {
  visible = true;
  message = '';
  badge: { readonly value: number; readonly tooltip: string } | undefined = undefined;
  readonly onDidChangeVisibility = new EventEmitter().event;
  readonly revealed: string[] = [];

  async reveal(line: string): Promise<void> {
    this.revealed.push(line);
  }

  dispose(): void {
    return undefined;
  }
}

/** A tab with a page, which is the test. Closed, it answers nothing any more, as the real one does. */
export class WebviewPanel {
  readonly posted: { readonly type: string; readonly [field: string]: unknown }[] = [];
  revealed = 0;
  isClosed = false;
  isInFront = true;
  iconPath: unknown = undefined;
  private name: string;
  private readonly received = new EventEmitter();
  private readonly changed = new EventEmitter();
  private readonly closed = new EventEmitter();
  private readonly page = {
    html: '',
    options: {},
    cspSource: 'own:',
    asWebviewUri: (uri: Uri) => uri,
    onDidReceiveMessage: this.received.event,
    postMessage: async (message: { readonly type: string }) => {
      this.posted.push(message);
      return true;
    },
  };
  readonly onDidChangeViewState = this.changed.event;
  readonly onDidDispose = this.closed.event;

  constructor(
    readonly viewType: string,
    title: string,
  ) {
    this.name = title;
  }

  get webview(): WebviewPanel['page'] {
    return this.unlessClosed(this.page);
  }

  get title(): string {
    return this.unlessClosed(this.name);
  }

  set title(title: string) {
    this.name = this.unlessClosed(title);
  }

  get visible(): boolean {
    return this.unlessClosed(this.isInFront);
  }

  reveal(): void {
    this.revealed = this.unlessClosed(this.revealed + 1);
  }

  dispose(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.closed.fire(undefined);
  }

  /** What the page says. */
  send(message: unknown): void {
    this.received.fire(message);
  }

  show(visible: boolean): void {
    this.isInFront = visible;
    this.changed.fire(undefined);
  }

  private unlessClosed<T>(value: T): T {
    if (this.isClosed) throw new Error('Webview is disposed');
    return value;
  }
}

/** What tests set, and what they look at afterwards. */
export const double = {
  folders: [] as Folder[],
  documents: [] as { uri: Uri; isDirty: boolean }[],
  editor: undefined as unknown,
  settings: {} as Record<string, unknown>,
  /** The first one is in front. */
  editors: [] as Editor[],
  tabs: [] as Tab[],
  commands: [] as (readonly unknown[])[],
  /** Commands of VS Code that it has besides those that everybody can count on. */
  known: [] as string[],
  questions: [] as string[],
  /** The documents that were shown, by their addresses. */
  shown: [] as Uri[],
  /** Those that are no files. */
  opened: [] as unknown[],
  /** The buttons of the last question, in their order, and which of them Escape takes. */
  buttons: [] as string[],
  escape: undefined as string | undefined,
  /** The last list that the person was shown: label and description of each line. */
  offered: [] as (readonly [string, string])[],
  /** What stands below each of them; empty where nothing does. */
  details: [] as string[],
  /** The line that has the focus when a list opens: the first, unless another or none was given it. */
  focused: undefined as string | undefined,
  /** What the person clicks when asked; undefined closes the question. */
  answer: undefined as string | undefined,
  /** The same, question after question, before that. */
  answers: [] as (string | undefined)[],
  /** What the person types when asked for something; undefined leaves the box. */
  typed: undefined as string | undefined,
  /** As with the answers. */
  typings: [] as string[],
  /** What was asked for in boxes. */
  boxes: [] as InputBox[],
  /** What is said to be under way, and how the person can end it. */
  progress: null as { readonly title: string; readonly cancel: (() => void) | null } | null,
  /** The tree that was made last. */
  tree: new TreeView(),
  /** Tabs with pages, in the order in which they were opened. */
  panels: [] as WebviewPanel[],
  trusted: true,
  /** As it is before each test (test/support/fresh-double.ts). */
  reset(): void {
    this.folders = [];
    this.trusted = true;
    this.tree = new TreeView();
    this.documents = [];
    this.editor = undefined;
    this.settings = {};
    this.editors = [];
    this.tabs = [];
    this.commands = [];
    this.known = [];
    this.questions = [];
    this.shown = [];
    this.opened = [];
    this.buttons = [];
    this.escape = undefined;
    this.offered = [];
    this.details = [];
    this.focused = undefined;
    this.answer = undefined;
    this.answers = [];
    this.typed = undefined;
    this.typings = [];
    this.boxes = [];
    this.progress = null;
    this.panels = [];
  },
};

const tabChanges = new EventEmitter();

/** As the person does it, or the program. */
export async function closeTabs(gone: readonly Tab[] = [...double.tabs]): Promise<void> {
  double.tabs = double.tabs.filter((tab) => !gone.includes(tab));
  tabChanges.fire({ closed: gone });
}

async function execute(...command: readonly unknown[]): Promise<void> {
  double.commands.push(command);
  const [name, original, modified] = command;
  if (name === 'vscode.diff' && original instanceof Uri && modified instanceof Uri)
    double.tabs.push({ input: new TabInputTextDiff(original, modified) });
}

export function folder(path: string, name = basename(path)): Folder {
  return { name, uri: Uri.file(path) };
}

function folderOf(uri: Uri): Folder | undefined {
  return double.folders.find((one) => uri.fsPath.startsWith(`${one.uri.fsPath}${sep}`));
}

interface InputBox {
  readonly title?: string;
  readonly prompt?: string;
  readonly value?: string;
  readonly validateInput?: (value: string) => string | null;
}

interface Pick {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
}

function offer(items: readonly Pick[], active: readonly Pick[] | null): Pick | undefined {
  const named = items.filter(({ label }) => label !== '');
  double.offered = named.map(({ label, description = '' }) => [label, description]);
  double.details = named.map(({ detail = '' }) => detail);
  double.focused = (active === null ? items[0] : active[0])?.label;
  const wanted = double.answers.shift() ?? double.answer;
  return items.find(({ label }) => label === wanted);
}

/** A list that is shown until the person picks something or closes it. */
class QuickPick {
  items: readonly Pick[] = [];
  /** Null until it is given: VS Code then begins at the first. */
  activeItems: readonly Pick[] | null = null;
  selectedItems: readonly Pick[] = [];
  private readonly accepted = new EventEmitter();
  private readonly hidden = new EventEmitter();
  readonly onDidAccept = this.accepted.event;
  readonly onDidHide = this.hidden.event;

  show(): void {
    const picked = offer(this.items, this.activeItems);
    if (picked === undefined) return this.hide();
    this.selectedItems = [picked];
    this.accepted.fire(undefined);
  }

  hide(): void {
    this.hidden.fire(undefined);
  }

  dispose(): void {
    this.accepted.dispose();
  }
}

interface Titled {
  readonly title: string;
  readonly isCloseAffordance?: boolean;
}

/** The button that the person presses, if it is there. */
async function ask(question: string, ...rest: readonly unknown[]): Promise<unknown> {
  double.questions.push(question);
  const buttons = rest.filter((one) => typeof one === 'string' || isTitled(one));
  double.buttons = buttons.map(titleOf);
  double.escape = buttons
    .filter((one) => typeof one !== 'string' && one.isCloseAffordance === true)
    .map(titleOf)[0];
  const pressed = double.answers.length > 0 ? double.answers.shift() : double.answer;
  return buttons.find((one) => titleOf(one) === pressed);
}

function titleOf(button: string | Titled): string {
  return typeof button === 'string' ? button : button.title;
}

function isTitled(one: unknown): one is Titled {
  return typeof one === 'object' && one !== null && 'title' in one;
}

class Range {
  readonly start: object;
  readonly end: object;

  constructor(firstLine: number, first: number, lastLine: number, last: number) {
    this.start = { line: firstLine, character: first };
    this.end = { line: lastLine, character: last };
  }
}

const nothing = (): Disposable => new Disposable();

export const vscodeDouble = {
  Uri,
  Disposable,
  EventEmitter,
  CancellationTokenSource,
  FileSystemError,
  RelativePattern: class {
    constructor(
      readonly base: Uri,
      readonly pattern: string,
    ) {}
  },
  ThemeColor: class {
    constructor(readonly id: string) {}
  },
  ThemeIcon: class {
    constructor(readonly id: string) {}
  },
  TreeItem: class {
    constructor(
      readonly label: string,
      readonly collapsibleState = 0,
    ) {}
  },
  TreeItemCollapsibleState: { None: 0, Collapsed: 1, Expanded: 2 },
  MarkdownString: class {
    value = '';

    appendText(text: string): this {
      this.value += text;
      return this;
    }

    appendMarkdown(text: string): this {
      return this.appendText(text);
    }
  },
  ViewColumn: { Active: -1 },
  ProgressLocation: { Notification: 15 },
  StatusBarAlignment: { Left: 1, Right: 2 },
  FileType: { Unknown: 0, File: 1, Directory: 2 },
  Range,
  CodeActionKind: { QuickFix: 'quickfix' },
  QuickPickItemKind: { Separator: -1, Default: 0 },
  DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
  TabInputText: class {
    constructor(readonly uri: Uri) {}
  },
  env: { appRoot: null, language: 'en' },
  l10n: {
    t: (words: string, ...values: readonly unknown[]) =>
      words.replaceAll(/\{(\d)\}/gu, (_, index: string) => String(values[Number(index)])),
  },
  languages: { getDiagnostics: () => [], registerDocumentLinkProvider: nothing },
  TabInputTextDiff,
  commands: { executeCommand: execute, getCommands: async () => double.known },
  window: {
    get activeTextEditor(): unknown {
      return double.editor ?? double.editors[0];
    },
    get visibleTextEditors() {
      return double.editors;
    },
    tabGroups: {
      get all() {
        return [{ tabs: double.tabs }];
      },
      get activeTabGroup() {
        return { activeTab: double.tabs.at(-1) };
      },
      onDidChangeTabs: tabChanges.event,
      close: closeTabs,
    },
    showTextDocument: async (shown: unknown) => {
      if (shown instanceof Uri) double.shown.push(shown);
      else double.opened.push(shown);
      return undefined;
    },
    showWarningMessage: ask,
    showInformationMessage: ask,
    withProgress: async (
      { title, cancellable = false }: { title: string; cancellable?: boolean },
      work: (progress: object, token: object) => Promise<unknown>,
    ) => {
      double.progress = { title, cancel: cancellable ? () => cancelling.fire(undefined) : null };
      const cancelling = new EventEmitter();
      await work({}, { isCancellationRequested: false, onCancellationRequested: cancelling.event });
      double.progress = null;
    },
    showInputBox: async (box: InputBox) => {
      double.boxes.push(box);
      return double.typings.shift() ?? double.typed;
    },
    showQuickPick: async (items: readonly Pick[], { canPickMany = false } = {}) => {
      const picked = offer(items, null);
      return canPickMany && picked !== undefined ? [picked] : picked;
    },
    createStatusBarItem: () => ({ show: () => undefined, hide: () => undefined, dispose: () => undefined }),
    createQuickPick: () => new QuickPick(),
    createWebviewPanel: (viewType: string, title: string) => {
      const panel = new WebviewPanel(viewType, title);
      double.panels.push(panel);
      return panel;
    },
    registerWebviewPanelSerializer: nothing,
    createTreeView: () => {
      double.tree = new TreeView();
      return double.tree;
    },
  },
  workspace: {
    get isTrusted() {
      return double.trusted;
    },
    get workspaceFolders() {
      return double.folders;
    },
    get textDocuments() {
      return double.documents;
    },
    getWorkspaceFolder: folderOf,
    asRelativePath: (uri: Uri, withName: boolean) => {
      const found = folderOf(uri);
      if (found === undefined) return uri.fsPath;
      const path = relative(found.uri.fsPath, uri.fsPath);
      return withName ? `${found.name}/${path}` : path;
    },
    getConfiguration: () => ({
      get: () => undefined,
      inspect: (name: string) => ({ globalValue: double.settings[name] }),
    }),
    findFiles: async () => [],
    openTextDocument: async (document: unknown) => document,
    createFileSystemWatcher: () => ({
      onDidCreate: nothing,
      onDidChange: nothing,
      onDidDelete: nothing,
      dispose: () => undefined,
    }),
    onDidChangeConfiguration: nothing,
    onDidChangeWorkspaceFolders: nothing,
    onDidGrantWorkspaceTrust: nothing,
    onDidCloseTextDocument: nothing,
    registerTextDocumentContentProvider: nothing,
    registerFileSystemProvider: nothing,
    fs: {
      stat: async ({ fsPath }: Uri) => {
        const found = await stat(fsPath).catch((error: unknown) => {
          throw new FileSystemError(String(error));
        });
        return { type: found.isDirectory() ? 2 : 1 };
      },
      readDirectory: async ({ fsPath }: Uri) => {
        const entries = await readdir(fsPath, { withFileTypes: true }).catch((error: unknown) => {
          throw new FileSystemError(String(error));
        });
        return entries.map((entry) => [entry.name, entry.isDirectory() ? 2 : 1]);
      },
    },
  },
};

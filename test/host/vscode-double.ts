import { readdir } from 'node:fs/promises';
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

  toString(): string {
    return `${this.scheme}:${this.fsPath}${this.query === '' ? '' : `?${this.query}`}`;
  }
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
    return new Disposable();
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

/** What tests set, and what they look at afterwards. */
export const double = {
  folders: [] as Folder[],
  documents: [] as { uri: Uri; isDirty: boolean }[],
  settings: {} as Record<string, unknown>,
  commands: [] as (readonly unknown[])[],
  questions: [] as string[],
  /** The buttons of the last question, in their order, and which of them Escape takes. */
  buttons: [] as string[],
  escape: undefined as string | undefined,
  /** The last list that the person was shown: label and description of each line. */
  offered: [] as (readonly [string, string])[],
  /** The line that has the focus when a list opens: the first, unless another was given it. */
  focused: undefined as string | undefined,
  /** What the person clicks when asked; undefined closes the question. */
  answer: undefined as string | undefined,
  reset(): void {
    this.folders = [];
    this.documents = [];
    this.settings = {};
    this.commands = [];
    this.questions = [];
    this.buttons = [];
    this.escape = undefined;
    this.offered = [];
    this.focused = undefined;
    this.answer = undefined;
  },
};

export function folder(path: string, name = basename(path)): Folder {
  return { name, uri: Uri.file(path) };
}

function folderOf(uri: Uri): Folder | undefined {
  return double.folders.find((one) => uri.fsPath.startsWith(`${one.uri.fsPath}${sep}`));
}

interface Pick {
  readonly label: string;
  readonly description?: string;
}

function offer(items: readonly Pick[], active: readonly Pick[]): Pick | undefined {
  double.offered = items.flatMap(({ label, description = '' }) =>
    label === '' ? [] : [[label, description] as const],
  );
  double.focused = (active[0] ?? items[0])?.label;
  return items.find(({ label }) => label === double.answer);
}

/** A list that is shown until the person picks something or closes it. */
class QuickPick {
  items: readonly Pick[] = [];
  activeItems: readonly Pick[] = [];
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
  return buttons.find((one) => titleOf(one) === double.answer);
}

function titleOf(button: string | Titled): string {
  return typeof button === 'string' ? button : button.title;
}

function isTitled(one: unknown): one is Titled {
  return typeof one === 'object' && one !== null && 'title' in one;
}

const nothing = (): Disposable => new Disposable();

export const vscodeDouble = {
  Uri,
  Disposable,
  EventEmitter,
  CancellationTokenSource,
  FileSystemError,
  FileType: { Unknown: 0, File: 1, Directory: 2 },
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
  languages: { getDiagnostics: () => [] },
  commands: {
    executeCommand: async (...command: readonly unknown[]) => void double.commands.push(command),
  },
  window: {
    activeTextEditor: undefined,
    visibleTextEditors: [],
    tabGroups: { all: [] },
    showWarningMessage: ask,
    showInformationMessage: ask,
    showQuickPick: async (items: readonly Pick[]) => offer(items, []),
    createQuickPick: () => new QuickPick(),
  },
  workspace: {
    isTrusted: true,
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
    onDidChangeConfiguration: nothing,
    onDidChangeWorkspaceFolders: nothing,
    onDidGrantWorkspaceTrust: nothing,
    onDidCloseTextDocument: nothing,
    registerTextDocumentContentProvider: nothing,
    fs: {
      readDirectory: async ({ fsPath }: Uri) => {
        const entries = await readdir(fsPath, { withFileTypes: true }).catch((error: unknown) => {
          throw new FileSystemError(String(error));
        });
        return entries.map((entry) => [entry.name, entry.isDirectory() ? 2 : 1]);
      },
    },
  },
};

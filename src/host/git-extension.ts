import * as vscode from 'vscode';

/** What is used of a repository of VS Code's own Git extension (its API, version 1). */
export interface Repository {
  readonly root: string;
  /** The same as a path. */
  readonly folder: string;
  diff(options: { readonly staged: boolean }): Promise<string>;
  /** Files that Git does not know yet, as far as the Source Control view lists them. */
  untracked(): Promise<readonly string[]>;
  message: string;
}

/** Of a change, in that API: not known to Git. */
const UNTRACKED = 7;

/** None when there is no Git extension, or one whose API is another. */
export async function repositories(): Promise<readonly Repository[]> {
  const extension = vscode.extensions.getExtension<unknown>('vscode.git');
  if (extension === undefined) return [];
  const api = called(extension.isActive ? extension.exports : await extension.activate(), 'getAPI', 1);
  const found = valueIn(api, 'repositories');
  return Array.isArray(found) ? found.flatMap((one: unknown) => repositoryOf(one) ?? []) : [];
}

/** Typings of that extension are not published: every part is looked at before it is used. */
function repositoryOf(value: unknown): Repository | null {
  const root = valueIn(value, 'rootUri');
  const input = valueIn(value, 'inputBox');
  if (!(root instanceof vscode.Uri) || typeof valueIn(input, 'value') !== 'string') return null;
  return {
    root: root.toString(),
    folder: root.fsPath,
    diff: async ({ staged }) => {
      const text: unknown = await called(value, 'diff', staged);
      return typeof text === 'string' ? text : '';
    },
    untracked: async () => {
      // What it knows may be a moment old.
      await called(value, 'status');
      const state = valueIn(value, 'state');
      const mixed = listIn(state, 'workingTreeChanges').filter((one) => valueIn(one, 'status') === UNTRACKED);
      return [...mixed, ...listIn(state, 'untrackedChanges')].flatMap((one) => {
        const uri = valueIn(one, 'uri');
        return uri instanceof vscode.Uri ? [uri.fsPath] : [];
      });
    },
    get message() {
      return String(valueIn(input, 'value'));
    },
    set message(text: string) {
      if (typeof input === 'object' && input !== null) Reflect.set(input, 'value', text);
    },
  };
}

function valueIn(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function listIn(value: unknown, key: string): readonly unknown[] {
  const found = valueIn(value, key);
  return Array.isArray(found) ? found : [];
}

function called(value: unknown, name: string, ...args: readonly unknown[]): unknown {
  const method = valueIn(value, name);
  return typeof method === 'function' ? Reflect.apply(method, value, args) : undefined;
}

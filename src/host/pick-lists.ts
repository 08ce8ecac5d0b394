import * as vscode from 'vscode';
import { plain } from './shown-text.ts';

export interface CurrentItem extends vscode.QuickPickItem {
  /** What counts now. */
  readonly isCurrent?: boolean;
}

/** A list that begins where one is: Enter, pressed at once, changes nothing. Undefined when it was closed. */
export async function pickFrom<T extends CurrentItem>(
  items: readonly T[],
  words: { readonly title: string; readonly placeholder: string },
): Promise<T | undefined> {
  const { title, placeholder: placeHolder } = words;
  return begunAt(items, { title, placeHolder }, ({ isCurrent }) => isCurrent === true);
}

export interface ListWords {
  readonly title: string;
  readonly placeHolder?: string;
  readonly matchOnDescription?: boolean;
  readonly matchOnDetail?: boolean;
  /** It stays when something else takes the keyboard: what it leads on from is over by then. */
  readonly ignoreFocusOut?: boolean;
}

/** A list to choose one of. Undefined when it was closed. */
export async function chooseOne<T extends vscode.QuickPickItem>(
  items: readonly T[],
  words: ListWords,
): Promise<T | undefined> {
  return vscode.window.showQuickPick(items.map(withoutIcons), words);
}

/** One that begins at none of its lines: Enter, pressed at once, chooses nothing. */
export async function chooseDeliberately<T extends vscode.QuickPickItem>(
  items: readonly T[],
  words: ListWords,
): Promise<T | undefined> {
  return begunAt(items, words, () => false);
}

async function begunAt<T extends vscode.QuickPickItem>(
  items: readonly T[],
  words: ListWords,
  isBegin: (item: T) => boolean,
): Promise<T | undefined> {
  const pick = vscode.window.createQuickPick<T>();
  pick.title = words.title;
  pick.placeholder = words.placeHolder;
  pick.ignoreFocusOut = words.ignoreFocusOut ?? false;
  pick.matchOnDescription = words.matchOnDescription ?? false;
  const drawn = items.map(withoutIcons);
  pick.items = drawn;
  pick.activeItems = drawn.filter(isBegin);
  const picked = new Promise<T | undefined>((resolve) => {
    pick.onDidAccept(() => {
      const [item] = pick.selectedItems;
      if (item === undefined) return;
      resolve(item);
      pick.hide();
    });
    pick.onDidHide(() => resolve(undefined));
  });
  pick.show();
  try {
    return await picked;
  } finally {
    pick.dispose();
  }
}

export async function chooseSome<T extends vscode.QuickPickItem>(
  items: readonly T[],
  words: ListWords,
): Promise<readonly T[] | undefined> {
  return vscode.window.showQuickPick(items.map(withoutIcons), { ...words, canPickMany: true });
}

/** Icons of ours are given as such: what looks like one in the words is a word. */
function withoutIcons<T extends vscode.QuickPickItem>(item: T): T {
  return {
    ...item,
    label: plain(item.label),
    ...(item.description === undefined ? {} : { description: plain(item.description) }),
    ...(item.detail === undefined ? {} : { detail: plain(item.detail) }),
  };
}

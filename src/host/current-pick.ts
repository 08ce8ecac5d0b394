import * as vscode from 'vscode';

export interface CurrentItem extends vscode.QuickPickItem {
  /** What counts now. */
  readonly isCurrent?: boolean;
}

/** A list that begins where one is: Enter, pressed at once, changes nothing. Undefined when it was closed. */
export async function pickFrom<T extends CurrentItem>(
  items: readonly T[],
  words: { readonly title: string; readonly placeholder: string },
): Promise<T | undefined> {
  const pick = vscode.window.createQuickPick<T>();
  pick.title = words.title;
  pick.placeholder = words.placeholder;
  pick.items = items;
  pick.activeItems = items.filter(({ isCurrent }) => isCurrent === true);
  const picked = new Promise<T | undefined>((resolve) => {
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]);
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

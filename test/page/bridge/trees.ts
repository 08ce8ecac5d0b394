/** A tree as the extension offers it to VS Code. */
export interface TreeProvider {
  getChildren(line?: string): Promise<readonly string[]>;
  getTreeItem(line: string): {
    readonly label: string;
    readonly accessibilityInformation?: { readonly label: string };
  };
}

/** What a screen reader says of each line, as if all of them were unfolded. */
export async function treeLines(tree: TreeProvider | undefined): Promise<readonly string[]> {
  if (tree === undefined) throw new Error('the extension has no such tree');
  const below = async (line?: string): Promise<readonly string[]> => {
    const all: string[] = [];
    for (const child of await tree.getChildren(line)) {
      const { accessibilityInformation: spoken, label } = tree.getTreeItem(child);
      all.push(spoken?.label ?? label, ...(await below(child)));
    }
    return all;
  };
  return below();
}

/** As much of the clipboard as is needed. */
export interface Clipboard {
  readText(): PromiseLike<string>;
  writeText(text: string): PromiseLike<void>;
}

/**
 * What is selected in a terminal; empty without a selection. No stable API has it, so it takes the way over the
 * clipboard, which is put back, also when copying fails.
 */
export async function terminalSelection(
  clipboard: Clipboard,
  copySelection: () => PromiseLike<unknown>,
): Promise<string> {
  const kept = await clipboard.readText();
  // Without a selection nothing is copied: what was on the clipboard must not be taken for it.
  const nothing = `ledgerline ${crypto.randomUUID()}`;
  await clipboard.writeText(nothing);
  try {
    await copySelection();
    const copied = await clipboard.readText();
    return copied === nothing ? '' : copied;
  } finally {
    await clipboard.writeText(kept);
  }
}

/** As much of the clipboard as is needed. */
export interface Clipboard {
  readText(): PromiseLike<string>;
  writeText(text: string): PromiseLike<void>;
}

/**
 * What a command of VS Code copies from a terminal; empty when that is nothing. No stable API has a selection or
 * what is in the buffer, so it takes the way over the clipboard, which is put back, also when copying fails.
 */
export async function copiedFromTerminal(
  clipboard: Clipboard,
  copy: () => PromiseLike<unknown>,
): Promise<string> {
  const kept = await clipboard.readText();
  // When nothing is copied, what was on the clipboard must not be taken for it.
  const nothing = `ledgerline ${crypto.randomUUID()}`;
  await clipboard.writeText(nothing);
  try {
    await copy();
    const copied = await clipboard.readText();
    return copied === nothing ? '' : copied;
  } finally {
    await clipboard.writeText(kept);
  }
}

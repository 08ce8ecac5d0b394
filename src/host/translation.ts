/** The words in the person's language; `vscode.l10n.t` is one. `{0}`, `{1}` stand for the values. */
export type Translate = (message: string, ...values: (string | number)[]) => string;

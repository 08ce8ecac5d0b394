const SHELLS: ReadonlySet<string> = new Set(
  'sh bash zsh fish shell shellscript console shell-session terminal powershell pwsh ps1 bat batch cmd'.split(
    ' ',
  ),
);

/** Pure: whether a block of code is what one types into a terminal, unless it names a file. */
export function isForTerminal(language: string): boolean {
  return SHELLS.has(language);
}

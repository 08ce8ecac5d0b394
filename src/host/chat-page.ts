export interface ChatPage {
  /** Random, and new for every page. */
  readonly nonce: string;
  /** Where VS Code serves this webview's local files from. */
  readonly source: string;
  readonly script: string;
  readonly style: string;
  /** The tag of the language that VS Code speaks. */
  readonly language: string;
  /** Translations, by the English words. */
  readonly words: Readonly<Record<string, unknown>>;
  /** The session that it is of, if it is of one: the page keeps it, so that VS Code can bring it back. */
  readonly session_id: string | null;
}

/**
 * The whole page. Only our script, by its nonce, and our style sheet may load; nothing may be fetched. Images are
 * those that the page itself has in memory: what a person pasted.
 */
export function chatPage(page: ChatPage): string {
  const { nonce, source, script, style, language, words, session_id } = page;
  const session = session_id === null ? '' : ` data-session="${attribute(session_id)}"`;
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${source}; img-src blob:; base-uri 'none'; form-action 'none'`;
  return `<!DOCTYPE html>
<html lang="${attribute(language)}">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="stylesheet" href="${style}">
    <title>Ledgerline</title>
  </head>
  <body>
    <div id="app" data-words="${attribute(JSON.stringify(words))}"${session}></div>
    <script nonce="${nonce}" src="${script}"></script>
  </body>
</html>`;
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

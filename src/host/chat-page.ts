export interface ChatPage {
  /** Random, and new for every page. */
  readonly nonce: string;
  /** Where VS Code serves this webview's local files from. */
  readonly source: string;
  readonly script: string;
  readonly style: string;
}

/** The whole page. Only our script, by its nonce, and our style sheet may load; nothing may be fetched. */
export function chatPage({ nonce, source, script, style }: ChatPage): string {
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${source}`;
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="stylesheet" href="${style}">
    <title>Ledgerline</title>
  </head>
  <body>
    <div id="app"></div>
    <script nonce="${nonce}" src="${script}"></script>
  </body>
</html>`;
}

// The bare control: one request, its deltas joined for a frame, one message a frame, one text node.
const http = require('node:http');
const vscode = require('vscode');

const FRAME_MS = 16;

const PAGE = `<!doctype html><html><head><meta charset="utf-8"></head><body>
<button id="go" type="button">Go</button><div id="text" style="white-space:pre-wrap"></div><script>
const api = acquireVsCodeApi();
const node = document.getElementById('text').appendChild(document.createTextNode(''));
addEventListener('message', ({ data }) => node.appendData(data.text));
document.getElementById('go').onclick = () => { node.data = ''; api.postMessage('go'); };
</script></body></html>`;

/** @param {vscode.ExtensionContext} context */
exports.activate = (context) => {
  context.subscriptions.push(
    vscode.window.registerWebviewViewProvider('control.view', {
      resolveWebviewView({ webview }) {
        webview.options = { enableScripts: true };
        webview.onDidReceiveMessage(() =>
          stream((text) => {
            // oxlint-disable-next-line unicorn/require-post-message-target-origin -- VS Code's webview, not a window
            void webview.postMessage({ text });
          }),
        );
        webview.html = PAGE;
      },
    }),
  );
};

/** @param {(text: string) => void} post */
function stream(post) {
  let text = '';
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const flush = () => {
    timer = undefined;
    post(text);
    text = '';
  };
  const url = `${process.env['CONTROL_URL']}/responses`;
  const request = http.request(url, { method: 'POST', headers: { authorization: 'Bearer control' } });
  request.on('response', (response) => {
    let rest = '';
    response.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => {
      const frames = (rest + chunk).split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        const event = JSON.parse(frame.slice(frame.indexOf('data: ') + 6));
        if (event.type !== 'response.output_text.delta') continue;
        text += event.delta;
        timer ??= setTimeout(flush, FRAME_MS);
      }
    });
  });
  request.end('{}');
}

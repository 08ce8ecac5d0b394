import { connect } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectPath } from '../../src/dev/project.mjs';
import { type PageServer, startPageServer } from './bridge/server.ts';
import { PageWebview } from './bridge/page-webview.ts';

let server: PageServer;

beforeAll(async () => {
  server = await startPageServer();
});

afterAll(() => server.close());

/** As it is written on the wire: `fetch` would mend the address before it asks. */
async function ask(target: string, headers: readonly string[] = []): Promise<string> {
  const { hostname, port } = new URL(server.origin);
  const socket = connect(Number(port), hostname);
  const lines = [`GET ${target} HTTP/1.1`, `Host: ${hostname}`, ...headers];
  let answer = '';
  socket.on('data', (data) => (answer += data.toString()));
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  await once(socket, 'close');
  return answer;
}

const UPGRADE = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==',
];

test.for(['/%', '/webview/%E0%A4%A', '//', '/files/%2e%2e%2fpackage.json', '/files/dist/webview/no.js'])(
  'there is nothing at %s',
  async (target) => {
    expect(await ask(target, ['Connection: close'])).toMatch(/^HTTP\/1\.1 404 .*Not found/su);
  },
);

test.for(['/%', '/webview/%', '//', '/nobody/socket'])('a socket at %s is closed', async (target) => {
  expect(await ask(target, UPGRADE)).toBe('');
});

test('a socket that says nonsense, or too much, ends alone', async () => {
  const heard: unknown[] = [];
  const webview = new PageWebview();
  webview.onHeard((message) => heard.push(message));
  const { url } = server.place(webview, 'dark');
  const address = `${url.replace('http', 'ws')}/socket`;
  const greedy = await opened(address);
  greedy.send('x'.repeat(65 * 1024 * 1024));
  await once(greedy, 'close');
  const socket = await opened(address);
  socket.send('{');
  socket.send(JSON.stringify({ kind: 'said', message: 'after it' }));
  await expect.poll(() => heard).toEqual(['after it']);
  socket.close();
  await once(socket, 'close');
});

async function opened(address: string): Promise<WebSocket> {
  const socket = new WebSocket(address);
  await once(socket, 'open');
  return socket;
}

test('a file of the page is named by its place in the project', async () => {
  const { webview } = new PageWebview().view as unknown as {
    webview: { asWebviewUri(uri: { fsPath: string }): string };
  };
  const address = webview.asWebviewUri({ fsPath: projectPath('media', 'a b#?%.svg') });
  expect(address).toBe('/files/media/a%20b%23%3F%25.svg');
  const { status } = await fetch(`${server.origin}/files/dist/webview/main.css`);
  expect(status).toBe(200);
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiKey } from '../../src/host/api-key.ts';
import { ChatView, type ChatViewOptions } from '../../src/host/chat-view.ts';
import { Choices } from '../../src/host/choices.ts';
import { ShownDocuments } from '../../src/host/shown-documents.ts';
import { makePlace } from '../support/headless.ts';
import { events, stream, wait } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { startResponsesServer, type ResponsesServer } from '../support/responses-server/server.ts';
import { responds } from '../support/responses-server/whole-replies.ts';
import { memory, secrets } from './opened-host.ts';
import { double, folder, Uri, vscodeDouble } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

type View = Parameters<ChatView['resolveWebviewView']>[0];
type Posted = { readonly type: string; readonly items?: readonly unknown[]; readonly unchanged?: true };

/** A view as VS Code hands it out, whose page is this test. */
function page() {
  const posted: Posted[] = [];
  const [received, changed, disposed] = [
    new vscodeDouble.EventEmitter(),
    new vscodeDouble.EventEmitter(),
    new vscodeDouble.EventEmitter(),
  ];
  const view = {
    visible: true,
    webview: {
      html: '',
      options: {},
      cspSource: 'own:',
      asWebviewUri: (uri: Uri) => uri,
      onDidReceiveMessage: received.event,
      postMessage: async (message: Posted) => {
        posted.push(message);
        return true;
      },
    },
    onDidChangeVisibility: changed.event,
    onDidDispose: disposed.event,
  };
  return {
    posted,
    view: view as unknown as View,
    send: (message: unknown) => received.fire(message),
    show: (visible: boolean) => {
      view.visible = visible;
      changed.fire(undefined);
    },
  };
}

let place: Awaited<ReturnType<typeof makePlace>>;
let server: ResponsesServer;
let chat: ChatView;
let release: () => void;
const seen: string[] = [];
const quiet = (): undefined => undefined;

beforeEach(async () => {
  seen.length = 0;
  place = await makePlace();
  double.folders = [folder(place.workspace)];
  const rest = new Promise<void>((resolve) => {
    release = resolve;
  });
  const [head, tail] = [
    responseEvents({ text: ['one ', 'two'] }).slice(0, 5),
    responseEvents({ text: ['one ', 'two'] }).slice(5),
  ];
  server = await startResponsesServer({
    script: [stream([events(head), wait(rest), events(tail)]), responds({ text: 'more' })],
  });
  double.settings = { baseUrl: server.url, model: 'gpt-test' };
  chat = new ChatView({
    context: { extensionUri: Uri.file('/x'), workspaceState: memory, extension: { packageJSON: {} } },
    storage: place.storage,
    log: { info: quiet, warn: quiet, error: quiet },
    apiKey: new ApiKey(secrets),
    choices: new Choices({ workspaceState: memory, globalState: memory }, quiet),
    documents: new ShownDocuments(),
  } as unknown as ChatViewOptions);
  chat.onDidEmit((message) =>
    seen.push(message.type === 'turn_state' ? `turn ${message.state}` : message.type),
  );
});

afterEach(async () => {
  await chat.dispose();
  await server.close();
  await place.remove();
});

async function reaches(what: string): Promise<void> {
  await expect.poll(() => seen).toContain(what);
}

/** A page to which an answer streams in. */
async function streaming(): Promise<ReturnType<typeof page>> {
  const shown = page();
  chat.resolveWebviewView(shown.view);
  shown.send({ type: 'ready' });
  await reaches('snapshot');
  shown.send({ type: 'send', client_turn_id: 't1', text: 'Go.' });
  await reaches('delta');
  return shown;
}

test('nothing is posted to a page that is not in view, also while an answer streams in', async () => {
  const { posted, show } = await streaming();
  show(false);
  const before = posted.length;
  expect(before).toBeGreaterThan(0);
  release();
  await reaches('turn completed');
  expect(posted.length).toBe(before);
});

test('a page that was hidden before it asked for anything gets nothing', async () => {
  const { view, posted, send, show } = page();
  chat.resolveWebviewView(view);
  show(false);
  send({ type: 'ready' });
  await reaches('snapshot');
  await reaches('draft');
  expect(posted).toEqual([]);
});

test('a page gets the items of a session once, however often what is around them changes', async () => {
  const { view, posted, send } = page();
  chat.resolveWebviewView(view);
  release();
  send({ type: 'send', client_turn_id: 't1', text: 'Go.' });
  await reaches('turn completed');
  send({ type: 'ready' });
  const snapshots = (): readonly Posted[] => posted.filter(({ type }) => type === 'snapshot');
  await expect.poll(() => snapshots().length).toBeGreaterThan(0);
  const told = snapshots().length;
  await (await chat.host()).refresh();
  expect(snapshots().length).toBeGreaterThan(told);
  expect(snapshots().map(({ items }) => items?.length !== 0)).toEqual(
    snapshots().map((_, index) => index === 0),
  );
  expect(snapshots().at(-1)?.unchanged).toBe(true);
});

test('how full the window is, said while no page was in view, is said once to the next one', async () => {
  double.settings = { ...double.settings, contextWindow: 120 };
  const { posted, send, show } = await streaming();
  show(false);
  release();
  await reaches('turn completed');
  const told = (): readonly number[] =>
    posted.flatMap(({ type }, index) => (type === 'notice' ? [index] : []));
  expect(told()).toEqual([]);
  show(true);
  send({ type: 'ready' });
  await expect.poll(() => told().length).toBe(1);
  expect(posted.at(told()[0] ?? -1)).toMatchObject({ level: 'warning', tier: 'warning' });
  expect(posted.findLastIndex(({ type }) => type === 'snapshot')).toBeLessThan(told()[0] ?? -1);
  send({ type: 'ready' });
  await (await chat.host()).answered();
  expect(told()).toHaveLength(1);
});

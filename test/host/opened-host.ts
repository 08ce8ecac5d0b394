import { afterEach, beforeEach } from 'vitest';
import { ApiKey } from '../../src/host/api-key.ts';
import type { ChatView } from '../../src/host/chat-view.ts';
import { CodeProposals } from '../../src/host/code-proposals.ts';
import { Choices } from '../../src/host/choices.ts';
import { ConversationHost } from '../../src/host/conversation-host.ts';
import { ShownDocuments } from '../../src/host/shown-documents.ts';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { makePlace, type Place } from '../support/headless.ts';
import type { Reply } from '../support/responses-server/reply.ts';
import { startResponsesServer, type ResponsesServer } from '../support/responses-server/server.ts';
import { double, folder } from './vscode-double.ts';

export const memory = {
  get: () => undefined,
  update: async () => undefined,
  keys: () => [],
  setKeysForSync: () => undefined,
};

export const secrets = {
  get: async () => 'sk-test',
  store: async () => undefined,
  delete: async () => undefined,
  keys: async () => [],
  onDidChange: () => ({ dispose: () => undefined }),
};

/** The real host of a conversation, for tests that stand in for VS Code. */
export function openedHost(place: Place, emit: (message: HostMessage) => void): ConversationHost {
  const documents = new ShownDocuments();
  return new ConversationHost({
    storage: place.storage,
    session_id: 's1',
    app_version: '0.0.0',
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    apiKey: new ApiKey(secrets),
    choices: new Choices({ workspaceState: memory, globalState: memory }, () => undefined),
    documents,
    proposals: new CodeProposals(documents, (error) => {
      throw error;
    }),
    emit,
    keepPlace: () => undefined,
  });
}

/** A host of its own for each test of a file, in a place that goes with it. */
export interface HostFixture {
  readonly place: Place;
  readonly host: ConversationHost;
  /** What the page was told. */
  readonly messages: readonly HostMessage[];
  readonly server: ResponsesServer;
  /** Opens the host, which a page asks for everything. */
  open(settings: Readonly<Record<string, unknown>>): Promise<void>;
  /** Opens it with a model that has these replies. */
  openWith(...script: readonly Reply[]): Promise<void>;
}

export function hostFixture(): HostFixture {
  let place: Awaited<ReturnType<typeof makePlace>>;
  let host: ConversationHost;
  let server: ResponsesServer | null = null;
  let messages: HostMessage[] = [];
  beforeEach(async () => {
    messages = [];
    place = await makePlace();
    double.folders = [folder(place.workspace)];
    host = openedHost(place, (message) => messages.push(message));
  });
  afterEach(async () => {
    await host.dispose();
    await server?.close();
    server = null;
    await place.remove();
  });
  const open: HostFixture['open'] = async (settings) => {
    double.settings = { ...settings };
    await host.receive({ type: 'ready' });
  };
  return {
    get place() {
      return place;
    },
    get host() {
      return host;
    },
    get messages() {
      return messages;
    },
    get server() {
      if (server === null) throw new Error('no model was opened');
      return server;
    },
    open,
    async openWith(...script) {
      server = await startResponsesServer({ script: [...script] });
      await open({ baseUrl: server.url, model: 'gpt-test' });
    },
  };
}

/** A chat of which nothing is there but what it tells others: the test says what that is. */
export function emittingChat(): { readonly chat: ChatView; readonly emit: (message: HostMessage) => void } {
  let listeners: readonly ((message: HostMessage) => void)[] = [];
  const chat = {
    onDidEmit: (listener: (message: HostMessage) => void) => {
      listeners = [...listeners, listener];
      return { dispose: () => undefined };
    },
  };
  const emit = (message: HostMessage): void => {
    for (const listener of listeners) listener(message);
  };
  return { chat: chat as unknown as ChatView, emit };
}

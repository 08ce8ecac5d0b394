import { afterEach, beforeEach, expect } from 'vitest';
import type { CommandParts } from '../../src/host/command-parts.ts';
import { AgentTabs } from '../../src/host/agent-tabs.ts';
import { ApiKey } from '../../src/host/api-key.ts';
import { ChatView, type ChatViewOptions } from '../../src/host/chat-view.ts';
import { Choices } from '../../src/host/choices.ts';
import { CodeProposals } from '../../src/host/code-proposals.ts';
import { ReportDocuments } from '../../src/host/report-documents.ts';
import { SessionsView } from '../../src/host/sessions-view.ts';
import { ShownDocuments } from '../../src/host/shown-documents.ts';
import { nodeStorePorts } from '../../src/app/node-ports.ts';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { SessionStore } from '../../src/storage/session-store.ts';
import { makePlace, type Place } from '../support/headless.ts';
import { memory, secrets } from './opened-host.ts';
import { double, folder, Uri } from './vscode-double.ts';

/** The chat, the list of sessions and the tabs of a window, with the double in the place of VS Code. */
export interface OpenedWindow {
  readonly parts: CommandParts;
  readonly chat: ChatView;
  readonly agents: AgentTabs;
  /** What the chat was told. */
  readonly heard: readonly HostMessage[];
  /** What the log has of errors. */
  readonly errors: readonly string[];
  /** For logs that are written beside the window, in this very process. */
  readonly store: SessionStore;
  readonly close: () => Promise<void>;
}

export function openedWindow(place: Place): OpenedWindow {
  const { storage } = place;
  const errors: string[] = [];
  const heard: HostMessage[] = [];
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: (text: string) => void errors.push(text),
  } as unknown as ChatViewOptions['log'];
  const context = {
    extensionUri: Uri.file('/x'),
    workspaceState: memory,
    extension: { packageJSON: {} },
  } as unknown as ChatViewOptions['context'];
  const apiKey = new ApiKey(secrets);
  const choices = new Choices({ workspaceState: memory, globalState: memory }, () => undefined);
  const documents = new ShownDocuments();
  const proposals = new CodeProposals(documents, (error) => void errors.push(String(error)));
  let agents: AgentTabs | null = null;
  const borrow: ChatViewOptions['borrow'] = (id, take) => agents?.lend(id, take) ?? take();
  const given = { context, storage, log, apiKey, choices, documents, proposals, borrow };
  const chat = new ChatView(given);
  chat.onDidEmit((message) => heard.push(message));
  const uri = Uri.file(storage) as unknown as ConstructorParameters<typeof SessionsView>[0]['storage'];
  const sessions = new SessionsView({ chat, log, storage: uri });
  const reports = new ReportDocuments(storage);
  agents = new AgentTabs({ ...given, chat, sessions, reports });
  const parts = { chat, sessions, reports, storage, proposals, choices, apiKey, log, agents, documents };
  return {
    parts: parts as unknown as CommandParts,
    chat,
    agents,
    heard,
    errors,
    store: new SessionStore(
      nodeStorePorts(() => undefined),
      storage,
    ),
    close: async () => {
      sessions.dispose();
      await Promise.all([agents.dispose(), chat.dispose()]);
    },
  };
}

/** A window of its own for each test of a file, in a place that goes with it. */
export interface WindowFixture {
  readonly place: Place;
  readonly window: OpenedWindow;
}

/** The window must not log errors. */
export function windowFixture(
  settings: Readonly<Record<string, unknown>> = { provider: 'offline' },
): WindowFixture {
  let place: Awaited<ReturnType<typeof makePlace>>;
  let window: OpenedWindow;
  beforeEach(async () => {
    double.settings = { ...settings };
    place = await makePlace();
    double.folders = [folder(place.workspace)];
    window = openedWindow(place);
  });
  afterEach(async () => {
    await window.close();
    await place.remove();
    expect(window.errors).toEqual([]);
  });
  return {
    get place() {
      return place;
    },
    get window() {
      return window;
    },
  };
}

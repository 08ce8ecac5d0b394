import { ApiKey } from '../../src/host/api-key.ts';
import { CodeProposals } from '../../src/host/code-proposals.ts';
import { Choices } from '../../src/host/choices.ts';
import { ConversationHost } from '../../src/host/conversation-host.ts';
import { ShownDocuments } from '../../src/host/shown-documents.ts';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import type { Place } from '../support/headless.ts';

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

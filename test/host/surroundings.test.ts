import { expect, test, vi } from 'vitest';
import type { ChatView } from '../../src/host/chat-view.ts';
import { Surroundings, type SurroundingsOptions } from '../../src/host/surroundings.ts';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { prompt, snapshot, turnState } from '../webview/log-items.ts';
import { double, vscodeDouble } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

const WAITING = turnState('waiting', {
  client_turn_id: null,
  pending: [{ call_id: 'c1', name: 'run_command', suspension: { id: 's1', reason: 'approval' } }],
});

/** What a window has, and the next one of the same folder. */
function newMemory(): SurroundingsOptions['memory'] {
  const kept = new Map<string, unknown>();
  return {
    get: (key: string): undefined => kept.get(key) as undefined,
    update: async (key, value) => void kept.set(key, value),
    keys: () => [...kept.keys()],
  };
}

const quiet = (): undefined => undefined;

/** What the surroundings know of a chat. */
function chatInView({ memory = newMemory(), isVisible = true } = {}) {
  const emitted = new vscodeDouble.EventEmitter();
  const hidden = new vscodeDouble.EventEmitter();
  const view = { onDidEmit: emitted.event, onDidHide: hidden.event, isVisible };
  const log = { info: quiet, warn: quiet, error: quiet } as unknown as SurroundingsOptions['log'];
  const around = new Surroundings({ chat: view as unknown as ChatView, memory, log });
  emitted.fire(snapshot([prompt(0)]));
  return {
    around,
    tell: (message: HostMessage) => emitted.fire(message),
    hide: () => {
      view.isVisible = false;
      hidden.fire(undefined);
    },
  };
}

test('who turns away in the moment in which something begins to wait is called, once', () => {
  const chat = chatInView();
  chat.tell(WAITING);
  expect(double.questions).toEqual([]);
  chat.hide();
  expect(double.questions).toEqual(['Ledgerline needs you: 1 approval.']);
  chat.hide();
  chat.tell({ ...WAITING, reason: 'suspended' });
  expect(double.questions).toHaveLength(1);
  chat.around.dispose();
});

test('who had time to read it is not, nor who has decided it by then', () => {
  const seen = chatInView();
  seen.tell(WAITING);
  vi.spyOn(Date, 'now').mockReturnValueOnce(Date.now() + 60_000);
  seen.hide();
  seen.around.dispose();
  const decided = chatInView();
  decided.tell(WAITING);
  decided.tell({ ...WAITING, state: 'completed', pending: [] });
  decided.hide();
  decided.around.dispose();
  expect(double.questions).toEqual([]);
});

test('what was only seen is called for by the next window, and what was called for by none after it', () => {
  const memory = newMemory();
  const seen = chatInView({ memory });
  seen.tell(WAITING);
  seen.around.dispose();
  for (const window of ['the next one', 'the one after it']) {
    const { tell, around } = chatInView({ memory, isVisible: false });
    tell(WAITING);
    expect([window, double.questions]).toEqual([window, ['Ledgerline needs you: 1 approval.']]);
    around.dispose();
  }
});

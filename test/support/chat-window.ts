import { Conversation } from '../../src/app/conversation.ts';
import type { ConversationOptions } from '../../src/app/conversation-options.ts';
import { parseSettings } from '../../src/app/settings.ts';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import type { Place } from './headless.ts';
import type { Answer } from './responses-server/response-events.ts';

type Fits = (message: HostMessage) => boolean;

/** A window without its looks: what a person does in it goes in, and what it would show comes out. */
export class Window {
  readonly messages: HostMessage[] = [];
  readonly conversation: Conversation;
  /** What it was opened with, for another process that looks at the same storage. */
  readonly options: Omit<ConversationOptions, 'emit' | 'session_id'>;
  private waiting: { readonly fits: Fits; readonly resolve: (message: HostMessage) => void }[] = [];
  private sent = 0;
  private decisions = 0;

  constructor(
    place: Place,
    settings: Readonly<Record<string, unknown>>,
    session: string,
    { trusted }: { readonly trusted: boolean },
  ) {
    const parsed = parseSettings({ model: 'gpt-test', ...settings });
    if (!parsed.ok) throw new Error(parsed.problems.join('; '));
    this.options = {
      storage: place.storage,
      roots: [{ name: 'workspace', path: place.workspace }],
      home: place.home,
      settings: () => parsed.settings,
      api_key: async () => 'sk-test',
      trusted: () => trusted,
      app_version: '0.0.0',
      app_root: null,
      logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
    };
    const emit = (message: HostMessage): void => this.heard(message);
    this.conversation = new Conversation({ ...this.options, session_id: session, emit });
  }

  async ready(): Promise<void> {
    await this.conversation.receive({ type: 'ready' });
  }

  receive(message: object): Promise<void> {
    return this.conversation.receive(message);
  }

  /** Resolves when the prompt is on record. */
  send(text: string, client_turn_id = `client_${(this.sent += 1)}`): Promise<void> {
    return this.conversation.receive({ type: 'send', client_turn_id, text });
  }

  /** A turn from its prompt to where it rests. */
  async turn(text: string, client_turn_id?: string): Promise<string | null> {
    await this.send(text, client_turn_id);
    return this.rests();
  }

  /** Where the last turn is once nothing is under way. */
  async rests(): Promise<string | null> {
    await this.conversation.settled();
    return this.state;
  }

  /** Resolves when the decision has been taken in or refused, not when what it starts has ended. */
  decide(target_id: string, action: string, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const decision_id = `decision_${(this.decisions += 1)}_${Math.random()}`;
    return this.conversation.receive({ type: 'decide', target_id, decision_id, action, ...more });
  }

  /** Where the turn rests once a decision has been taken in and what it starts has ended. */
  async decided(
    target_id: string,
    action: string,
    more?: Readonly<Record<string, unknown>>,
  ): Promise<string | null> {
    await this.decide(target_id, action, more);
    return this.rests();
  }

  stop(): Promise<void> {
    return this.conversation.receive({ type: 'stop' });
  }

  get state(): string | null {
    const last = this.messages.findLast((message) => message.type === 'turn_state');
    return last?.type === 'turn_state' ? last.state : null;
  }

  get failures(): readonly Extract<HostMessage, { type: 'failure' }>[] {
    return this.messages.flatMap((message) => (message.type === 'failure' ? [message] : []));
  }

  /** The first message that fits, past or future. */
  until(fits: Fits): Promise<HostMessage> {
    const known = this.messages.find(fits);
    return known === undefined
      ? new Promise((resolve) => this.waiting.push({ fits, resolve }))
      : Promise.resolve(known);
  }

  call(call_id: string, state: string): Promise<HostMessage> {
    return this.until(
      (message) => message.type === 'tool_state' && message.call_id === call_id && message.state === state,
    );
  }

  async close(): Promise<void> {
    await this.conversation.dispose();
  }

  private heard(message: HostMessage): void {
    this.messages.push(message);
    const fitting = this.waiting.filter(({ fits }) => fits(message));
    this.waiting = this.waiting.filter((one) => !fitting.includes(one));
    for (const { resolve } of fitting) resolve(message);
  }
}

/** A response that asks for calls. */
export function asks(...calls: readonly (readonly [call_id: string, name: string, args: object])[]): Answer {
  return { calls: calls.map(([call_id, name, args]) => ({ call_id, name, args })) };
}

export function says(text: string): Answer {
  return { text };
}

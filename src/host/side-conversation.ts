import type { Conversation } from '../app/conversation.ts';
import type { HostMessage, PresenterMessage } from '../presenter/protocol.ts';
import { hostConversation, type HostOptions, settingsRefusal } from './host-conversation.ts';

/** Talks in a session of its own, on record like every other, while the one that is open stays as it is. */
export class SideConversation {
  private readonly conversation: Conversation;

  constructor(
    private readonly options: HostOptions,
    private readonly emit: (message: HostMessage) => void,
  ) {
    this.conversation = hostConversation(options, { session_id: null, emit });
  }

  get sessionId(): string {
    return this.conversation.sessionId;
  }

  /** Resolves when the message is on record, or was refused. */
  async send(message: Extract<PresenterMessage, { type: 'send' }>): Promise<void> {
    const refusal = settingsRefusal(message, this.options.choices);
    if (refusal === null) await this.conversation.receive(message);
    else this.emit(refusal);
  }

  /** Resolves when nothing is under way, and all of it has been told. */
  settled(): Promise<void> {
    return this.conversation.settled();
  }

  stop(): Promise<void> {
    return this.conversation.stop();
  }

  dispose(): Promise<void> {
    return this.conversation.dispose();
  }
}

import { randomUUID } from 'node:crypto';
import type { HostMessage, PresenterMessage } from '../../../src/presenter/protocol.ts';
import type { PageWebview } from '../bridge/page-webview.ts';

type Fits = (message: HostMessage) => boolean;
type Unversioned<T> = T extends unknown ? Omit<T, 'v'> : never;
/** What has a default may be left out. */
type Saying = Partial<Unversioned<PresenterMessage>> & Pick<PresenterMessage, 'type'>;

type Decision = Extract<PresenterMessage, { type: 'decide' }>;

interface Waiter {
  readonly fits: Fits;
  readonly resolve: (message: HostMessage) => void;
  /** Gives up. */
  readonly late: NodeJS.Timeout;
}

const LONGEST_MS = 20_000;

/** In the place of a page until one comes: says what a page would say, and keeps what one would be told. */
export class Onlooker {
  private readonly messages: HostMessage[] = [];
  private readonly waiting = new Set<Waiter>();
  private readonly subscriptions: readonly { dispose(): unknown }[];
  /** What is said once, so that a page which comes later would not hear it. */
  private left: readonly HostMessage[] | null = null;

  constructor(private readonly webview: PageWebview) {
    this.subscriptions = [
      webview.onPosted((message) => this.hear(message as HostMessage)),
      webview.onHeard((message) => {
        if (this.left !== null && (message as { type?: unknown }).type === 'ready')
          void this.tellLeft(this.left);
      }),
    ];
  }

  get session_id(): string {
    const last = this.messages.findLast((one) => one.type === 'snapshot');
    return last?.type === 'snapshot' ? last.session_id : '';
  }

  get turn_id(): string {
    return this.last?.turn_id ?? '';
  }

  /** Of the last event that a page was told of. */
  get last_seq(): number {
    const seqs = this.messages.flatMap((one) =>
      one.type === 'append' || one.type === 'snapshot' ? one.items.map(({ seq }) => seq) : [],
    );
    return Math.max(...seqs);
  }

  private get last(): Extract<HostMessage, { type: 'turn_state' }> | null {
    const last = this.messages.findLast((one) => one.type === 'turn_state');
    return last?.type === 'turn_state' ? last : null;
  }

  say(message: Saying): void {
    this.webview.hears({ v: 1, ...message });
  }

  async come(): Promise<void> {
    this.say({ type: 'ready' });
    await this.until('the first words', ({ type }) => type === 'snapshot');
    await this.answered();
  }

  /** Resolves when all that was said so far is answered: what is asked after it is answered after it. */
  async answered(): Promise<void> {
    const query_id = randomUUID();
    this.say({ type: 'find_skills', query_id });
    await this.until('an answer', (one) => one.type === 'skills' && one.query_id === query_id);
  }

  /** A prompt; resolves when it is on record. */
  async send(text: string, attachments: readonly object[] = []): Promise<void> {
    const client_turn_id = randomUUID();
    this.say({ type: 'send', client_turn_id, text, attachments: attachments as never });
    await this.until('the turn', (one) => one.type === 'turn_state' && one.client_turn_id === client_turn_id);
  }

  /** A prompt, and its turn as far as to that state. */
  async turn(text: string, state: string): Promise<void> {
    await this.send(text);
    await this.turnIn(state);
  }

  /** The last turn is in that state, or comes to be. */
  async turnIn(state: string): Promise<void> {
    if (this.last?.state === state) return;
    await this.next(`a turn that is ${state}`, (one) => one.type === 'turn_state' && one.state === state);
  }

  stop(): void {
    this.say({ type: 'stop' });
  }

  /** What waits for a person, once there are so many: the ids of the suspensions. */
  async waits(count: number): Promise<readonly string[]> {
    const asked = (): readonly string[] => (this.last?.pending ?? []).map((one) => idOf(one.suspension));
    if (asked().length !== count) await this.next(`${count} that wait`, () => asked().length === count);
    return asked();
  }

  /** The same of what its children ask. */
  async childrenAsk(count: number): Promise<readonly string[]> {
    const asked = (): readonly string[] => {
      const told = new Map<string, readonly string[]>();
      for (const one of this.messages)
        if (one.type === 'children')
          for (const { subagent_id, questions } of one.items)
            told.set(
              subagent_id,
              questions.map(({ suspension }) => idOf(suspension)),
            );
      return [...told.values()].flat();
    };
    if (asked().length !== count) await this.next(`${count} that ask`, () => asked().length === count);
    return asked();
  }

  decide(target_id: string, action: 'resume' | 'cancel', more: Partial<Decision> = {}): void {
    this.say({ type: 'decide', target_id, decision_id: randomUUID(), action, ...more });
  }

  /** The first message that fits, past or to come. */
  until(what: string, fits: Fits): Promise<HostMessage> {
    const known = this.messages.find(fits);
    return known === undefined ? this.next(what, fits) : Promise.resolve(known);
  }

  /** The first message to come that fits. */
  next(what: string, fits: Fits): Promise<HostMessage> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        reject(new Error(`waited in vain for ${what}; the last turn is ${JSON.stringify(this.last)}`));
      }, LONGEST_MS);
      this.waiting.add({ fits, resolve, late });
    });
  }

  /** From here on a page is there: it is told again what is said once, and then what is made up. */
  leave(told: readonly HostMessage[]): void {
    const notices = this.messages.filter(({ type }) => type === 'notice' || type === 'failure');
    this.left = [...notices, ...told];
  }

  /** Nobody waits for anything any more. */
  close(): void {
    for (const one of this.subscriptions) one.dispose();
    for (const { late } of this.waiting) clearTimeout(late);
  }

  private hear(message: HostMessage): void {
    this.messages.push(message);
    for (const one of this.waiting) {
      if (!one.fits(message)) continue;
      this.waiting.delete(one);
      clearTimeout(one.late);
      one.resolve(message);
    }
  }

  private async tellLeft(left: readonly HostMessage[]): Promise<void> {
    if (left.length === 0) return;
    await this.answered();
    for (const message of left) this.webview.post(message);
  }
}

function idOf(suspension: unknown): string {
  return (suspension as { readonly id: string }).id;
}

import { aboutOf, failureMessage, type About } from '../presenter/failure.ts';
import { Feed } from '../presenter/feed.ts';
import {
  compactionNotice,
  isAutomatic,
  pressureMessage,
  previewNotice,
  tierNotice,
} from '../presenter/pressure.ts';
import { project } from '../presenter/projection.ts';
import { snapshotMessage } from '../presenter/snapshot.ts';
import type { Access, HostMessage, PresenterMessage } from '../presenter/protocol.ts';
import type { CompactionRecord } from '../runtime/context-events.ts';
import type { LogEvent, NextAction } from '../runtime/events.ts';
import type { SessionOutput } from '../runtime/outputs.ts';
import type { AppendFailureKind } from '../runtime/ports.ts';
import type { TurnRecord } from '../runtime/session-state.ts';
import type { OpenCall } from '../runtime/turn-calls.ts';
import { windowOf } from './context-window.ts';
import type { Logger } from './conversation-options.ts';
import { appendFault, explained, type Explained } from './faults.ts';
import { frameTimer } from './node-ports.ts';
import type { OpenedSession } from './open-session.ts';
import type { Origin } from './parentage.ts';
import { unopenedAccess } from './read-only-access.ts';
import type { Settings } from './settings.ts';
import type { FoundSkill } from './skills.ts';

export interface ViewPorts {
  readonly emit: (message: HostMessage) => void;
  readonly logger: Logger;
  readonly session: () => {
    readonly id: string;
    readonly opened: OpenedSession | null;
    /** Why nothing of it can be shown. */
    readonly obstacle: Explained | null;
  };
  /** What a person called it; null where nobody did. */
  readonly givenTitle: (sessionId: string) => string | null;
  readonly settings: () => Settings;
}

const NOTHING = { events: [], has_more: false } as const;
const NOT_OPEN = { reason: 'failed', message: 'The session could not be opened.', next_actions: [] } as const;

/** What the presenter of a conversation is told. Changes nothing but what is on screen. */
export class ConversationView {
  private readonly feed: Feed;

  constructor(private readonly ports: ViewPorts) {
    this.feed = new Feed(ports.emit, frameTimer, () => {
      const { id, opened } = ports.session();
      return { id, turn: opened?.state.turn ?? null, evidence: opened?.evidence ?? null };
    });
  }

  /** Whatever goes wrong with a message is told to whoever sent it. */
  async answering(message: PresenterMessage, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const { kind, text, next_actions, log } = explained(error);
      this.ports.logger.error(`${message.type}: ${log}`);
      this.failure(message.type, kind, text, { ...aboutOf(message), next_actions });
    }
  }

  /** What this presenter cannot do. */
  lacks({ type }: PresenterMessage, text: string): void {
    this.failure(type, 'not_available', text);
  }

  notRemembered(reason: string): void {
    this.ports.logger.error(`a rule was not remembered: ${reason}`);
    this.notice('warning', `The decision counts, but it could not be remembered (${reason}).`);
  }

  flush(): void {
    this.feed.flush();
  }

  reopened(): void {
    this.feed.reopened();
  }

  snapshot(): void {
    const { id: session_id, opened } = this.ports.session();
    const access = this.access();
    if (access === null) return;
    this.feed.flush();
    const { provider, model, permissionMode: mode } = this.ports.settings();
    const settings = { provider, model, mode };
    const title = this.title();
    const window = opened?.window ?? NOTHING;
    const { stream } = this.feed;
    const { parent = null, origin = null } = this.ports.session().opened ?? {};
    const family = { parent: this.named(parent), fork: this.named(origin) };
    this.ports.emit(snapshotMessage({ session_id, title, ...family, access, ...window, stream, settings }));
    this.feed.turnState({ always: true });
    this.feed.plan({ always: true });
    this.feed.running();
    this.pressure();
  }

  /** What the session is called; where nothing of it can be read and nobody named it, by its id. */
  private title(): string {
    const { id, opened } = this.ports.session();
    return this.ports.givenTitle(id) ?? opened?.title ?? id;
  }

  /** Another session by the name that it was given. */
  private named<T extends Origin>(other: T | null): T | null {
    return other && { ...other, title: this.ports.givenTitle(other.session_id) ?? other.title };
  }

  /** Null while it is still being opened. */
  private access(): Access | null {
    const { opened, obstacle } = this.ports.session();
    if (opened !== null) return opened.access;
    return obstacle === null ? null : unopenedAccess(this.title(), obstacle.text);
  }

  /** By the last call that says something about the window. */
  private pressure(): void {
    const { opened } = this.ports.session();
    this.ports.emit(this.gauged(opened));
  }

  private gauged(opened: OpenedSession | null): ReturnType<typeof pressureMessage> {
    return pressureMessage(opened?.state.pressure.gauge ?? null, windowOf(this.ports.settings()));
  }

  /** What an event says of the room in the window: each fact once, also across reloads, because the log has it. */
  private context(event: LogEvent): void {
    const { opened } = this.ports.session();
    if (event.type === 'provider_usage' && event.data.purpose === undefined) {
      this.pressure();
      const reached = opened?.state.pressure.reached;
      if (reached?.seq !== event.seq) return;
      const told = tierNotice(reached.tier, event.data.context.ratio);
      if (told !== null) this.ports.emit(told);
    }
    if (event.type !== 'history_compaction') return;
    const message = this.gauged(opened);
    this.ports.emit(isAutomatic(event.data.trigger) ? { ...message, tier: 'recovery' } : message);
    this.ports.emit(compactionNotice(event));
  }

  /** Exactly what would be recorded. */
  preview(record: CompactionRecord): void {
    const { id: session_id } = this.ports.session();
    const next_actions = [{ label: 'Compact now', command: 'ledgerline.compact' }];
    this.ports.emit({ v: 1, type: 'compaction_preview', session_id, record: { ...record }, next_actions });
    this.ports.emit(previewNotice(record));
  }

  async before(seq: number): Promise<void> {
    const { id: session_id, opened } = this.ports.session();
    const window = await opened?.before(seq);
    if (window === undefined) return;
    const { events, has_more } = window;
    this.ports.emit({ v: 1, type: 'prepend', session_id, items: events.map(project), has_more, before: seq });
  }

  async after(seq: number): Promise<void> {
    const { id: session_id, opened } = this.ports.session();
    const window = await opened?.after(seq);
    if (window === undefined) return;
    const { events, has_later } = window;
    this.ports.emit({ v: 1, type: 'extend', session_id, items: events.map(project), has_later, after: seq });
  }

  /** What became of a turn: in answer to what was already said before. */
  turn(turn: TurnRecord): void {
    const { opened } = this.ports.session();
    if (opened?.state.turn?.turn_id === turn.turn_id) return this.feed.turnState({ always: true });
    const { turn_id, client_turn_id, state, reason, next_actions } = turn;
    const told = { turn_id, client_turn_id, state, reason, next_actions: [...next_actions] };
    this.ports.emit({ v: 1, type: 'turn_state', ...told });
  }

  lastTurn(): void {
    this.feed.turnState({ always: true });
  }

  /** The process of a call whose outcome is not known. */
  process(call: OpenCall, process: { readonly pid: number; readonly alive: boolean }): void {
    const { opened } = this.ports.session();
    const turn_id = opened?.state.turn?.turn_id;
    if (turn_id === undefined) return;
    const { call_id, name, state, suspension } = call;
    const args = { target_id: suspension?.id ?? call_id };
    const end = { label: `End process ${process.pid}`, command: 'ledgerline.endProcess', args };
    this.ports.emit({
      v: 1,
      type: 'tool_state',
      turn_id,
      call_id,
      name,
      state,
      suspension,
      process: { ...process },
      next_actions: process.alive ? [end] : [],
    });
  }

  publish(output: SessionOutput): void {
    if (output.kind === 'append_failed') return this.appendFailed(output.failure, output.message);
    if (output.kind === 'internal_error') return this.failure('run', 'internal', output.message);
    const { opened } = this.ports.session();
    if (output.kind === 'committed') opened?.noteCommitted(output.events);
    // What the opening itself recorded is in the snapshot that follows it.
    if (opened?.access.kind === 'loading') return;
    // Before the rest: the state of a turn that is over is the last word about it.
    if (output.kind === 'committed') for (const event of output.events) this.context(event);
    this.feed.output(output);
  }

  /** Why nothing can be done with the session just now. */
  refuse(what: string, about: About = {}): void {
    const access = this.access();
    const { reason, message, next_actions } = access?.kind === 'read_only' ? access : NOT_OPEN;
    const kind = this.ports.session().obstacle?.kind ?? `session_${reason}`;
    this.failure(what, kind, message, { ...about, next_actions });
  }

  /** Another was asked for, and this one is still there. */
  unopened(id: string, { kind, text }: Explained): void {
    const { message, next_actions } = unopenedAccess(this.ports.givenTitle(id) ?? id, text);
    // What is shown needs not to be opened again.
    const others = next_actions.filter(({ command }) => command !== 'ledgerline.reopenSession');
    this.failure('open_session', kind, message, { next_actions: others });
  }

  /** Also those that cannot be used, with the reason. */
  skills(query_id: string, found: readonly FoundSkill[]): void {
    const items = found.map((one) =>
      one.ok
        ? { name: one.name, description: one.description }
        : { name: one.name, description: '', problem: one.reason },
    );
    this.ports.emit({ v: 1, type: 'skills', query_id, items });
  }

  failure(...told: Parameters<typeof failureMessage>): void {
    this.ports.emit(failureMessage(...told));
  }

  notice(level: 'info' | 'warning', message: string, next_actions: readonly NextAction[] = []): void {
    this.ports.emit({ v: 1, type: 'notice', level, message, next_actions: [...next_actions] });
  }

  private appendFailed(kind: AppendFailureKind, message: string): void {
    const { text, next_actions } = appendFault(kind);
    this.ports.session().opened?.refuse('failed', text, next_actions);
    // Taken over, it is opened anew at once, and is then what the other makes of it.
    if (kind !== 'lease_lost') this.snapshot();
    this.ports.logger.error(`append failed: ${kind}: ${message}`);
    this.failure('append', kind, text, { next_actions });
  }
}

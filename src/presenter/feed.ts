import type { KnownEvent, LogEvent, Suspension } from '../runtime/events.ts';
import type { Activity, SessionOutput } from '../runtime/outputs.ts';
import type { Turn } from '../runtime/turn.ts';
import type { TurnEvidence } from '../runtime/turn-evidence.ts';
import { project } from './projection.ts';
import type { HostMessage } from './protocol.ts';
import { turnStateMessage } from './turn-messages.ts';

/** Of what a command says, as much as a presenter ever shows. */
const PROGRESS_CHARS = 4096;

/** Calls back once, a frame later. */
export type FrameTimer = (callback: () => void) => void;

export interface FeedStream {
  readonly turn_id: string;
  readonly stream_run_id: string;
  readonly text: string;
  readonly reasoning: string;
}

/**
 * Turns what a session publishes into presenter messages: facts at once and in order, deltas merged to one
 * message a frame. Buffered text always goes out before a state, so that no badge overtakes the text.
 */
export class Feed {
  private buffered: Extract<HostMessage, { type: 'delta' }>[] = [];
  private inFrame = false;
  private activity: Activity | null = null;
  private live: FeedStream | null = null;
  private readonly names = new Map<string, string>();
  /** What the calls that run have said last. */
  private readonly progress = new Map<string, { readonly turn_id: string; readonly text: string }>();
  private lastState = '';
  private lastPlan: TurnEvidence['plan'] = null;

  constructor(
    private readonly emit: (message: HostMessage) => void,
    private readonly frame: FrameTimer,
    private readonly session: () => {
      readonly id: string;
      readonly turn: Turn | null;
      readonly evidence?: TurnEvidence | null;
    },
  ) {}

  /** Text of a stream that is under way, for a presenter that comes in late. */
  get stream(): FeedStream | null {
    return this.live;
  }

  /** Another session, or the same one anew: what streamed in before is over. */
  reopened(): void {
    this.flush();
    this.live = null;
    this.progress.clear();
  }

  output(output: Exclude<SessionOutput, { kind: 'append_failed' | 'internal_error' }>): void {
    switch (output.kind) {
      case 'committed':
        return this.committed(output.events);
      case 'text_delta':
        return this.delta(output.turn_id, output.stream_run_id, 'text', output.text);
      case 'reasoning_delta':
        return this.delta(output.turn_id, output.stream_run_id, 'reasoning', output.text);
      case 'stream_rest':
        return this.flush();
      case 'tool_progress': {
        const { turn_id, call_id, text } = output;
        const said = `${this.progress.get(call_id)?.text ?? ''}${text}`.slice(-PROGRESS_CHARS);
        this.progress.set(call_id, { turn_id, text: said });
        return this.tellProgress(turn_id, call_id, text);
      }
      case 'status':
        this.activity = output.activity;
        return this.turnState({ always: true });
    }
  }

  /** What running calls said so far, for a presenter that comes in late. */
  running(): void {
    for (const [call_id, { turn_id, text }] of this.progress) this.tellProgress(turn_id, call_id, text);
  }

  private tellProgress(turn_id: string, call_id: string, progress: string): void {
    const name = this.nameOf(call_id);
    this.emit({ v: 1, type: 'tool_state', turn_id, call_id, name, state: 'running', progress });
  }

  /** The state of the last turn; follows every snapshot. */
  turnState(options: { readonly always: boolean }): void {
    const { turn, evidence = null } = this.session();
    if (turn === null) return;
    this.flush();
    const message = turnStateMessage(turn, this.activity, evidence);
    const { turn_id, state, reason, pending } = message;
    const key = JSON.stringify([turn_id, state, reason, pending, message.evidence]);
    if (!options.always && key === this.lastState) return;
    this.lastState = key;
    this.emit(message);
  }

  /** The plan of the last turn, when it is another than was told; after a snapshot in any case. */
  plan(options: { readonly always: boolean }): void {
    const { turn, evidence = null } = this.session();
    const steps = evidence?.plan ?? null;
    if (turn === null || steps === null || (!options.always && steps === this.lastPlan)) return;
    this.lastPlan = steps;
    this.emit({ v: 1, type: 'plan', turn_id: turn.turn_id, steps: [...steps] });
  }

  flush(): void {
    const messages = this.buffered;
    this.buffered = [];
    for (const message of messages) this.emit(message);
  }

  private committed(events: readonly LogEvent[]): void {
    this.flush();
    const { id } = this.session();
    this.emit({ v: 1, type: 'append', session_id: id, items: events.map(project) });
    for (const event of events) this.follow(event);
    this.plan({ always: false });
    this.turnState({ always: false });
  }

  private follow(event: LogEvent): void {
    if (event.type === 'tool_call') this.names.set(event.data.call_id, event.data.name);
    if (event.type === 'tool_call' || event.type === 'tool_call_status') {
      const { turn_id, call_id } = event.data;
      if (event.type === 'tool_call_status' && event.data.to !== 'running') this.progress.delete(call_id);
      const status = event.type === 'tool_call' ? { state: 'new' } : suspendedOr(event);
      this.emit({
        v: 1,
        type: 'tool_state',
        turn_id,
        call_id,
        name: this.nameOf(call_id),
        ...status,
      });
    }
    if (event.type === 'run_status' || event.type === 'assistant_message' || event.type === 'provider_usage')
      this.live = null;
    if (event.type === 'run_status') {
      this.activity = null;
      this.progress.clear();
    }
  }

  /** Also of calls that were made before this process began. */
  private nameOf(callId: string): string {
    return this.names.get(callId) ?? this.session().turn?.open.get(callId)?.name ?? '';
  }

  private delta(turn_id: string, stream_run_id: string, kind: 'text' | 'reasoning', text: string): void {
    const live =
      this.live?.stream_run_id === stream_run_id
        ? this.live
        : { turn_id, stream_run_id, text: '', reasoning: '' };
    this.live = { ...live, [kind]: live[kind] + text };
    const at = this.buffered.findIndex((one) => one.stream_run_id === stream_run_id && one.kind === kind);
    const known = this.buffered[at];
    if (known === undefined) this.buffered.push({ v: 1, type: 'delta', turn_id, stream_run_id, kind, text });
    else this.buffered[at] = { ...known, text: known.text + text };
    if (!this.inFrame) this.beginFrame();
  }

  /**
   * What comes first goes out at once; what follows it within a frame goes together, at the frame's end. Of thoughts
   * and text that came in one frame, the second waits for the next: one message a frame.
   */
  private beginFrame(): void {
    const first = this.buffered.shift();
    if (first !== undefined) this.emit(first);
    this.inFrame = true;
    this.frame(() => {
      this.inFrame = false;
      if (this.buffered.length > 0) this.beginFrame();
    });
  }
}

function suspendedOr({ id, data: { to: state, suspension } }: KnownEvent<'tool_call_status'>): {
  readonly state: string;
  readonly suspension?: Suspension;
  readonly pending_id?: string;
} {
  return suspension === undefined ? { state } : { state, suspension, pending_id: id };
}

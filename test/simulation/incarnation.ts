import { createHash } from 'node:crypto';
import { OpenedSession } from '../../src/app/open-session.ts';
import { pressure } from '../../src/runtime/extensions/pressure.ts';
import { stopConditions } from '../../src/runtime/extensions/stop-conditions.ts';
import { PERMISSIONS } from '../support/session-bench.ts';
import type { Decision } from '../../src/runtime/decisions.ts';
import type { RunSettings } from '../../src/runtime/extension.ts';
import type { CommandProcess } from '../../src/runtime/events.ts';
import type { SessionOutput } from '../../src/runtime/outputs.ts';
import { AppendFailed, type Ids, type Provider, type ToolBox } from '../../src/runtime/ports.ts';
import type { RunPorts } from '../../src/runtime/session-ports.ts';
import type { Session } from '../../src/runtime/session.ts';
import { DiskError, type Disk } from '../../src/storage/disk.ts';
import { SessionStore } from '../../src/storage/session-store.ts';
import { PromiseBroken } from './promises/promise.ts';
import type { Owner, Scheduler } from './scheduler.ts';
import { scriptedGate } from './scripted-call.ts';
import type { World } from './world.ts';

/** Longer than any lease or claim of a dead owner binds. */
const HELD_MS = 11_000;
const MOST_TRIES = 12;

export interface Machine {
  readonly scheduler: Scheduler;
  readonly world: World;
  readonly ids: Ids;
  readonly root: string;
  readonly session_id: string;
  isAlive(pid: number): boolean;
  /** Whether a command that some process started is still there. */
  isRunning(process: CommandProcess): boolean;
  disk(owner: Owner): Disk;
  tools(owner: Owner): ToolBox;
  provider(owner: Owner): Provider;
  settings(): RunSettings;
  /** As the program takes it in. */
  taken(decision: Decision): Decision;
  /** What a session writes from here on is its own doing, until it is opened. */
  opening(): void;
  opened(session: Session, ports: () => Promise<RunPorts>): void;
  /** An open session at rest, after its recovery or once settled. */
  atRest(session: Session): void;
  /** The session was found to be another process's. */
  held(): void;
  /** A stop of this turn has been answered. */
  stopped(turnId: string): void;
  note(line: string): void;
}

type State =
  | { readonly kind: 'opening' }
  | {
      readonly kind: 'open';
      readonly opened: OpenedSession;
      readonly session: Session;
      readonly leave: () => void;
    }
  | { readonly kind: 'closing' }
  | { readonly kind: 'ended' };

/** One process of the program with its window: from opening the session to closing it, or to its death. */
export class Incarnation implements Owner {
  alive = true;
  private state: State = { kind: 'opening' };
  /** The log took no more: what this window shows is over. */
  private failed = false;

  constructor(
    readonly pid: number,
    private readonly machine: Machine,
  ) {}

  get kind(): State['kind'] {
    return this.state.kind;
  }

  get session(): Session | null {
    return this.state.kind === 'open' ? this.state.session : null;
  }

  /** Opens, stays until told to leave, closes. Opens again when its log has failed. */
  async live(): Promise<void> {
    for (let tries = 1; this.state.kind !== 'ended'; tries += 1) {
      if (tries > MOST_TRIES) throw new PromiseBroken(`a session can be opened again: not in ${tries} tries`);
      const opened = await this.open();
      if (opened === null) await this.wait(HELD_MS);
      else await this.stay(opened);
    }
  }

  send(client_turn_id: string): void {
    this.request('send', async (session) => {
      const prompt = { client_turn_id, text: `do ${client_turn_id}`, attachments: [] };
      const { kind, turn } = await session.send(prompt, this.runPorts());
      this.machine.note(`  ${client_turn_id} ${kind} ${turn.turn_id}`);
      this.machine.world.acknowledge(client_turn_id, turn.turn_id);
    });
  }

  decide(decision: Decision): void {
    const { world } = this.machine;
    world.says(decision);
    this.request('decide', async (session) => {
      const on_record = world.isOnRecord(decision.decision_id);
      const outcome = await session.decide(this.machine.taken(decision), async () => this.runPorts());
      const why = outcome.kind === 'refused' ? outcome.code : (outcome.call_id ?? '');
      this.machine.note(`  ${decision.decision_id} ${outcome.kind} ${why}`);
      world.hears(decision, outcome, { on_record });
    });
  }

  compact(dry_run: boolean): void {
    this.request('compact', async (session) => {
      const { kind } = await session.compact({ dry_run }, async () => this.runPorts());
      this.machine.note(`  ${kind}`);
    });
  }

  /** What a decided call waits for may have ended. */
  lookAgain(): void {
    if (this.state.kind !== 'open') return;
    const { session } = this.state;
    void this.machine.scheduler.perform(this, 'looks again', () => void session.recheck());
  }

  stop(): void {
    this.request('stop', async (session) => {
      const { turn } = session.state;
      if (session.running && turn !== null) this.machine.world.silence(turn.turn_id);
      await session.stop('user_cancelled');
      if (turn !== null && !this.failed) this.machine.stopped(turn.turn_id);
    });
  }

  /** The window goes at once, whatever is under way. */
  close(): void {
    if (this.state.kind === 'open') this.state.leave();
  }

  /** Waits for what is under way, and then closes. */
  leaveSettled(): void {
    if (this.state.kind !== 'open') return;
    const { session, leave } = this.state;
    this.state = { kind: 'closing' };
    void this.attempt(this.rest(session)).then(leave);
  }

  kill(): void {
    this.alive = false;
    this.state = { kind: 'ended' };
  }

  private async open(): Promise<OpenedSession | null> {
    const { world, root, session_id } = this.machine;
    this.failed = false;
    this.machine.opening();
    const publish = (output: SessionOutput): void => {
      if (output.kind === 'committed' && this.failed)
        world.breaks(new PromiseBroken('after a failed append nothing is shown: it was'));
      if (output.kind === 'append_failed') this.noticeFailure();
      world.publish(output);
    };
    let opened: OpenedSession | null = null;
    try {
      const watch = {
        publish,
        ownerGone: () => undefined,
        lostSight: () => undefined,
        isAlive: (process: CommandProcess) => this.machine.isRunning(process),
        batch: () => this.machine.settings().batch_approvals,
        remember: async () => undefined,
      };
      opened = await OpenedSession.open(this.store(root), session_id, watch, { take_over: false });
      await opened.load(async () => this.machine.tools(this));
      const { access } = opened;
      if (access.kind === 'writer') return opened;
      this.machine.note(`  opened ${access.kind === 'read_only' ? access.reason : access.kind}`);
      if (access.kind === 'read_only' && access.reason === 'held') this.machine.held();
      if (access.kind === 'read_only' && access.reason === 'damaged') throw new PromiseBroken(access.message);
    } catch (error) {
      this.expected(error);
    }
    if (opened !== null) await this.attempt(opened.close());
    return null;
  }

  private async rest(session: Session): Promise<void> {
    await session.settled();
    if (!this.failed) this.machine.atRest(session);
  }

  private async stay(opened: OpenedSession): Promise<void> {
    const { session } = opened;
    if (session === null) throw new Error('a writer without its session');
    this.machine.opened(session, async () => this.runPorts());
    this.machine.atRest(session);
    await new Promise<void>((resolve) => {
      this.state = { kind: 'open', opened, session, leave: resolve };
    });
    this.state = { kind: 'closing' };
    await this.attempt(opened.close());
    this.state = { kind: this.failed ? 'opening' : 'ended' };
  }

  private request(what: string, work: (session: Session) => Promise<void>): void {
    if (this.state.kind !== 'open') return;
    const { session } = this.state;
    void this.attempt(work(session)).then((ok) => {
      if (!ok) this.machine.note(`  ${what} failed`);
      return undefined;
    });
  }

  /** A window whose log failed says so, and after a while the person opens it again. */
  private noticeFailure(): void {
    this.failed = true;
    void this.machine.scheduler.perform(this, 'person notices the failure', () => this.close());
  }

  private async attempt(work: Promise<unknown>): Promise<boolean> {
    try {
      await work;
      return true;
    } catch (error) {
      this.expected(error);
      return false;
    }
  }

  /** What a failing disk may do to a caller; anything else is a bug. */
  private expected(error: unknown): void {
    if (error instanceof AppendFailed || error instanceof DiskError) return;
    this.machine.world.breaks(
      error instanceof PromiseBroken
        ? error
        : new PromiseBroken(`only expected failures are thrown: ${describe(error)}`),
    );
  }

  private wait(ms: number): Promise<void> {
    return this.machine.scheduler.clock(this).sleep(ms, new AbortController().signal);
  }

  private store(root: string): SessionStore {
    const { scheduler, ids } = this.machine;
    return new SessionStore(
      {
        disk: this.machine.disk(this),
        clock: scheduler.clock(this),
        ids,
        hasher: { sha256: (bytes) => createHash('sha256').update(bytes).digest('hex') },
        processes: { pid: this.pid, host: 'sim', isAlive: (pid) => this.machine.isAlive(pid) },
        warn: (message) => this.machine.note(`  warning: ${message}`),
      },
      root,
    );
  }

  private runPorts(): RunPorts {
    return {
      provider: this.machine.provider(this),
      tools: this.machine.tools(this),
      extensions: [stopConditions, pressure, PERMISSIONS, scriptedGate],
      settings: this.machine.settings(),
      app_version: '0.0.0-sim',
    };
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

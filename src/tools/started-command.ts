import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { Duplex, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { CommandProcess } from '../runtime/events.ts';
import type { ShellCommand } from './command-shell.ts';
import { CALL_VARIABLE } from './marked-processes.ts';
import { OutputIntake } from './output-intake.ts';
import type { Platform } from './path-syntax.ts';
import { ProcessTree } from './process-tree.ts';
import { unwatchTree, watchTree } from './running-trees.ts';
import { fault, ok, systemCode, type Result } from './tool-faults.ts';

export type ExitStatus =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string };

export interface CommandStart {
  readonly shell: ShellCommand;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly platform: Platform;
  readonly onOutput: (chunk: Buffer) => void;
}

/** How long the steps of an ending may take. */
export interface EndingBounds {
  readonly drainMs: number;
  /** How long our relay may take to pass on the rest, when it is all that is left. */
  readonly relayMs: number;
  /** Between the polite and the final signal. */
  readonly graceMs: number;
  /** What is left of each step once `signal` says that the call is stopped. */
  readonly stopMs: number;
  readonly signal: AbortSignal;
}

/** What became of processes that outlived the shell of their command. */
export type Leftovers = 'none' | 'ended' | 'remaining';

const POLL_MS = 10;
/** Once the person waits for the end of it. */
const HURRIED_POLL_MS = 3;
const FINAL_ROUNDS = 50;
const FINAL_ROUND_MS = 10;
const GOING_MS = 150;

/** A command in a process group of its own: held at first, then running. */
export class StartedCommand {
  readonly exited: Promise<ExitStatus>;
  private readonly tree: ProcessTree;
  private readonly intake: OutputIntake;
  /** Exited, and nobody holds its pipes any more. */
  private readonly closed: Promise<void>;
  private hasExited = false;
  private hasClosed = false;
  private hasEnded = false;
  /** The pid of our relay, once the shell has told it. */
  private relay: number | undefined;

  private constructor(
    private readonly child: ChildProcess,
    readonly process: CommandProcess,
    private readonly start: CommandStart,
    parts: { readonly tree: ProcessTree; readonly intake: OutputIntake },
  ) {
    this.tree = parts.tree;
    this.intake = parts.intake;
    watchTree(this.tree);
    relayOf(child)?.once('data', (line: Buffer) => {
      // An old bash may have nothing to tell.
      this.relay = Number(String(line)) || undefined;
    });
    this.closed = new Promise((resolve) => {
      child.once('close', () => {
        this.hasClosed = true;
        resolve();
      });
    });
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.hasExited = true;
        resolve(signal === null ? { kind: 'exited', code: code ?? 0 } : { kind: 'signalled', signal });
      });
    });
  }

  static async spawn(start: CommandStart): Promise<Result<StartedCommand>> {
    const folder = statSync(start.cwd, { throwIfNoEntry: false });
    if (folder?.isDirectory() !== true) {
      return fault('spawn_failed', `The workspace folder ${start.cwd} is not there, so no command can run.`);
    }
    const call = randomUUID();
    let child: ChildProcess;
    try {
      child = spawn(start.shell.file, start.shell.args, {
        cwd: start.cwd,
        env: { ...start.env, [CALL_VARIABLE]: call },
        // The last one holds the command back; PowerShell knows no other way in than its input.
        stdio: start.platform === 'win32' ? ['pipe', 'pipe', 'pipe'] : ['ignore', 'pipe', 'pipe', 'pipe'],
        detached: start.platform !== 'win32',
        windowsHide: true,
      });
    } catch (error) {
      return notStarted(start.shell.file, error);
    }
    // A shell that is gone before it was let go shows as its exit.
    holdOf(child)?.on('error', () => undefined);
    const outputs = [child.stdout, child.stderr].filter((stream) => stream !== null);
    const intake = new OutputIntake(outputs, start.onOutput);
    const error = await new Promise<Error | undefined>((resolve) => {
      child.once('spawn', () => resolve(undefined));
      child.once('error', resolve);
    });
    const { pid } = child;
    if (error !== undefined || pid === undefined) return notStarted(start.shell.file, error);
    const started_at = new Date().toISOString();
    const tree = new ProcessTree(pid, start.platform, call);
    return ok(new StartedCommand(child, { pid, group: pid, started_at }, start, { tree, intake }));
  }

  /** Lets the command run. Until then its shell only waits. */
  release(): void {
    holdOf(this.child)?.end('\n');
  }

  /** Sends the polite signal at once; `finish` sees to the rest. */
  terminate(): void {
    this.intake.hurry();
    this.tree.kill({ final: false });
  }

  /** After its shell exited: reads what is still in the pipes, then ends what it left behind, if anything. */
  async endLeftovers(bounds: EndingBounds): Promise<Leftovers> {
    await this.drain(bounds);
    // The last to go is often still going: closing its output comes before its end.
    const isAlone = (): boolean => this.others() === 0;
    if (
      (await this.isSoon(() => isAlone() && !this.tree.isInDoubt, { ...bounds, ms: GOING_MS })) ||
      isAlone()
    ) {
      if (this.start.shell.relayed) await this.endRelay(bounds);
      this.hasEnded = true;
      return 'none';
    }
    this.terminate();
    return await this.finish(bounds);
  }

  /** After `terminate`: resolves when the whole tree is gone, by force once the grace is over. */
  async finish(bounds: EndingBounds): Promise<Exclude<Leftovers, 'none'>> {
    const isGone =
      (await this.isSoon(() => this.isGone(), { ...bounds, ms: bounds.graceMs })) ||
      (await this.isRelayed(bounds)) ||
      (await this.isForced(bounds));
    await this.drain(bounds);
    this.hasEnded = true;
    return isGone ? 'ended' : 'remaining';
  }

  /** Whether our relay was all that was left, with last words to pass on, and has done so. */
  private async isRelayed(bounds: EndingBounds): Promise<boolean> {
    if (!this.start.shell.relayed || !this.hasExited || this.others() > 0) return false;
    return await this.isSoon(() => this.isGone(), { ...bounds, ms: bounds.drainMs });
  }

  /** Repeated for what was started between looking and signalling. Not shortened: nothing comes after it. */
  private async isForced(bounds: EndingBounds): Promise<boolean> {
    // Rounds and not a time: where the host stalls, the system had no time to end anything either.
    for (let round = 0; round < FINAL_ROUNDS; round++) {
      this.tree.kill({ final: true });
      if (await this.isSoon(() => this.isGone(), { ...bounds, ms: FINAL_ROUND_MS })) return true;
    }
    return this.hasExited && this.tree.look().length === 0;
  }

  /** For every way out, also one without an ending: nothing may be left running. */
  abandon(): void {
    if (!this.hasEnded && !this.isGone()) this.tree.kill({ final: true });
    unwatchTree(this.tree);
    for (const stream of this.child.stdio) stream?.destroy();
  }

  /** On a busy machine it may still have output to pass on; else something that cannot be found holds it. */
  private async endRelay(bounds: EndingBounds): Promise<void> {
    const closed = await this.isSoon(() => this.hasClosed, { ...bounds, ms: bounds.relayMs });
    if (!closed) this.tree.kill({ final: true });
  }

  private isGone(): boolean {
    return this.hasExited && this.tree.living().length === 0 && !this.tree.isInDoubt;
  }

  /** How many processes of it live, our relay not counted. */
  private others(): number {
    if (this.relay !== undefined) return this.tree.living(this.relay).length;
    const living = this.tree.look();
    // Also one that is not known by its pid is there until the pipe closes.
    return this.start.shell.relayed && !this.hasClosed ? Math.max(0, living.length - 1) : living.length;
  }

  private async drain(bounds: EndingBounds): Promise<void> {
    await this.isSoon(() => this.hasClosed, { ...bounds, ms: bounds.drainMs });
  }

  /** Whether it comes true in time; a call that is stopped has less of that. */
  private async isSoon(
    condition: () => boolean,
    { ms, stopMs, signal }: EndingBounds & { readonly ms: number },
  ): Promise<boolean> {
    let until = performance.now() + ms;
    let hurried = false;
    while (!condition()) {
      const now = performance.now();
      if (signal.aborted && !hurried) {
        hurried = true;
        until = Math.min(until, now + stopMs);
      }
      if (now >= until) return false;
      const poll = hurried ? HURRIED_POLL_MS : POLL_MS;
      await this.news(Math.min(poll, Math.ceil(until - now)));
    }
    return true;
  }

  /** Resolves when its shell ends or its pipes close, and else after the time. */
  private async news(ms: number): Promise<void> {
    const awaited: Promise<unknown>[] = [delay(ms)];
    if (!this.hasExited) awaited.push(this.exited);
    if (!this.hasClosed) awaited.push(this.closed);
    await Promise.race(awaited);
  }
}

/** Where the shell tells the pid of its relay: the other direction of what holds it. */
function relayOf(child: ChildProcess): Duplex | null {
  const line = child.stdio[3];
  return line instanceof Duplex ? line : null;
}

function holdOf(child: ChildProcess): Writable | null {
  const hold = child.stdio[3] ?? child.stdin;
  return hold instanceof Writable ? hold : null;
}

function notStarted(shell: string, error: unknown): Result<never> {
  if (systemCode(error) === 'E2BIG') {
    return fault('spawn_failed', 'The command line is too long. Write it to a script file and run that.');
  }
  const why = systemCode(error) ?? (error instanceof Error ? error.message : 'no reason given');
  return fault('spawn_failed', `${shell} could not be started (${why}).`, { shell });
}

import { spawn, type ChildProcess } from 'node:child_process';
import { statSync } from 'node:fs';
import { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { CommandProcess } from '../runtime/events.ts';
import type { ShellCommand } from './command-shell.ts';
import type { Platform } from './path-syntax.ts';
import { ProcessTree } from './process-tree.ts';
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

const POLL_MS = 20;
const FINAL_MS = 1_000;
const GOING_MS = 150;
const RELAY_MS = 5_000;

/** A command in a process group of its own: held at first, then running. */
export class StartedCommand {
  readonly exited: Promise<ExitStatus>;
  /** Exited, and nobody holds its pipes any more. */
  private readonly closed: Promise<void>;
  private readonly tree: ProcessTree;
  private hasExited = false;
  private hasClosed = false;

  private constructor(
    private readonly child: ChildProcess,
    readonly process: CommandProcess,
    private readonly start: CommandStart,
  ) {
    this.tree = new ProcessTree(process.pid, start.platform);
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
    let child: ChildProcess;
    try {
      child = spawn(start.shell.file, start.shell.args, {
        cwd: start.cwd,
        env: start.env,
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
    child.stdout?.on('data', start.onOutput);
    child.stderr?.on('data', start.onOutput);
    const error = await new Promise<Error | undefined>((resolve) => {
      child.once('spawn', () => resolve(undefined));
      child.once('error', resolve);
    });
    const { pid } = child;
    if (error !== undefined || pid === undefined) return notStarted(start.shell.file, error);
    const started_at = new Date().toISOString();
    return ok(new StartedCommand(child, { pid, group: pid, started_at }, start));
  }

  /** Lets the command run. Until then its shell only waits. */
  release(): void {
    holdOf(this.child)?.end('\n');
  }

  /** Sends the polite signal at once; `finish` sees to the rest. */
  terminate(): void {
    this.tree.kill({ final: false });
  }

  /** After its shell exited: reads what is still in the pipes, then ends what it left behind, if anything. */
  async endLeftovers(limits: { readonly drainMs: number; readonly graceMs: number }): Promise<boolean> {
    await this.drain(limits.drainMs);
    if (this.start.shell.relayed) await this.awaitRelay();
    // The last to go is often still going: closing its output comes before its end.
    if (await this.isGoneWithin(GOING_MS)) return false;
    this.terminate();
    await this.finish(limits);
    return true;
  }

  /** After `terminate`: resolves when the whole tree is gone, by force once the grace is over. */
  async finish(limits: { readonly drainMs: number; readonly graceMs: number }): Promise<void> {
    if (!(await this.isGoneWithin(limits.graceMs))) {
      this.tree.kill({ final: true });
      await this.isGoneWithin(FINAL_MS);
    }
    await this.drain(limits.drainMs);
  }

  /** For a way out without an ending: nothing may be left running. */
  abandon(): void {
    if (!this.hasExited || this.tree.living() > 0) this.tree.kill({ final: true });
    for (const stream of this.child.stdio) stream?.destroy();
  }

  /** On a busy machine our own relay may be all that is left, with output still to pass on. */
  private async awaitRelay(): Promise<void> {
    const until = performance.now() + RELAY_MS;
    while (!this.hasClosed && performance.now() < until && this.tree.living() === 1) {
      await this.drain(POLL_MS);
    }
  }

  private async isGoneWithin(ms: number): Promise<boolean> {
    for (const until = performance.now() + ms; performance.now() < until; await delay(POLL_MS)) {
      if (this.hasExited && this.tree.living() === 0) return true;
    }
    return this.hasExited && this.tree.living() === 0;
  }

  private async drain(ms: number): Promise<void> {
    const done = new AbortController();
    const late = delay(ms, undefined, { signal: done.signal }).catch((error: unknown) => {
      if (!done.signal.aborted) throw error;
    });
    await Promise.race([this.closed, late]);
    done.abort();
    await late;
  }
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

import type { CommandProcess } from '../../src/runtime/events.ts';
import type { PreparedCall } from '../../src/runtime/ports.ts';
import { PromiseBroken } from './promises/promise.ts';
import type { Owner, Scheduler } from './scheduler.ts';

/** One process that a call has started. */
export interface Command {
  readonly call_id: string;
  readonly process: CommandProcess;
  readonly owner: Owner;
  readonly outlives: boolean;
  /** It was let go: before that it waits, and ends with who started it. */
  released: boolean;
  /** It has something under way, and does not end before that. */
  busy: boolean;
}

/** The processes of the machine that calls have started: some outlive the program. */
export class SimCommands {
  private living: Command[] = [];
  private started = 0;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly note: (line: string) => void,
    private readonly breaks: (promise: PromiseBroken) => void,
    /** One is gone that the program may wait for. */
    private readonly gone: () => void,
  ) {}

  get busy(): boolean {
    return this.living.some(({ busy }) => busy);
  }

  begin(call: PreparedCall, owner: Owner, { outlives }: { readonly outlives: boolean }): Command {
    const { call_id } = call;
    if (this.living.some((other) => other.call_id === call_id && other.owner !== owner))
      this.breaks(new PromiseBroken(`a command does not run again beside itself: ${call_id}`));
    this.started += 1;
    const pid = 1000 + this.started;
    const process = { pid, group: pid, started_at: new Date(this.scheduler.now).toISOString() };
    const command = { call_id, process, owner, outlives, released: false, busy: false };
    this.living.push(command);
    return command;
  }

  end(command: Command): void {
    this.living = this.living.filter((other) => other !== command);
  }

  isAlive({ pid }: CommandProcess): boolean {
    return this.living.some(({ process }) => process.pid === pid);
  }

  /** The program is gone, and with it what does not outlive it. */
  ownerDied(owner: Owner): void {
    this.living = this.living.filter((command) => command.owner !== owner || outlasts(command));
    for (const command of this.living) if (command.owner === owner) this.endLater(command);
  }

  powerOff(): void {
    this.living = [];
  }

  /** Some stay for long: the next window is open by then, and has been told what to do. */
  private endLater(command: Command, steps = (command.process.pid * 37) % 150): void {
    void this.scheduler.perform(null, `process ${command.process.pid} goes on`, () => {
      if (command.busy || steps > 0) return this.endLater(command, steps - 1);
      this.end(command);
      this.note(`  process ${command.process.pid} ends`);
      this.gone();
    });
  }
}

function outlasts({ outlives, released }: Command): boolean {
  return outlives && released;
}

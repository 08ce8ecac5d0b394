import type { CommandProcess } from '../runtime/events.ts';
import { OUTCOME_UNKNOWN, type OpenCall } from '../runtime/turn-calls.ts';
import { pendingCalls, type Turn } from '../runtime/turn.ts';

const LOOK_MS = 500;

export interface ProcessWatchPorts {
  readonly turn: () => Turn | null;
  readonly isAlive: (process: CommandProcess) => boolean;
  /** What is known of the process of a call whose outcome is not. */
  readonly tell: (call: OpenCall, process: { readonly pid: number; readonly alive: boolean }) => void;
  /** One of them has ended: what waited for it can go on. */
  readonly ended: () => void;
}

/** Commands that outlived the program that started them: watched for as long as someone is asked about them. */
export class ProcessWatch {
  private timer: NodeJS.Timeout | null = null;
  private readonly told = new Map<string, boolean>();

  constructor(private readonly ports: ProcessWatchPorts) {}

  /** Tells of all of them anew, for a presenter that has just come. */
  tellAll(): void {
    this.told.clear();
    this.look();
  }

  look(): void {
    this.close();
    let living = false;
    let ended = false;
    for (const call of unknownOutcomes(this.ports.turn())) {
      const { call_id, process } = call;
      if (process === null) continue;
      const alive = this.ports.isAlive(process);
      living ||= alive;
      const before = this.told.get(call_id);
      if (before === alive) continue;
      ended ||= before === true;
      this.told.set(call_id, alive);
      this.ports.tell(call, { pid: process.pid, alive });
    }
    if (ended) this.ports.ended();
    if (!living) return;
    this.timer = setTimeout(() => this.look(), LOOK_MS);
    this.timer.unref();
  }

  close(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }
}

function unknownOutcomes(turn: Turn | null): readonly OpenCall[] {
  if (turn === null) return [];
  return pendingCalls(turn).filter((call) => call.suspension?.reason === OUTCOME_UNKNOWN);
}

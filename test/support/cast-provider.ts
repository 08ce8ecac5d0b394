import type { Clock, ModelRequest, Provider, ProviderEvent } from '../../src/runtime/ports.ts';
import { call, HANG, message, played, responds, type Script } from './scripted-provider.ts';

/**
 * What the model says in each of several sessions: by the first words in it, one entry a request; under `*` in those
 * that begin with other words.
 */
export type Cast = Readonly<Record<string, readonly Script[]>>;

/** One model for a session and its children. A role goes on where it was, in whatever session that is. */
export class CastProvider implements Provider {
  readonly transport = 'offline' as const;
  readonly endpoint = 'https://models.test/v1';
  readonly requests: ModelRequest[] = [];
  /** Lines that nobody wrote. */
  readonly missing: string[] = [];
  private readonly counts = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    private readonly cast: Cast,
  ) {}

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ProviderEvent> {
    this.requests.push(request);
    const first = firstWords(request);
    const role = Object.hasOwn(this.cast, first) ? first : '*';
    const at = this.counts.get(role) ?? 0;
    this.counts.set(role, at + 1);
    const script = this.cast[role]?.[at];
    if (script === undefined) {
      this.missing.push(`no line ${at} for ${first}`);
      throw new Error(`no line ${at} for ${first}`);
    }
    yield* played(script, this.clock, signal);
  }
}

/** What the session was first asked. */
function firstWords({ input }: ModelRequest): string {
  for (const item of input) {
    if (item.type !== 'message' || item.role !== 'user') continue;
    const [part] = item.content;
    if (part?.type === 'input_text' && !part.text.startsWith('[Ledgerline ')) return part.text;
  }
  return '';
}

export type Ask = readonly [call_id: string, name: string, args: object];

export function says(words: string): Script {
  return responds(message(words));
}

export function asks(...calls: readonly Ask[]): Script {
  return responds(...calls.map(([call_id, name, args]) => call(call_id, name, args)));
}

/** The same, after a while. */
export function later(ms: number, script: Script): Script {
  return [{ kind: 'pause', ms }, ...script];
}

/** The first of these lines after a while. */
export function slowly(ms: number, [first = [], ...rest]: readonly Script[]): readonly Script[] {
  return [later(ms, first), ...rest];
}

/** Nothing, until it is stopped. */
export const NOTHING: Script = [HANG];

export function spawn(call_id: string, task: string, more: object = {}): Ask {
  return [call_id, 'spawn_agent', { task, ...more }];
}

export function wait(call_id: string, more: object = {}): Ask {
  return [call_id, 'wait_agent', more];
}

export function run(call_id: string, workflow: object): Ask {
  return [call_id, 'run_workflow', { workflow }];
}

/** A child reports how far it is. */
export function report(status: string, summary: string, more: object = {}): Script {
  return asks(['report', 'report_checkpoint', { status, summary, ...more }]);
}

/** What a child of a step says: its report, and its last words. */
export function reports(status: string, summary: string, more: object = {}): readonly Script[] {
  return [report(status, summary, more), says(summary)];
}

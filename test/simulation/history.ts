import type { LogEvent } from '../../src/runtime/events.ts';

const SHOWN = 120;

/** What happened in a simulation, line by line. */
export class History {
  readonly lines: string[] = [];
  log: readonly LogEvent[] = [];

  note(elapsed: number, line: string): void {
    this.lines.push(line.startsWith(' ') ? line : `${this.lines.length} +${elapsed} ${line}`);
  }

  /** For people: the log, and what led to the end. */
  print(options: { readonly whole: boolean }): string {
    const from = options.whole ? 0 : Math.max(0, this.lines.length - SHOWN);
    const events = this.log.map((event) => `${event.seq} ${event.type} ${brief(event)}`);
    return [
      'log:',
      ...events,
      '',
      `steps${from === 0 ? '' : ` from ${from}`}:`,
      ...this.lines.slice(from),
    ].join('\n');
  }
}

const UNINTERESTING = new Set([
  'next_actions',
  'details',
  'prompt_cache_key',
  'tokens',
  'context',
  'continuation',
]);

function brief(event: LogEvent): string {
  const fields = Object.entries(event.data).filter(([name]) => !UNINTERESTING.has(name));
  if (event.type === 'provider_usage') return `${event.data.stream_run_id} ${event.data.turn_id}`;
  return fields.map(([name, value]) => `${name}=${JSON.stringify(value)?.slice(0, 120)}`).join(' ');
}

import type { SessionOutput } from '../runtime/outputs.ts';
import type { StreamScratch } from '../runtime/ports.ts';

/** Text of another process that is looked at now and then, told as what came to it since the last look. */
export class GrowingText {
  private known: StreamScratch | null = null;

  constructor(private readonly publish: (output: SessionOutput) => void) {}

  is(scratch: StreamScratch): void {
    const { turn_id, stream_run_id, text } = scratch;
    const before = this.known?.stream_run_id === stream_run_id ? this.known.text : '';
    if (!text.startsWith(before) || text.length === before.length) return;
    this.known = scratch;
    this.publish({ kind: 'text_delta', turn_id, stream_run_id, text: text.slice(before.length) });
  }
}

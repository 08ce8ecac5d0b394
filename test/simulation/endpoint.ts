import type { ModelRequest, ProviderEvent } from '../../src/runtime/ports.ts';
import type { DurableLog } from './durable-log.ts';
import { hold, PromiseBroken } from './promises/promise.ts';
import { REQUEST_PROMISES, type RequestView } from './promises/request-promises.ts';
import type { Beat, ScriptWriter } from './response-script.ts';

/** What became of the last request of a run, as the server saw it. */
interface LastAnswer {
  /** Where the run began, or went on: what an earlier one tried does not count for it. */
  readonly run_seq: number;
  output: boolean;
  completed: boolean;
  /** Since the last completed response. */
  readonly tries: number;
  rejected_reasoning: boolean;
  too_large: boolean;
  /** How long the log was when it was asked. */
  readonly asked_at: number;
  /** Of the tries: those that had been made smaller first. */
  readonly smaller: number;
}

/** The model's server, outside all processes: judges each request and plays the script. */
export class Endpoint {
  readonly name = 'sim://model';
  calm = false;
  requests = 0;
  private previous: Pick<RequestView, 'request' | 'without_reasoning'> | null = null;
  private last: LastAnswer | null = null;

  constructor(
    private readonly log: DurableLog,
    private readonly writer: ScriptWriter,
    private readonly shownSeq: () => number,
    private readonly broken: (promise: PromiseBroken) => void,
  ) {}

  receive(request: ModelRequest): readonly Beat[] {
    this.requests += 1;
    const run_seq = this.log.events.findLast((event) => event.type === 'run_status')?.seq ?? -1;
    const { last } = this;
    const failed = last !== null && last.run_seq === run_seq && !last.completed ? last : null;
    const without_reasoning = failed?.rejected_reasoning === true;
    const { events } = this.log;
    const compacted = events.slice(failed?.asked_at).some((event) => event.type === 'history_compaction');
    try {
      if (failed !== null) mayRetry(failed, compacted);
      hold(REQUEST_PROMISES, {
        request,
        without_reasoning,
        previous: this.previous,
        endpoint: this.name,
        log: this.log.events,
        shown_seq: this.shownSeq(),
      });
    } catch (error) {
      if (!(error instanceof PromiseBroken)) throw error;
      this.broken(error);
    }
    this.previous = { request, without_reasoning };
    const tries = (failed?.tries ?? 0) + 1;
    const smaller = (failed?.smaller ?? 0) + (failed?.too_large === true ? 1 : 0);
    this.last = {
      run_seq,
      output: false,
      completed: false,
      tries,
      rejected_reasoning: without_reasoning,
      too_large: false,
      asked_at: events.length,
      smaller,
    };
    const hasReasoning = request.input.some((item) => item.type === 'reasoning');
    return this.calm ? this.writer.calm() : this.writer.next(hasReasoning);
  }

  silentTooLong(ms: number): void {
    this.broken(new PromiseBroken(`a silent stream is given up in time: after ${ms} ms`));
  }

  sent(event: ProviderEvent): void {
    if (this.last === null) return;
    if (event.kind === 'text_delta' || event.kind === 'reasoning_delta') this.last.output = true;
    if (event.kind === 'activity') this.last.output ||= event.output;
    if (event.kind === 'completed') this.last.completed = true;
    if (event.kind === 'failed') this.last.too_large = event.failure.kind === 'context_overflow';
    if (event.kind === 'failed') this.last.rejected_reasoning ||= event.failure.kind === 'reasoning_rejected';
  }
}

/** Two retries, one more without reasoning, and three that were made smaller first; never after output. */
function mayRetry({ output, tries, smaller, too_large }: LastAnswer, compacted: boolean): void {
  if (output) throw new PromiseBroken('nothing is retried after output: it was');
  if (tries - smaller > 3 + (too_large ? 1 : 0))
    throw new PromiseBroken(`at most two retries: this is attempt ${tries + 1}`);
  if (smaller + (too_large ? 1 : 0) > 3)
    throw new PromiseBroken('room is made three times at most: it was more');
  if (too_large && !compacted)
    throw new PromiseBroken('what is too large is not sent again as it is: it was');
}

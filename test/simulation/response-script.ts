import type { OutputItem, ProviderEvent, ProviderFailure } from '../../src/runtime/ports.ts';
import { PROVIDER_ERRORS, type ProviderErrorKind } from '../../src/runtime/provider-errors.ts';
import type { Random } from './random.ts';
import { scriptedArgs } from './scripted-call.ts';
import { hasEffects, TOOL_NAMES } from './sim-tools.ts';
import type { Deed, Temperament } from './temperament.ts';

/** What a stream does next. A script that just ends is a stream cut off. */
export type Beat =
  | { readonly kind: 'event'; readonly event: ProviderEvent }
  | { readonly kind: 'hang' | 'bug' };

const FAILURES = Object.keys(PROVIDER_ERRORS) as ProviderErrorKind[];

/** Writes what the model says, by chance alone. */
export class ScriptWriter {
  private written = 0;
  private callIds: string[] = [];
  private lastCalls: readonly OutputItem[] = [];
  /** Failures still to come of a provider that is down for a while. */
  private down = 0;
  /** Requests still to come that are too large, however small they are by then. */
  private large = 0;
  /** Rounds still to come of a model that goes round in circles. */
  private stuck = 0;

  constructor(
    private readonly random: Random,
    private readonly temperament: Temperament,
  ) {}

  /** A plain answer, for when all trouble is over. */
  calm(): readonly Beat[] {
    return this.completed([this.message()]);
  }

  next(hasReasoning: boolean): readonly Beat[] {
    this.written += 1;
    const { random } = this;
    if (hasReasoning && random.chance(0.05)) return [failed({ kind: 'reasoning_rejected', message: 'no' })];
    if (this.down > 0) {
      this.down -= 1;
      return [failed({ kind: random.pick(RETRIED), message: 'still down' })];
    }
    if (this.large > 0) {
      this.large -= 1;
      return [failed({ kind: 'context_overflow', message: 'still too large' })];
    }
    if (this.stuck > 0) {
      this.stuck -= 1;
      return this.completed(this.lastCalls);
    }
    const kind = random.weighted(this.temperament.responses);
    switch (kind) {
      case 'answer':
        return this.completed([...this.reasoning(), ...this.messages(0)]);
      case 'calls':
        this.lastCalls = this.calls();
        return this.completed([
          ...this.messages(0.7),
          ...this.lastCalls,
          ...this.messages(0.9),
          ...this.reasoning(),
        ]);
      case 'same_calls':
        this.stuck = random.pick([0, 1, 6]);
        if (this.lastCalls.length === 0) this.lastCalls = this.calls();
        return this.completed(this.lastCalls);
      case 'too_large':
        this.large = random.pick([0, 0, 1, 2, 5]);
        return [failed({ kind: 'context_overflow', message: 'too large' })];
      case 'fails_before_output':
        this.down = random.pick([0, 0, 1, 3, 5]);
        return [...(random.chance(0.3) ? [activity(false)] : []), failed(this.failure())];
      case 'fails_after_output':
        return [...this.opening([this.message()]), failed(this.failure())];
      case 'cut':
        return random.chance(0.3) ? [] : this.opening([this.message(), ...this.calls()]);
      case 'hang':
        return [...(random.chance(0.5) ? this.opening([this.message()]) : []), { kind: 'hang' }];
      case 'empty':
        return this.completed(random.pick([[], [{ kind: 'message', text: '' }], this.reasoning()]));
      case 'refusal': {
        const refusal: OutputItem = { kind: 'message', text: '', refusal: 'I will not.' };
        return this.completed([refusal, ...(random.chance(0.3) ? this.calls() : [])]);
      }
      case 'bug':
        return [...(random.chance(0.5) ? this.opening([this.message()]) : []), { kind: 'bug' }];
    }
  }

  private completed(items: readonly OutputItem[]): readonly Beat[] {
    const { random } = this;
    const unknown = random.chance(0.1);
    const total = random.between(10, 200);
    const tokens = random.chance(0.9)
      ? { input: total * 5, cached: 0, output: total, reasoning: null, total }
      : { input: null, cached: null, output: null, reasoning: null, total: null };
    const completed: ProviderEvent = {
      kind: 'completed',
      response_id: `resp_${this.written}`,
      items,
      tokens,
      unknown_events: unknown ? ['response.surprise'] : [],
    };
    return [...this.opening(items), { kind: 'event', event: completed }];
  }

  /** What comes before the end: texts in pieces, in order. */
  private opening(items: readonly OutputItem[]): readonly Beat[] {
    const beats: Beat[] = this.random.chance(0.3) ? [activity(false)] : [];
    for (const item of items) {
      if (item.kind === 'reasoning')
        beats.push({ kind: 'event', event: { kind: 'reasoning_delta', text: 'hm' } });
      if (item.kind === 'call') beats.push(activity(true));
      if (item.kind === 'message') {
        for (const text of pieces(item.text)) {
          beats.push({ kind: 'event', event: { kind: 'text_delta', text } });
        }
      }
    }
    return beats;
  }

  private messages(without: number): readonly OutputItem[] {
    if (this.random.chance(without)) return [];
    return this.random.chance(0.1) ? [this.message(), this.message()] : [this.message()];
  }

  private message(): OutputItem {
    this.written += 1;
    const { random } = this;
    const words = Array.from({ length: random.between(1, 6) }, () => random.pick(WORDS)).join(' ');
    const text = `${this.written}: ${words}${random.chance(0.01) ? LONG : ''}`;
    return { kind: 'message', text, ...(random.chance(0.3) ? { phase: random.pick(PHASES) } : {}) };
  }

  private reasoning(): readonly OutputItem[] {
    return Array.from({ length: this.random.pick([0, 0, 1, 2]) }, () => {
      this.written += 1;
      const id = `rs_${this.written}`;
      return { kind: 'reasoning', item: { type: 'reasoning', id, encrypted_content: `x${id}`, summary: [] } };
    });
  }

  private calls(): readonly OutputItem[] {
    return Array.from({ length: this.random.pick([1, 1, 2, 3]) }, () => [
      ...this.reasoning(),
      this.call(),
    ]).flat();
  }

  private call(): OutputItem {
    const { random, temperament } = this;
    this.written += 1;
    const repeated = random.chance(0.1) && this.callIds.length > 0;
    const call_id = repeated ? random.pick(this.callIds) : `call_${this.written}`;
    this.callIds.push(call_id);
    const deed: Deed = random.weighted(temperament.deeds);
    const name = random.chance(0.05) ? 'sim_missing' : random.pick([...TOOL_NAMES, ...WITH_EFFECTS]);
    return {
      kind: 'call',
      call_id,
      name,
      args: random.chance(0.05) ? '{' : scriptedArgs(random, deed, temperament),
    };
  }

  private failure(): ProviderFailure {
    const { random } = this;
    const kind = random.pick(random.chance(0.5) ? RETRIED : FAILURES);
    const retry = random.chance(0.3) ? { retry_after_ms: random.pick([0, 700, 30_000, 100_000]) } : {};
    return { kind, message: 'simulated', ...retry };
  }
}

/** These come more often: they are what a crash leaves in doubt. */
const WITH_EFFECTS = TOOL_NAMES.filter(hasEffects);
const WORDS = ['ledger', 'line', 'naïve', '日本', 'done', '🙂', 'a\nb'] as const;
const PHASES = ['commentary', 'final_answer'] as const;
const RETRIED = FAILURES.filter((kind) => PROVIDER_ERRORS[kind].retry !== null);
/** More than fits into a line of the log. */
const LONG = ' long'.repeat(7_000);

/** At most six, which may cut a character in two. */
function pieces(text: string): readonly string[] {
  const length = Math.max(12, Math.ceil(text.length / 6));
  return Array.from({ length: Math.ceil(text.length / length) }, (_, n) =>
    text.slice(n * length, (n + 1) * length),
  );
}

function activity(output: boolean): Beat {
  return { kind: 'event', event: { kind: 'activity', output } };
}

function failed(failure: ProviderFailure): Beat {
  return { kind: 'event', event: { kind: 'failed', failure } };
}

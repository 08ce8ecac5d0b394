import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { planCompaction } from '../../src/runtime/compaction/plan.ts';
import type { CompactedImage } from '../../src/runtime/context-events.ts';
import type { Attachment, EventData, EventType } from '../../src/runtime/events.ts';
import { compactionView } from '../../src/runtime/session-compaction.ts';
import { itemTokens } from '../../src/runtime/replay/weights.ts';
import { SessionFolds } from '../../src/runtime/session-folds.ts';
import { list, text } from '../../src/runtime/loose-fields.ts';
import { made } from '../support/made-events.ts';
import { searchRuns } from '../support/search-runs.ts';

const TARGET = { model: 'm1', endpoint: 'e1' };
const SURFACE = {
  skill_index: '',
  instructions: '',
  tools: [],
  toolset_hash: '',
  skill_index_hash: '',
  contract_version: 'll1',
};

/** What happens in a session that has to do with images. */
type Step =
  | { readonly kind: 'turn'; readonly images: readonly number[] }
  | { readonly kind: 'look'; readonly image: number }
  | { readonly kind: 'compact'; readonly tail: number };

const POOL = fc.integer({ min: 0, max: 9 });
const STEPS = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ kind: fc.constant('turn' as const), images: fc.array(POOL, { maxLength: 3 }) }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('look' as const), image: POOL }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('compact' as const), tail: fc.constantFrom(20, 10, 5) }),
    },
  ),
  { minLength: 8, maxLength: 40 },
);

function image(n: number): Attachment {
  const sha256 = String(n).padStart(2, '0').repeat(32);
  return { kind: 'image', label: `shot-${n}.png`, mime: 'image/png', data: `bytes-${n}-`, sha256, bytes: 8 };
}

/** A session with images, as its folds see it. */
class Told {
  readonly folds = new SessionFolds('s1');
  readonly named = new Set<string>();
  compactions = 0;
  private seq = 0;

  add<T extends EventType>(type: T, data: EventData[T]): void {
    this.folds.push(made<EventType>(type, this.seq, data));
    this.seq += 1;
  }

  take(step: Step): void {
    if (step.kind === 'compact') return this.compact(step.tail);
    const n = this.seq;
    const turn_id = `t${n}`;
    const attachments = step.kind === 'turn' ? step.images.map(image) : [];
    this.add('user_message', { turn_id, client_turn_id: `k${n}`, text: 'Look. '.repeat(50), attachments });
    this.add('run_status', { turn_id, status: 'running' });
    const place = { turn_id, stream_run_id: `r${n}`, output_index: 0, output_count: 1 };
    if (step.kind === 'look') {
      const call_id = `c${n}`;
      this.add('tool_call', { ...place, call_id, name: 'view_image', args: '{}' });
      const seen = [image(step.image)];
      this.add('tool_result', { turn_id, call_id, ok: true, output: 'x', attachments: seen, duration_ms: 1 });
      attachments.push(...seen);
    }
    for (const { sha256 = '' } of attachments) this.named.add(sha256);
    this.add('assistant_message', {
      ...place,
      stream_run_id: `a${n}`,
      text: 'Yes.',
      metadata: { partial: false },
    });
    this.add('run_status', { turn_id, status: 'done', reason: 'natural_end' });
  }

  private compact(tail: number): void {
    const view = compactionView(this.folds, TARGET, SURFACE);
    const plan = planCompaction(view, { trigger: 'manual', tail, turn_id: null });
    if (plan.kind !== 'planned') return;
    this.compactions += 1;
    this.add('history_compaction', plan.record);
  }

  get sent(): ReadonlySet<string> {
    const input = JSON.stringify(this.folds.input(TARGET).items);
    return new Set([...input.matchAll(/base64,bytes-(\d)-/gu)].map(([, n]) => image(Number(n)).sha256 ?? ''));
  }

  get listed(): readonly string[] {
    return list(this.folds.history.checkpoint?.data, 'images').map((one) => text(one, 'sha256'));
  }
}

it('every image that a log names is in the input, or is listed once by the last checkpoint, and can be looked at', () => {
  let compactions = 0;
  fc.assert(
    fc.property(STEPS, (steps) => {
      const told = new Told();
      for (const step of steps) {
        told.take(step);
        const { sent, listed, named, folds } = told;
        expect(new Set(listed).size).toBe(listed.length);
        expect([...named].filter((one) => !sent.has(one) && !listed.includes(one))).toEqual([]);
        expect(folds.images.map(({ sha256 }) => sha256).toSorted()).toEqual([...named].toSorted());
        // What the checkpoint lists is what the model does not have, at the moment it is written.
        if (step.kind === 'compact' && told.compactions > compactions)
          expect(listed.filter((one) => sent.has(one))).toEqual([]);
      }
      compactions += told.compactions;
    }),
    { numRuns: searchRuns(150), seed: 20260101 },
  );
  expect(compactions).toBeGreaterThan(100);
});

it('folding the same log twice lists the same images in the same order', () => {
  fc.assert(
    fc.property(STEPS, (steps) => {
      const [first, second] = [new Told(), new Told()];
      for (const step of steps) {
        first.take(step);
        second.take(step);
      }
      expect(second.listed).toEqual(first.listed);
      expect(second.folds.images).toEqual<readonly CompactedImage[]>(first.folds.images);
    }),
    { numRuns: searchRuns(40), seed: 20260102 },
  );
});

it('an image weighs as much in what a call came back with as in a message, and not what its bytes do', () => {
  const parts = [
    { type: 'input_text', text: 'words' },
    { type: 'input_image', image_url: `data:image/png;base64,${'x'.repeat(1_000_000)}`, detail: 'auto' },
  ] as const;
  const message = itemTokens({ type: 'message', role: 'user', content: parts });
  const output = itemTokens({ type: 'function_call_output', call_id: 'c1', output: parts });
  expect([message, output].map((tokens) => Math.round(tokens / 100))).toEqual([10, 10]);
});

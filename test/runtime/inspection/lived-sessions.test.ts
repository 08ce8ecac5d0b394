import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { pressure } from '../../../src/runtime/extensions/pressure.ts';
import { requestReport } from '../../../src/runtime/inspection/request-report.ts';
import type { ModelRequest, ProviderEvent } from '../../../src/runtime/ports.ts';
import type { Draft, LogEvent } from '../../../src/runtime/events.ts';
import { forkDrafts } from '../../../src/runtime/fork.ts';
import type { RunSettings } from '../../../src/runtime/extension.ts';
import { NO_PRESSURE } from '../../../src/runtime/pressure.ts';
import {
  call,
  completed,
  fails,
  message,
  reasoning,
  text,
  TOKENS,
  type Script,
} from '../../support/scripted-provider.ts';
import { made } from '../../support/made-events.ts';
import { SessionBench } from '../../support/session-bench.ts';
import { fail, succeed, TOOLS, toolBox } from '../../support/tool-stubs.ts';
import { naiveProblems } from '../replay/naive-checker.ts';
import { searchRuns } from '../../support/search-runs.ts';

/** Generated sessions take as long as they take, also on a busy machine. */
const GENERATED = { timeout: searchRuns(200_000) };

const SOCKET: ProviderEvent = {
  kind: 'sent',
  transport: 'websocket',
  continuation: { attempted: false, used: false, reset_reason: 'new_connection' },
};

type Reply =
  | { readonly kind: 'says'; readonly words: number; readonly input: number }
  | {
      readonly kind: 'calls';
      readonly tools: readonly ('read' | 'big' | 'write' | 'bad')[];
      readonly said: boolean;
      readonly thinks: boolean;
      readonly input: number;
    }
  | {
      readonly kind: 'fails';
      readonly how: 'context_overflow' | 'connection' | 'reasoning_rejected' | 'auth';
    }
  | { readonly kind: 'breaks' };

const input = fc.constantFrom(100, 400, 750, 850, 950, 990);
const reply: fc.Arbitrary<Reply> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('says' as const), words: fc.constantFrom(1, 200), input }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('calls' as const),
      tools: fc.array(fc.constantFrom('read', 'big', 'write', 'bad'), { minLength: 1, maxLength: 3 }),
      said: fc.boolean(),
      thinks: fc.boolean(),
      input,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('fails' as const),
      how: fc.constantFrom(
        'context_overflow',
        'context_overflow',
        'connection',
        'reasoning_rejected',
        'auth',
      ),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'breaks' as const }) },
);

type Act = 'send' | 'decide' | 'deny' | 'compact' | 'preview' | 'other_model';
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Act>('send') },
  { weight: 3, arbitrary: fc.constantFrom<Act>('decide', 'deny') },
  { weight: 3, arbitrary: fc.constantFrom<Act>('compact', 'preview', 'other_model') },
);

function scriptOf(plan: Reply, n: number): Script {
  switch (plan.kind) {
    case 'says': {
      const words = `ANSWER${n}. ${'word '.repeat(plan.words)}`;
      return [text(words), completed([message(words)], { ...TOKENS, input: plan.input })];
    }
    case 'calls':
      return [
        completed(
          [
            ...(plan.thinks ? [reasoning(`rs${n}`)] : []),
            ...(plan.said ? [message(`ASIDE${n}.`)] : []),
            ...plan.tools.map((tool, at) => call(`c${n}_${at}`, tool, { path: `file-${n}-${at}` })),
          ],
          { ...TOKENS, input: plan.input },
        ),
      ];
    case 'fails':
      return [SOCKET, fails(plan.how)];
    case 'breaks':
      return [text(`PARTIAL${n}.`), fails('stream_cut')];
  }
}

interface Lived {
  readonly bench: SessionBench;
  readonly settings: { model: string };
}

const STUBS = toolBox({
  ...TOOLS,
  big: { effect: 'read', run: ({ subject }) => succeed(`${subject}: ${'x'.repeat(4000)}`) },
  bad: { effect: 'read', run: () => fail('odd') },
});

function opened(
  replies: readonly Reply[],
  lines: readonly string[],
  strategy: RunSettings['compaction_strategy'],
): Lived {
  const offset = lines.length * 1000;
  const scripts = [
    ...replies.map((plan, n) => scriptOf(plan, offset + n)),
    ...Array.from({ length: 400 }, (_, n) =>
      scriptOf({ kind: 'says', words: 1, input: 300 }, offset + 500 + n),
    ),
  ];
  const settings = { permission_mode: 'ask', compaction_strategy: strategy } as const;
  const bench = new SessionBench({ scripts, tools: STUBS, extensions: [pressure], lines, settings });
  return { bench, settings: { model: 'test-model' } };
}

async function carried({ bench, settings }: Lived, acts: readonly Act[]): Promise<void> {
  let n = 0;
  for (const one of acts) {
    n += 1;
    if (one === 'other_model') settings.model = settings.model === 'test-model' ? 'other' : 'test-model';
    if (one === 'send') {
      const prompt = { client_turn_id: `k${bench.events.length}_${n}`, text: `PROMPT${n}`, attachments: [] };
      await bench.clock.until(bench.session.send(prompt, bench.ports(settings)));
      await bench.clock.until(bench.session.settled());
    }
    if (one === 'decide' || one === 'deny') {
      const pending = [...(bench.session.state.turn?.open.values() ?? [])].find(
        (c) => c.state === 'suspended',
      );
      if (pending !== undefined) {
        const decision = {
          decision_id: `d${bench.events.length}_${n}`,
          target_id: pending.call_id,
          action: one === 'decide' ? 'resume' : 'cancel',
        };
        await bench.clock.until(bench.session.decide(decision, async () => bench.ports(settings)));
        await bench.clock.until(bench.session.settled());
      }
    }
    if (one === 'compact' || one === 'preview') {
      const before = bench.events.length;
      const compact = (dry_run: boolean) =>
        bench.clock.until(bench.session.compact({ dry_run }, async () => bench.ports(settings)));
      const shown = await compact(true);
      expect(bench.events).toHaveLength(before);
      if (one === 'preview') continue;
      const made = await compact(false);
      expect(made).toEqual(shown.kind === 'preview' ? { ...shown, kind: 'compacted' } : shown);
      if (made.kind === 'compacted') expect(bench.events.at(-1)?.data).toEqual(made.record);
    }
  }
}

/** Each request that left, against what the log says of it. */
function checkRequests({ bench }: Lived, from: number): number {
  const { events } = bench;
  const sent = bench.provider.requests.filter(({ purpose }) => purpose === undefined);
  for (const request of sent) expect(naiveProblems(request.input)).toEqual([]);
  const usages = events.filter(
    (event) => event.type === 'provider_usage' && event.seq >= from && event.data.purpose === undefined,
  );
  let at = 0;
  let last: ModelRequest | null = null;
  for (const usage of usages) {
    if (usage.type !== 'provider_usage') continue;
    // Each call has one record, that of its last attempt.
    at += usage.data.attempts;
    const request = sent[at - 1];
    const report = requestReport('s1', events, usage.data.at_seq ?? null);
    expect(report.items.map(({ item }) => item)).toEqual(request?.input);
    expect(report.on_record?.usage_seq).toBe(usage.seq);
    expect(report.shared_prefix.breaks).not.toContain('unknown');
    if (last !== null && request !== undefined) {
      const { input: old } = last;
      const isWhole = JSON.stringify(request.input.slice(0, old.length)) === JSON.stringify(old);
      const isSame = request.model === last.model;
      expect(report.shared_prefix.whole).toBe(isWhole && isSame);
    }
    last = request ?? null;
  }
  expect(at).toBe(sent.length);
  return usages.length;
}

/** The log of a fork, as it would be written. */
function forked(events: readonly LogEvent[]): readonly string[] {
  const parent = { session_id: 's1', fork_root_session_id: 's1', pressure: NO_PRESSURE };
  return forkDrafts(parent, events).map(({ type, data }: Draft, seq) =>
    JSON.stringify(made(type, seq, data)),
  );
}

/** What every checkpoint promises. */
function checkLog(events: readonly LogEvent[], parent: readonly LogEvent[] = []): number {
  let checkpoints = 0;
  const failed = new Set(
    [...events, ...parent].flatMap((e) => (e.type === 'turn_failed' ? [e.data.turn_id] : [])),
  );
  for (const event of events) {
    if (event.type !== 'history_compaction') continue;
    checkpoints += 1;
    const { summary, tokens_before, tokens_after, limitations } = event.data;
    expect(Number(tokens_after)).toBeLessThan(Number(tokens_before));
    expect(limitations.length).toBeGreaterThan(1);
    expect(summary).not.toContain('PARTIAL');
    for (const said of events)
      if (said.type === 'assistant_message' && failed.has(said.data.turn_id))
        expect(summary).not.toContain(said.data.text.split('.')[0] + '.');
  }
  return checkpoints;
}

it(
  'what was sent is what the log says was sent, and why it shares no more with what was sent before',
  GENERATED,
  async () => {
    const seen = { requests: 0, checkpoints: 0 };
    const property = fc.asyncProperty(
      fc.array(reply, { minLength: 20, maxLength: 90 }),
      fc.array(act, { minLength: 15, maxLength: 45 }),
      fc.array(reply, { maxLength: 12 }),
      fc.array(act, { minLength: 6, maxLength: 25 }),
      fc.nat(1000),
      fc.constantFrom('deterministic_v1' as const, 'model_assisted_v1' as const),
      async (replies, acts, later, then, cut, strategy) => {
        const first = opened(replies, [], strategy);
        await carried(first, acts);
        seen.requests += checkRequests(first, 0);
        seen.checkpoints += checkLog(first.bench.events);
        const { lines } = first.bench.log;
        const length = Math.floor((lines.length * cut) / 1000);
        if (length === 0) return;
        const kept = first.bench.events.slice(0, length);
        for (const log of [lines.slice(0, length), forked(kept)]) {
          const second = opened(later, log, strategy);
          await second.bench.clock.until(second.bench.session.recover(null, STUBS));
          await carried(second, then);
          checkLog(second.bench.events, kept);
          checkRequests(second, log.length);
        }
      },
    );
    await fc.assert(property, { numRuns: searchRuns(10), seed: 20261120 });
    expect(seen.requests).toBeGreaterThan(100);
    expect(seen.checkpoints).toBeGreaterThan(12);
  },
);

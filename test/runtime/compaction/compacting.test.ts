import { describe, expect, it } from 'vitest';
import { RequestValidator } from '../../../src/runtime/replay/validator.ts';
import { SessionBench, type BenchOptions } from '../../support/session-bench.ts';
import {
  call,
  completed,
  DONE,
  message,
  responds,
  TOKENS,
  type Script,
} from '../../support/scripted-provider.ts';
import { succeed, TOOLS, toolBox, type ToolStub } from '../../support/tool-stubs.ts';
import { BIG, compact, compacted, LONG, longAnswers, many, talk } from './long-talks.ts';

const PLAN: ToolStub = { effect: 'interact', run: () => succeed('shown') };
const STUBS = { ...TOOLS, read_file: BIG, update_plan: PLAN } as const;

function bench(scripts: readonly Script[], more: Partial<BenchOptions> = {}): SessionBench {
  return new SessionBench({ scripts, tools: toolBox(STUBS), ...more });
}

async function talked(turns: number, more: Partial<BenchOptions> = {}): Promise<SessionBench> {
  const scripts = Array.from({ length: turns + 4 }, (_, n) => responds(message(`Answer ${n}. ${LONG}`)));
  const one = bench(scripts, more);
  await talk(one, turns);
  return one;
}

const TARGET = { model: 'test-model', endpoint: 'https://models.test/v1' };

describe('compacting by hand', () => {
  it('puts a checkpoint before the last 20 events, and the next request is smaller', async () => {
    const one = await talked(14);
    const before = JSON.stringify(one.session.input(TARGET).items).length;
    const outcome = await compact(one);
    const record = one.only('history_compaction');
    expect(outcome).toEqual({ kind: 'compacted', record });
    const { items } = one.session.input(TARGET);
    // The context, the checkpoint, and ten turns of a question and an answer.
    expect(items).toHaveLength(22);
    expect(JSON.stringify(items).length).toBeLessThan(before);
    expect(record).toMatchObject({
      trigger: 'manual',
      strategy: 'deterministic_v1',
      range: { from_seq: 0, to_seq: record.tail_from_seq - 1 },
      event_counts: { user_message: 4, assistant_message: 4 },
      files_touched: [],
      skills_dropped: [],
    });
    expect(record.summary).toContain('"Question 0?"');
    expect(record.summary).not.toContain('Question 4?');
    expect(await one.run('And now?')).toBe('completed');
    expect(one.provider.requests.at(-1)?.input).toHaveLength(23);
    expect(new RequestValidator().check(one.session.input(TARGET).items)).toEqual([]);
  });

  it('shows first what it would record, and then records exactly that', async () => {
    const one = await talked(14);
    const events = one.events.length;
    const preview = await compact(one, { dry_run: true });
    expect(one.events).toHaveLength(events);
    const outcome = await compact(one);
    expect(outcome).toEqual({ ...preview, kind: 'compacted' });
    expect(one.events.at(-1)?.data).toEqual('record' in preview ? preview.record : null);
  });

  it('has nothing to do at the first turn, nor twice in a row, and says so', async () => {
    const first = await talked(1);
    expect(await compact(first)).toMatchObject({ kind: 'refused', code: 'nothing_to_compact' });
    const one = await talked(14);
    await compacted(one);
    const events = one.events.length;
    expect(await compact(one)).toMatchObject({ kind: 'refused', code: 'nothing_to_compact' });
    expect(one.events).toHaveLength(events);
  });

  it('says so where a checkpoint would be no smaller', async () => {
    const one = bench(many(12, responds(message('k'))));
    for (let n = 0; n < 12; n += 1) await one.run('?');
    expect(await compact(one)).toMatchObject({ kind: 'refused', code: 'not_smaller' });
    expect(one.of('history_compaction')).toEqual([]);
  });

  it.each([0, 1, Number.MAX_SAFE_INTEGER])(
    'is judged by what is sent, where the provider claims to have counted %i tokens',
    async (input) => {
      const answer = completed([message(LONG)], { ...TOKENS, input });
      const one = bench(many(14, [answer]));
      await talk(one, 14);
      await compacted(one);
      const { tokens_before, tokens_after } = one.only('history_compaction');
      expect(tokens_after).toBeLessThan(tokens_before as number);
    },
  );

  it('is refused while a turn is running, and done once it is over', async () => {
    const scripts = longAnswers(14);
    const slow = {
      ...STUBS,
      read: { effect: 'read', run: () => new Promise<never>(() => undefined) },
    } as const;
    const one = new SessionBench({
      scripts: [...scripts, responds(call('c', 'read', { path: 'a' }))],
      tools: toolBox(slow),
    });
    await talk(one, 14);
    await one.clock.until(one.send('Read a.'));
    await one.clock.until(new Promise<void>((resolve) => queueMicrotask(resolve)));
    expect(await compact(one)).toMatchObject({ kind: 'refused', code: 'turn_running' });
    await one.stop();
    await compacted(one);
  });

  it('leaves a turn that waits as it is, and its call can be decided afterwards', async () => {
    const asks = responds(call('c', 'write', { path: 'a' }));
    const scripts = [...longAnswers(13), asks, responds(message('Written.'))];
    const one = bench(scripts, { settings: { permission_mode: 'ask' } });
    await talk(one, 13);
    expect(await one.run('Write a.')).toBe('waiting');
    await compacted(one);
    expect(one.state).toBe('waiting');
    await one.clock.until(one.decide('c', 'resume'));
    await one.settled();
    expect(one.state).toBe('completed');
    expect(one.provider.requests.at(-1)?.input.filter(({ type }) => type === 'function_call_output')).toEqual(
      [{ type: 'function_call_output', call_id: 'c', output: 'wrote a' }],
    );
  });

  it('says so where a call that waits is before all that could be compacted, and does it once it is decided', async () => {
    const rounds = Array.from({ length: 15 }, (_, n) =>
      responds(call(`c${n}`, 'read_file', { path: `file-${n}` })),
    );
    const asks = responds(call('w', 'write', { path: 'a' }), call('r', 'read', { path: 'b' }));
    const scripts = [asks, ...rounds, responds(message('Read.')), responds(message('Written.'))];
    const one = bench(scripts, { settings: { permission_mode: 'ask' } });
    expect(await one.run('Write a and read them all.')).toBe('waiting');
    const events = one.events.length;
    expect(await compact(one)).toEqual({
      kind: 'refused',
      code: 'call_pending',
      message:
        'A call that waits for your decision is further back than the last 20 events that the model sees, and nothing from it on can be compacted. Decide it first, or stop the turn. Nothing was changed.',
      next_actions: [{ label: 'Stop', command: 'ledgerline.stop' }],
    });
    expect(one.events).toHaveLength(events);
    await one.clock.until(one.decide('w', 'resume'));
    await one.settled();
    expect(one.state).toBe('completed');
    await compacted(one);
  });

  it('cuts a single turn that is too large between its rounds, and keeps its prompt', async () => {
    const rounds = Array.from({ length: 15 }, (_, n) =>
      responds(call(`c${n}`, 'read_file', { path: `file-${n}` })),
    );
    const one = bench([...rounds, DONE, responds(message('Yes.'))]);
    expect(await one.run('Read them all.')).toBe('completed');
    await compacted(one);
    const record = one.only('history_compaction');
    const prompt = one.events.find(({ type }) => type === 'user_message');
    expect(record.keeps).toEqual([prompt?.seq]);
    expect(one.events[record.tail_from_seq]?.type).toBe('tool_call');
    const { items } = one.session.input(TARGET);
    expect(items.map((item) => ('role' in item ? item.role : item.type)).slice(0, 4)).toEqual([
      'developer',
      'user',
      'user',
      'function_call',
    ]);
    expect(JSON.stringify(items[2])).toContain('Read them all.');
    expect(record.summary).toContain('The request below, so far');
    expect(record.summary).toContain('read_file file-0 (8 KB of output, log seq ');
    expect(record.summary).not.toContain('xxxx');
    expect(record.tool_calls).toMatchObject({ total: 6, failed: 0, by_name: { read_file: 6 } });
    expect(await one.run('Sure?')).toBe('completed');
  });

  it('carries the facts of earlier checkpoints forward, within bounds', async () => {
    const one = bench(Array.from({ length: 60 }, (_, n) => planning(n)).flat());
    await talk(one, 8);
    await compacted(one);
    for (let n = 8; n < 16; n += 1) await one.run(`Question ${n}?`);
    await compacted(one);
    const [first, second] = one.of('history_compaction');
    expect(second?.summary).toContain('"Question 0?"');
    expect(second?.summary).toContain('"Question 9?"');
    expect(first?.event_counts).toMatchObject({ user_message: 5 });
    expect(second?.event_counts).toMatchObject({ user_message: 13 });
    expect(second?.tool_calls).toMatchObject({ total: 26, by_name: { update_plan: 13, write: 13 } });
    // The last plan is in the tail, which wins.
    expect(second?.open_tasks).toEqual([]);
    for (let round = 0; round < 5; round += 1) {
      for (let n = 0; n < 8; n += 1) await one.run(`Again ${round}.${n}: ${'word '.repeat(200)}`);
      await compacted(one);
    }
    const last = one.of('history_compaction').at(-1);
    expect(last?.summary.length).toBeLessThanOrEqual(16_000);
    expect(last?.limitations.join('\n')).toContain('Older parts of earlier checkpoints are left out.');
  });

  it('names what a person decided, the open steps of the plan and children that are at work', async () => {
    const rounds = [
      responds(call('w', 'write', { path: 'secret.txt' })),
      responds(message('You said no.')),
      responds(call('p', 'update_plan', plan(1))),
      ...longAnswers(14),
    ];
    const one = bench(rounds, { settings: { permission_mode: 'ask' } });
    expect(await one.run('Write it.')).toBe('waiting');
    await one.clock.until(one.decide('w', 'cancel', { reason: 'Not this one.' }));
    await one.settled();
    expect(await one.run('Plan it.')).toBe('completed');
    await talk(one, 12);
    await compacted(one);
    const record = one.only('history_compaction');
    expect(record.decisions).toEqual([
      { name: 'write', subject: 'secret.txt', action: 'cancel', decided_by: 'user', reason: 'Not this one.' },
    ]);
    expect(record.open_tasks).toEqual(['Step 1b']);
    expect(record.summary).toContain('- denied write secret.txt, because: Not this one.');
    for (let n = 0; n < 1; n += 1) await one.run(`More ${n}?`);
  });
});

function plan(n: number): unknown {
  return {
    steps: [
      { step: `Step ${n}a`, status: 'completed' },
      { step: `Step ${n}b`, status: 'in_progress' },
    ],
  };
}

/** Two rounds: one that writes and plans, one that answers. */
function planning(n: number): readonly Script[] {
  return [
    responds(call(`w${n}`, 'write', { path: `a${n}` }), call(`p${n}`, 'update_plan', plan(n))),
    responds(message(`Answer ${n}. ${LONG}`)),
  ];
}

import { describe, expect, it } from 'vitest';
import { cutOf } from '../../../src/runtime/compaction/cut.ts';
import { HistoryFold, type History } from '../../../src/runtime/compaction/history.ts';
import { deterministicStory } from '../../../src/runtime/compaction/plan.ts';
import { rangeFacts, type RangeFacts } from '../../../src/runtime/compaction/range-facts.ts';
import { parseLine } from '../../../src/runtime/event-line.ts';
import { activated } from '../../../src/runtime/extensions/skills.ts';
import { call, completed, fails, message, responds, type Script } from '../../support/scripted-provider.ts';
import { SessionBench } from '../../support/session-bench.ts';
import { TOOLS, toolBox, WRITE } from '../../support/tool-stubs.ts';
import { LogText } from '../../storage/log-text.ts';
import { compacted, LONG, longAnswers, talk } from './long-talks.ts';

describe('skills that a checkpoint drops', () => {
  const skill = { name: 'review', path: 'p', content: 'Look twice.', content_hash: 'h' };

  async function withSkill(one: SessionBench, client_turn_id: string): Promise<void> {
    const run = one.ports();
    const extensions = [...run.extensions, activated(skill)];
    const prompt = { client_turn_id, text: '/review', attachments: [] };
    await one.clock.until(one.session.send(prompt, { ...run, extensions }));
    await one.settled();
  }

  it('are not those that are active in its tail as well, until these are dropped too', async () => {
    const one = new SessionBench({ scripts: longAnswers(30) });
    await withSkill(one, 'first');
    await talk(one, 12);
    await withSkill(one, 'last');
    await compacted(one);
    await talk(one, 12);
    await compacted(one);
    const [first, second] = one.of('history_compaction');
    expect(first?.skills_dropped).toEqual([]);
    expect(first?.limitations.join('\n')).not.toContain('review');
    expect(second?.skills_dropped).toEqual(['review']);
    expect(second?.limitations.join('\n')).toContain('activated again: review.');
  });
});

describe('what a turn said before it failed', () => {
  it.each(['deterministic_v1', 'model_assisted_v1'] as const)(
    'is not in a checkpoint by %s that cuts it, though the log says only later that it failed',
    async (compaction_strategy) => {
      const rounds = Array.from({ length: 12 }, (_, n) => responds(call(`c${n}`, 'read', { path: `f${n}` })));
      const one = new SessionBench({
        scripts: [
          responds(call('w', 'write', { path: 'a' }), call('r', 'read', { path: 'b' })),
          responds(message(`Nearly WRONG. ${LONG}`)),
          ...rounds,
          [fails('invalid_request')],
          responds(message('Yes.')),
          responds(message('{}')),
        ],
        settings: { permission_mode: 'ask', compaction_strategy },
      });
      expect(await one.run('Write a.')).toBe('waiting');
      await one.clock.until(one.decide('w', 'resume'));
      await one.settled();
      expect(one.state).toBe('failed');
      expect(await one.run('Again?')).toBe('completed');
      await compacted(one);
      const record = one.only('history_compaction');
      expect(record.keeps).toHaveLength(1);
      expect(record.summary).not.toContain('WRONG');
      expect(record.limitations).toContain('Text of answers that failed or were cut off is not quoted.');
      const asked = one.provider.requests.filter(({ purpose }) => purpose === 'compaction');
      expect(asked).toHaveLength(compaction_strategy === 'model_assisted_v1' ? 1 : 0);
      expect(JSON.stringify(asked.map(({ input }) => input))).not.toContain('WRONG');
    },
  );
});

function writing(files: number): readonly Script[] {
  const names = Array.from({ length: files }, (_, n) => `file-${n}.ts`);
  return [responds(...names.map((path, n) => call(`w${n}`, 'write_file', { path }))), ...longAnswers(14)];
}

describe('what the bounds leave out', () => {
  it.each(['deterministic_v1', 'model_assisted_v1'] as const)(
    'of a list of files is stated by %s',
    async (compaction_strategy) => {
      const tells = [completed([message(JSON.stringify({ summary: 'S', findings: [], remaining: [] }))])];
      const one = new SessionBench({
        scripts: [...writing(43), tells],
        tools: toolBox({ ...TOOLS, write_file: WRITE }),
        settings: { compaction_strategy },
      });
      await talk(one, 14);
      await compacted(one);
      const record = one.only('history_compaction');
      expect(record).toMatchObject({ strategy: compaction_strategy });
      expect(record.files_touched).toHaveLength(43);
      expect(record.summary).toContain('file-42.ts');
      expect(record.summary).not.toContain('file-2.ts');
      expect(record.limitations).toContain(
        'Only the newest 40 of 43 changed files are named in the summary.',
      );
    },
  );

  it('of a long plan is stated, and is no child that is still at work', async () => {
    const steps = Array.from({ length: 32 }, (_, n) => ({ step: `Step ${n}`, status: 'pending' }));
    const one = new SessionBench({
      scripts: [responds(call('p', 'update_plan', { steps })), ...longAnswers(14)],
      tools: toolBox({ ...TOOLS, update_plan: WRITE }),
    });
    await one.run('Plan it.');
    await talk(one, 12);
    await compacted(one);
    const { open_tasks, limitations } = one.only('history_compaction');
    expect(open_tasks).toHaveLength(30);
    expect(limitations).toContain('2 open tasks at the end left out of the list.');
  });

  it('of the summary as a whole is stated as well', () => {
    const decisions = Array.from({ length: 40 }, (_, n) => ({
      name: 'write',
      subject: 's'.repeat(160),
      action: 'cancel',
      decided_by: 'user',
      reason: `${n}${'r'.repeat(198)}`,
    }));
    const tasks = Array.from({ length: 30 }, () => 't'.repeat(300));
    const { told } = deterministicStory({ ...NO_FACTS, decisions, open_tasks: tasks });
    expect(told.text).toHaveLength(16_000);
    expect(told.left_out).toEqual(['The end of the summary is cut off.']);
  });

  it('of an earlier checkpoint is stated also where it cuts a line', () => {
    const one = `${'word '.repeat(300)}end`;
    expect(deterministicStory({ ...NO_FACTS, earlier: one }).told).toEqual({
      text: `From before:\n${one}`,
      left_out: [],
    });
    const { text, left_out } = deterministicStory({ ...NO_FACTS, earlier: one.repeat(4) }).told;
    expect(text.length).toBeGreaterThan(3_900);
    expect(text.length).toBeLessThan(4_100);
    expect(left_out).toEqual(['Older parts of earlier checkpoints are left out.']);
  });
});

const NO_FACTS: RangeFacts = {
  turns: [],
  earlier: null,
  earlier_by_model: false,
  event_counts: {},
  tool_calls: { total: 0, failed: 0, by_name: {}, last: [] },
  files_touched: [],
  open_tasks: [],
  decisions: [],
  skills_dropped: [],
  images: [],
  lost: {
    outputs: 0,
    output_bytes: 0,
    images: 0,
    listed_images: 0,
    reasoning: 0,
    failed_turns: 0,
    files: 0,
    decisions: 0,
    tasks: 0,
  },
};

/** How often an event is looked into to find the facts of so many turns. */
function looks(turns: number): number {
  let count = 0;
  const log = new LogText();
  for (let n = 0; n < turns; n += 1) log.turn(n, { calls: 1, failed: false, words: 1 });
  const fold = new HistoryFold();
  for (const line of log.text.trimEnd().split('\n')) {
    const parsed = parseLine(line);
    if (parsed.ok) fold.push(parsed.event);
  }
  const counted = fold.events.map(
    (event) =>
      new Proxy(event, {
        get(target, key) {
          count += 1;
          return Reflect.get(target, key) as unknown;
        },
      }),
  );
  const cut = cutOf(fold.events, 20);
  if (cut === null) throw new Error('no cut');
  const history: History = {
    events: counted,
    checkpoint: null,
    countsBefore: (seq) => fold.countsBefore(seq),
  };
  expect(rangeFacts(history, cut).turns.length).toBeGreaterThan(turns - 10);
  return count;
}

describe('the facts of a long session', () => {
  it('cost as much for each turn, however many there are', () => {
    expect(looks(400) / looks(100)).toBeLessThan(5);
  });
});

import { describe, expect, it } from 'vitest';
import type { LogEvent } from '../../../src/runtime/events.ts';
import { DiagnosisFold } from '../../../src/runtime/inspection/diagnosis.ts';
import { applyToSessionTrace, emptyTrace } from '../../../src/runtime/inspection/session-tree.ts';
import { inEnglish } from '../../../src/runtime/inspection/spoken-words.ts';
import type { TreeNode } from '../../../src/runtime/inspection/tree-node.ts';
import { SessionTreeNodes } from '../../../src/runtime/inspection/tree-nodes.ts';
import { RECORD } from '../../support/compaction-record.ts';
import { SOUND } from '../../support/log-facts.ts';
import { made, numbered, oneOfEach, usage } from '../../support/made-events.ts';

const { user_message, assistant_message } = oneOfEach();

function treeOf(events: readonly LogEvent[]): ReadonlyMap<string, TreeNode> {
  const fold = new DiagnosisFold('s1');
  for (const event of events) fold.push(event);
  const trace = events.reduce((before, event) => applyToSessionTrace(before, event), emptyTrace('s1'));
  const diagnosis = fold.finish({ ...SOUND, lease: 'held' });
  return new SessionTreeNodes().build({ trace, earlier: [], diagnosis, live: true });
}

function compactionsIn(nodes: ReadonlyMap<string, TreeNode>): readonly TreeNode[] {
  return [...nodes.values()].filter(({ kind }) => kind === 'compaction');
}

describe('a compaction in the tree', () => {
  it('between turns is of the session, the last one first', () => {
    const log = numbered([
      user_message,
      assistant_message,
      made('history_compaction', 0, RECORD),
      made('history_compaction', 0, RECORD),
    ]);
    const nodes = treeOf(log);
    expect(compactionsIn(nodes).map(({ id }) => id)).toEqual([
      'session/compaction:3',
      'session/compaction:2',
    ]);
    expect(nodes.get('session')?.children).toContain('session/compaction:2');
  });

  it('stands between the turns where it was made', () => {
    const again = made('user_message', 0, { ...user_message.data, turn_id: 't2', client_turn_id: 'c2' });
    const compaction = made('history_compaction', 0, RECORD);
    const nodes = treeOf(numbered([user_message, assistant_message, compaction, again, compaction]));
    const children = nodes.get('session')?.children.filter((id) => id !== 'warnings');
    expect(children).toEqual(['session/compaction:4', 'turn:t2', 'session/compaction:2', 'turn:t1']);
  });

  it('of a turn is of the turn', () => {
    const inside = made('history_compaction', 0, { ...RECORD, turn_id: 't1' });
    const nodes = treeOf(numbered([user_message, inside, assistant_message]));
    expect(compactionsIn(nodes).map(({ id, turn_id }) => [id, turn_id])).toEqual([
      ['turn:t1/compaction:1', 't1'],
    ]);
    expect(nodes.get('turn:t1')?.children).toEqual(['turn:t1/compaction:1']);
  });

  it('says what it stands for, and proves it', () => {
    const log = [user_message, made('history_compaction', 143, RECORD)];
    const [node] = compactionsIn(treeOf(log));
    expect(node).toMatchObject({ state: 'completed', seq: 143, request_at: 143, turn_id: null });
    expect([node?.label ?? '', node?.detail ?? ''].map(inEnglish)).toEqual([
      'History compacted',
      '120 events, about 48,012 to 9,120 tokens',
    ]);
    expect(node?.evidence.map(inEnglish)).toEqual([
      'Recorded at seq 143.',
      'Why: asked for by you.',
      'How: facts of the log, by fixed rules.',
      'Stands for seq 0 to seq 120.',
      'But not for seq 101.',
      'The conversation from seq 121 on is still sent as it is.',
      'About 48,012 tokens before, 9,120 after.',
      'Counted how: estimates, scaled by what the provider last counted.',
      'It states 2 limitations.',
    ]);
  });

  it('that was not made in the way that was asked for wants attention', () => {
    const fallback = { from: 'model_assisted_v1', kind: 'server_error', message: 'It failed.' } as const;
    const [node] = compactionsIn(
      treeOf([user_message, made('history_compaction', 1, { ...RECORD, fallback })]),
    );
    expect(node?.state).toBe('attention');
    expect(node?.evidence.map(inEnglish)).toContain(
      'Asked for was this: a summary by the model, beside the facts of the log. It failed: It failed.',
    );
  });

  it('of another version says what can be read of it', () => {
    const { history_compaction } = oneOfEach();
    const [node] = compactionsIn(treeOf([user_message, { ...history_compaction, seq: 4 }]));
    expect(node?.evidence.map(inEnglish)).toEqual([
      'Recorded at seq 4.',
      'Why: asked for by you.',
      'How: facts of the log, by fixed rules.',
      'Stands for seq 0 to seq 3.',
      'It states 1 limitation.',
    ]);
  });

  it('asks the model beside the conversation: that is no request of its turn', () => {
    const aside = usage({ turn_id: 't1', stream_run_id: 'r9' });
    const log = numbered([
      user_message,
      made('provider_usage', 0, usage({ turn_id: 't1', stream_run_id: 'r1' })),
      made('provider_usage', 0, { ...aside, purpose: 'compaction' }),
    ]);
    expect(treeOf(log).get('turn:t1')?.request_at).toBe(0);
  });
});

import { NO_CHILDREN } from '../../../src/runtime/agents/children.ts';
import { NO_PRESSURE } from '../../../src/runtime/pressure.ts';
import { describe, expect, it } from 'vitest';
import { toLine } from '../../../src/runtime/event-line.ts';
import { RequestValidator } from '../../../src/runtime/replay/validator.ts';
import { made, numbered, oneOfEach } from '../../support/made-events.ts';
import { message, responds } from '../../support/scripted-provider.ts';
import { SessionBench } from '../../support/session-bench.ts';
import { shapes } from '../replay/item-shapes.ts';

describe('a log that breaks a rule of the API', () => {
  const { user_message, tool_call, tool_result, turn_failed, run_status } = oneOfEach();
  const log = numbered([
    user_message,
    tool_call,
    tool_result,
    made('tool_call', 0, { ...tool_call.data, args: '{"again":true}' }),
    turn_failed,
    made('run_status', 0, { ...run_status.data, status: 'done', reason: 'error' }),
  ]);

  it('gives a request that was repaired before it left, and the repair is on record', async () => {
    const bench = new SessionBench({ scripts: [responds(message('Here.'))], lines: log.map(toLine) });
    expect(await bench.run('Go on.')).toBe('completed');
    const input = bench.provider.requests[0]?.input ?? [];
    expect(shapes(input).split('\n').slice(0, 3)).toEqual([
      'user: hello',
      'call c1: read {}',
      'output c1: out',
    ]);
    expect(new RequestValidator().check(input)).toEqual([]);
    expect(bench.only('diagnostic')).toMatchObject({
      code: 'request_repaired',
      details: {
        repairs: [
          { kind: 'duplicate_call', index: 3, call_id: 'c1' },
          { kind: 'second_output', index: 4, call_id: 'c1' },
        ],
      },
      next_actions: [{ label: 'Diagnose', command: 'ledgerline.diagnose' }],
    });
  });

  it('opens all the same: the fold tells what it did not believe', () => {
    const bench = new SessionBench({ scripts: [], lines: log.slice(0, 4).map(toLine) });
    expect(bench.turn.violations).toEqual(['second call c1']);
  });
});

describe('a log whose numbers do not follow', () => {
  it('is not folded', () => {
    const lines = [0, 2].map((seq) => toLine(made('diagnostic', seq, oneOfEach().diagnostic.data)));
    expect(() => new SessionBench({ scripts: [], lines })).toThrow('seq 2 after 0');
  });
});

describe('a session that begins at a checkpoint', () => {
  it('knows the turns, the context and the root of what came before', async () => {
    const bench = new SessionBench({ scripts: [responds(message('Here.'))] });
    const { user_message, history_compaction } = oneOfEach();
    bench.session.resumeFrom({
      next_seq: 40,
      fork_root_session_id: 's0',
      context: { workspace: '/w', branch: 'main', permission_mode: 'auto' },
      context_seq: 1,
      pressure: NO_PRESSURE,

      children: NO_CHILDREN,
      workflows: [],
      turns: [{ turn_id: 't9', client_turn_id: 'k9', state: 'completed', reason: null, next_actions: [] }],
      decisions: [['d9', { call_id: 'c9', target_id: 'c9', action: 'resume' }]],
    });
    const tail = { ...history_compaction.data, tail_from_seq: 40 };
    bench.session.restore({ ...user_message, seq: 40 });
    bench.session.restore(made('history_compaction', 41, tail));
    expect(bench.session.find('k9')?.state).toBe('completed');
    const again = { decision_id: 'd9', target_id: 'c9', action: 'resume' };
    const outcome = await bench.session.decide(again, async () => bench.ports());
    expect(outcome).toEqual({ kind: 'duplicate', call_id: 'c9' });
    expect(bench.session.state).toMatchObject({ last_seq: 41, fork_root_session_id: 's0' });
    const items = bench.session.input({ model: 'm', endpoint: 'e' }).items;
    expect(shapes(items).split('\n')).toEqual([
      'developer: Workspace root: "/w" / Branch: "main" / Permission mode: auto',
      'user: [Ledgerline history checkpoint (lossy)] / It began. /  / Limitations: / - Details are gone.',
      'user: hello',
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import type { Extension, Phase, PhaseView, Verdict } from '../../../src/runtime/extension.ts';
import { endReason, type RunEnd } from '../../../src/runtime/run-end.ts';
import { expectTurn } from '../../support/expected-turn.ts';
import { logLines } from '../../support/log-lines.ts';
import { call, DONE, fails, HANG, responds, text } from '../../support/scripted-provider.ts';
import { SessionBench } from '../../support/session-bench.ts';
import { succeed, toolBox, type ToolStub } from '../../support/tool-stubs.ts';

type Hooked = Exclude<Phase, 'before_tool'>;

const REQUEST: readonly Hooked[] = ['step_start', 'before_inference', 'after_inference'];
const HOOKED: readonly Hooked[] = ['run_start', ...REQUEST, 'after_tool', 'step_end', 'run_end'];

/** An extension that wants nothing and tells of every phase it is asked in. */
function probe(tell: (phase: string, view: PhaseView) => void, name = 'probe'): Extension {
  const on = HOOKED.map((phase) => [phase, (view: PhaseView): null => (tell(phase, view), null)] as const);
  return {
    name,
    on: Object.fromEntries(on),
    before_tool: (view, { call_id }) => (tell(`before_tool ${call_id}`, view), null),
  };
}

function wants(phase: Hooked, verdict: (view: PhaseView) => Verdict | null): Extension {
  return { name: `wants at ${phase}`, on: { [phase]: verdict } };
}

describe('the loop', () => {
  it('goes through its phases in exactly one order, and commits between them', async () => {
    const told: string[] = [];
    const tell = (what: string): unknown => told.push(what);
    const read: ToolStub = {
      effect: 'read',
      run: ({ call_id }) => (tell(`tool ${call_id}`), succeed('x')),
    };
    const model = { kind: 'do', act: () => void tell('model') } as const;
    const bench = new SessionBench({
      scripts: [
        [model, ...responds(call('c1', 'read'), call('c2', 'read'))],
        [model, ...DONE],
      ],
      tools: toolBox({ read }),
      extensions: [probe(tell)],
      watch: (output) => {
        if (output.kind === 'committed') told.push(`  ${logLines(output.events).join(', ')}`);
      },
    });
    await bench.run('Go.');
    expect(told).toEqual([
      '  session_started, developer_context, user: Go., run running',
      'run_start',
      'step_start',
      'before_inference',
      'model',
      'after_inference',
      '  call c1: read {}, call c2: read {}, provider_usage',
      'before_tool c1',
      'before_tool c2',
      '  permission c1: allow, permission c2: allow',
      '  c1: new -> running',
      '  c2: new -> running',
      'tool c1',
      'tool c2',
      '  result c1: x, c1: running -> succeeded',
      '  result c2: x, c2: running -> succeeded',
      'after_tool',
      'step_end',
      'step_start',
      'before_inference',
      'model',
      'after_inference',
      '  assistant: Done., provider_usage',
      'step_end',
      'run_end',
      '  run done natural_end',
    ]);
  });

  it.each([
    ['fails', [fails('auth')]],
    ['is cut', [text('Half')]],
    ['is refused', responds({ kind: 'message', text: '', refusal: 'No.' })],
  ])('ends the run once when the model call %s', async (_, script) => {
    const told: string[] = [];
    const bench = new SessionBench({ scripts: [script], extensions: [probe((phase) => told.push(phase))] });
    await bench.run('Go.');
    expect(told.filter((phase) => phase === 'run_end')).toHaveLength(1);
    expect(told.at(-1)).toBe('run_end');
  });

  it('shows all extensions of a phase one snapshot, whatever the first of them wants', async () => {
    const seen: [string, string, PhaseView][] = [];
    const note = { code: 'seen', message: 'Seen.', details: {}, next_actions: [] };
    const records = HOOKED.map((phase) =>
      wants(phase, () => ({ record: [{ type: 'diagnostic', data: { turn_id: 'turn_1', ...note } }] })),
    );
    const bench = new SessionBench({
      scripts: [responds(call('c1', 'read'), call('c2', 'read')), DONE],
      extensions: [
        probe((phase, view) => seen.push(['a', phase, view])),
        ...records,
        probe((phase, view) => seen.push(['b', phase, view])),
      ],
    });
    await bench.run('Go.');
    const first = seen.filter(([who]) => who === 'a');
    const second = seen.filter(([who]) => who === 'b');
    expect(second.map(([, phase]) => phase)).toEqual(first.map(([, phase]) => phase));
    first.forEach(([, , view], index) => {
      expect(second[index]?.[2].turn).toBe(view.turn);
      expect(second[index]?.[2].session).toBe(view.session);
    });
    const gates = first.filter(([, phase]) => phase.startsWith('before_tool')).map(([, , view]) => view.turn);
    expect(gates[0]).toBe(gates[1]);
  });

  it('records what extensions want, in every phase', async () => {
    const extensions = HOOKED.map((phase) =>
      wants(phase, ({ turn: { turn_id } }) => ({
        record: [
          { type: 'diagnostic', data: { turn_id, code: phase, message: '', details: {}, next_actions: [] } },
        ],
      })),
    );
    const bench = new SessionBench({
      scripts: [responds(call('c1', 'read')), DONE],
      extensions,
    });
    expect(await bench.run('Go.')).toBe('completed');
    const withCall = [...REQUEST, 'after_tool', 'step_end'];
    const codes = bench.of('diagnostic').map(({ code }) => code);
    expect(codes).toEqual(['run_start', ...withCall, ...REQUEST, 'step_end', 'run_end']);
  });
});

const END: RunEnd = { kind: 'plugin_requested', by: 'probe', message: 'Enough.' };

describe('an extension that ends the run', () => {
  it.each(['run_start', 'step_start', 'before_inference'] as const)(
    'at %s ends it before any request leaves',
    async (phase) => {
      const bench = new SessionBench({ scripts: [], extensions: [wants(phase, () => ({ end: END }))] });
      await expectTurn(bench, 'failed', ['failed: failed plugin_requested', 'run done plugin_requested']);
      expect(bench.provider.requests).toHaveLength(0);
    },
  );

  it('at after_inference closes the calls of the response as never started', async () => {
    const bench = new SessionBench({
      scripts: [responds(call('c1', 'read'))],
      extensions: [wants('after_inference', () => ({ end: END }))],
    });
    await expectTurn(bench, 'failed', [
      'call c1: read {}',
      'provider_usage',
      'result c1: error never_started',
      'c1: new -> cancelled',
      'failed: failed plugin_requested',
      'run done plugin_requested',
    ]);
  });

  it.each(['after_inference', 'step_end', 'run_end'] as const)(
    'at %s over a durable answer does not take the answer back',
    async (phase) => {
      const bench = new SessionBench({
        scripts: [DONE],
        extensions: [wants(phase, () => ({ end: END }))],
      });
      expect(await bench.run('Go.')).toBe('completed');
      expect(bench.of('turn_failed')).toEqual([]);
    },
  );

  it.each(['after_tool', 'step_end'] as const)('at %s keeps the results of the round', async (phase) => {
    const bench = new SessionBench({
      scripts: [responds(call('c1', 'read', { path: 'a' }))],
      extensions: [wants(phase, () => ({ end: END }))],
    });
    expect(await bench.run('Go.')).toBe('failed');
    expect(bench.only('tool_result')).toMatchObject({ ok: true, output: 'content of a' });
    expect(bench.provider.requests).toHaveLength(1);
  });

  it('at after_tool ends it before step_end is asked', async () => {
    const told: string[] = [];
    const bench = new SessionBench({
      scripts: [responds(call('c1', 'read'))],
      extensions: [wants('after_tool', () => ({ end: END })), probe((phase) => told.push(phase))],
    });
    await bench.run('Go.');
    expect(told.slice(-2)).toEqual(['after_tool', 'run_end']);
  });

  it('with the strongest reason wins, whatever the order', async () => {
    const error: RunEnd = {
      kind: 'error',
      error_kind: 'odd',
      message: 'Odd.',
      details: {},
      next_actions: [],
    };
    const stopped: RunEnd = { kind: 'stopped', code: 'token_budget', message: 'Enough.', details: {} };
    const interrupted: RunEnd = { kind: 'interrupted', reason: 'disconnect' };
    const ranked = [error, interrupted, stopped, END];
    for (const [index, strongest] of ranked.entries()) {
      const weaker = ranked.slice(index);
      for (const ends of [weaker, weaker.toReversed()]) {
        const extensions = ends.map((end) => wants('step_start', () => ({ end })));
        const bench = new SessionBench({ scripts: [], extensions });
        await bench.run('Go.');
        expect(bench.of('run_status').at(-1)?.reason).toBe(endReason(strongest));
      }
    }
  });
});

describe('a run that is halted in a phase', () => {
  it.each(['run_start', 'step_start', 'before_inference'] as const)(
    'at %s sends no request any more',
    async (phase) => {
      const bench: SessionBench = new SessionBench({
        scripts: [[HANG]],
        extensions: [wants(phase, () => (void bench.session.stop('user_cancelled'), null))],
      });
      expect(await bench.run('Go.')).toBe('interrupted');
      expect(bench.provider.requests).toHaveLength(0);
    },
  );
});

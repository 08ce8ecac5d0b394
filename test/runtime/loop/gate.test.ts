import { describe, expect, it } from 'vitest';
import { gate, type Extension, type GateVote, type PhaseView } from '../../../src/runtime/extension.ts';
import type { PreparedCall } from '../../../src/runtime/ports.ts';
import { doneTurn, logLines } from '../../support/log-lines.ts';
import { call, DONE, responds } from '../../support/scripted-provider.ts';
import { SessionBench } from '../../support/session-bench.ts';
import { READ, ruled, succeed, toolBox, WRITE, type ToolStub } from '../../support/tool-stubs.ts';

const VOTES = {
  block: { kind: 'block', by: ruled('never'), error: { kind: 'denied', message: 'No.' } },
  suspend: {
    kind: 'suspend',
    by: ruled('ask first'),
    suspension: { reason: 'approval', message: 'May I?', resume_mode: 'replay_tool_call' },
  },
  preset: { kind: 'preset', output: 'as before' },
  allow: { kind: 'allow', by: ruled('fine') },
} as const satisfies Record<GateVote['kind'], GateVote>;

const RANKED = ['block', 'suspend', 'preset', 'allow'] as const;

function votes(vote: GateVote | null): Extension {
  return { name: 'votes', before_tool: () => vote };
}

function permutations<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((item, index) =>
    permutations(items.filter((_, other) => other !== index)).map((rest) => [item, ...rest]),
  );
}

const VIEW = {} as PhaseView;
const CALL: PreparedCall = {
  call_id: 'c1',
  name: 'read',
  effect: 'read',
  input: {},
  writes: [],
  subject: 'a',
};

describe('the gate', () => {
  it('obeys block before suspend before preset before allow, whatever the order of the extensions', () => {
    for (let from = 0; from < RANKED.length; from += 1) {
      const kinds = RANKED.slice(from);
      for (const order of permutations(kinds)) {
        const extensions = [votes(null), ...order.map((kind) => votes(VOTES[kind]))];
        expect(gate(extensions, VIEW, CALL)).toEqual(VOTES[kinds[0] ?? 'allow']);
      }
    }
  });

  it('lets a call pass that nobody has a word on', () => {
    expect(gate([votes(null), { name: 'silent' }], VIEW, CALL)).toEqual({ kind: 'allow', by: null });
  });
});

/** The events of the round of one call, after the response that asked for it. */
async function round(vote: GateVote | null, args: unknown = {}, name = 'read'): Promise<SessionBench> {
  const scripts = [responds({ ...call('c1', name), args: JSON.stringify(args) } as never), DONE];
  const bench = new SessionBench({ scripts, tools: toolBox({ read: READ }), extensions: [votes(vote)] });
  await bench.run('Go.');
  return bench;
}

function told(bench: SessionBench): readonly string[] {
  const lines = logLines(bench.events);
  return lines.slice(
    lines.indexOf('provider_usage') + 1,
    lines.findLastIndex((l) => l.startsWith('c1:')) + 1,
  );
}

describe('what the gate lets happen', () => {
  it('allow: the call runs', async () => {
    expect(told(await round(null, { path: 'a' }))).toEqual([
      'permission c1: allow',
      'c1: new -> running',
      'result c1: content of a',
      'c1: running -> succeeded',
    ]);
  });

  it('block: the call fails, the model gets an error, the loop goes on', async () => {
    const bench = await round(VOTES.block);
    expect(told(bench)).toEqual(['permission c1: deny', 'result c1: error denied', 'c1: new -> failed']);
    expect(bench.state).toBe('completed');
    expect(bench.only('permission_decision')).toMatchObject({ decided_by: 'rule', rule: 'never' });
  });

  it('preset: the result is there without the tool', async () => {
    const bench = await round(VOTES.preset);
    expect(told(bench)).toEqual(['c1: new -> running', 'result c1: as before', 'c1: running -> succeeded']);
    expect(bench.state).toBe('completed');
  });

  it('suspend: the call waits, and so does the run', async () => {
    const bench = await round(VOTES.suspend);
    expect(told(bench)).toEqual(['permission c1: ask', 'c1: new -> suspended']);
    expect(logLines(bench.events).at(-1)).toBe('run waiting suspended');
    expect(bench.state).toBe('waiting');
    expect(bench.only('tool_call_status').suspension).toEqual({
      id: 'suspension_1',
      ...VOTES.suspend.suspension,
      parameters: { tool: 'read', subject: '' },
    });
    expect(bench.provider.requests).toHaveLength(1);
  });
});

describe('the order of the gate', () => {
  it('is unknown tool, then invalid arguments, then what extensions say; before that nobody is asked', async () => {
    const asked: string[] = [];
    const blocks: Extension = {
      name: 'blocks',
      before_tool: (_, { call_id }) => (asked.push(call_id), VOTES.block),
    };
    const calls = [
      { kind: 'call', call_id: 'c1', name: 'fly', args: 'not even JSON' },
      { kind: 'call', call_id: 'c2', name: 'read', args: '"no object"' },
      { kind: 'call', call_id: 'c3', name: 'read', args: '{}' },
    ] as const;
    const bench = new SessionBench({
      scripts: [responds(...calls), DONE],
      tools: toolBox({ read: READ }),
      extensions: [blocks],
    });
    await bench.run('Go.');
    expect(bench.of('tool_result').map(({ call_id, error }) => [call_id, error?.kind])).toEqual([
      ['c1', 'unknown_tool'],
      ['c2', 'invalid_arguments'],
      ['c3', 'denied'],
    ]);
    expect(asked).toEqual(['c3']);
    expect(bench.of('permission_decision').map(({ call_id }) => call_id)).toEqual(['c3']);
  });

  it('is the same for all calls of a round: all are announced before the first one runs', async () => {
    const bench: SessionBench = new SessionBench({
      scripts: [responds(call('c1', 'read'), call('c2', 'fly'), call('c3', 'read')), DONE],
      tools: toolBox({
        read: { effect: 'read', run: () => succeed(`${bench.of('permission_decision').length}`) },
      }),
    });
    await bench.run('Go.');
    expect(bench.of('tool_result').map(({ output, error }) => output ?? error?.kind)).toEqual([
      'unknown_tool',
      '2',
      '2',
    ]);
  });
});

describe('a round of which only some calls wait', () => {
  it('goes on to another round, and the run waits once the model has nothing more to ask', async () => {
    const asks: Extension = {
      name: 'asks',
      before_tool: (_, { subject }) => (subject === 'a' ? VOTES.suspend : null),
    };
    const scripts = [responds(call('c1', 'read', { path: 'a' }), call('c2', 'read', { path: 'b' })), DONE];
    const bench = new SessionBench({ scripts, extensions: [asks] });
    expect(await bench.run('Go.')).toBe('waiting');
    expect(logLines(bench.events).slice(-3)).toEqual([
      'assistant: Done.',
      'provider_usage',
      'run waiting suspended',
    ]);
  });

  it('is not completed by an answer over a pending call, and a new message supersedes it', async () => {
    const asks: Extension = { name: 'asks', before_tool: () => VOTES.suspend };
    const bench = new SessionBench({ scripts: [responds(call('c1', 'read')), DONE], extensions: [asks] });
    expect(await bench.run('First.')).toBe('waiting');
    expect(await bench.run('Second.')).toBe('completed');
    const lines = logLines(bench.events);
    expect(lines.slice(lines.indexOf('run waiting suspended') + 1)).toEqual([
      'result c1: error cancelled',
      'c1: suspended -> cancelled',
      'failed: interrupted superseded',
      'run done cancelled',
      'note of turn_1',
      ...doneTurn('Second.'),
    ]);
  });
});

describe('the permission mode', () => {
  it('is told as the policy that decided', async () => {
    const write: ToolStub = WRITE;
    const bench = new SessionBench({
      scripts: [responds(call('c1', 'write', { path: 'a' })), DONE],
      tools: toolBox({ write }),
      settings: { permission_mode: 'read_only' },
    });
    await bench.run('Go.');
    expect(bench.only('permission_decision')).toMatchObject({
      call_id: 'c1',
      decision: 'deny',
      decided_by: 'policy',
      rule: 'mode:read_only',
      scope: 'call',
      sub_commands: [],
    });
    expect(bench.only('tool_result').error?.kind).toBe('permission_denied');
  });
});

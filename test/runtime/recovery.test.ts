import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toLine } from '../../src/runtime/event-line.ts';
import type { LogEvent } from '../../src/runtime/events.ts';
import type { Extension } from '../../src/runtime/extension.ts';
import { RequestValidator } from '../../src/runtime/replay/validator.ts';
import { isTerminal, turnState } from '../../src/runtime/turn.ts';
import { logLines } from '../support/log-lines.ts';
import { call, DONE, message, reasoning, responds, text } from '../support/scripted-provider.ts';
import { SessionBench } from '../support/session-bench.ts';
import { COMMAND, READ, ruled, toolBox, WRITE } from '../support/tool-stubs.ts';
import { legalLog } from './replay/legal-log.ts';
import { story } from './replay/legal-story.ts';
import { searchRuns } from '../support/search-runs.ts';

/** Generated logs take as long as they take, also on a busy machine. */
const GENERATED = { timeout: searchRuns(60_000) };

const tools = toolBox({ read: READ, write: WRITE, run: COMMAND });

/** Opens what is left of a log, as the next process would. */
async function reopened(
  events: readonly LogEvent[],
  scratch: { readonly turn_id: string; readonly stream_run_id: string; readonly text: string } | null = null,
): Promise<SessionBench> {
  const bench = new SessionBench({ scripts: [responds(message('Here.'))], lines: events.map(toLine), tools });
  await bench.clock.until(bench.session.recover(scratch, tools));
  return bench;
}

function added(bench: SessionBench, before: readonly LogEvent[]): readonly string[] {
  return logLines(bench.events.slice(before.length));
}

/** A session cut right after the first event that is told by this line. */
async function cutAfter(line: string, bench: SessionBench): Promise<readonly LogEvent[]> {
  await bench.run('Go.');
  const at = logLines(bench.events).indexOf(line);
  if (at < 0) throw new Error(`no ${line}`);
  return bench.events.slice(0, at + 1);
}

/** What the next process finds, and the lines that it adds, after a cut right after this line. */
async function recovered(
  line: string,
  cut: SessionBench,
  scratch?: Parameters<typeof reopened>[1],
): Promise<{ readonly bench: SessionBench; readonly lines: readonly string[] }> {
  const events = await cutAfter(line, cut);
  const bench = await reopened(events, scratch);
  return { bench, lines: added(bench, events) };
}

/** A turn with a read and a write. */
function working(): SessionBench {
  return new SessionBench({ scripts: [ROUND, DONE], tools });
}

const ROUND = responds(
  message('I look.'),
  call('c1', 'read', { path: 'a' }),
  call('c2', 'write', { path: 'b' }),
);

describe('a session whose process is gone', () => {
  it('closes a turn whose model call was under way as interrupted by disconnect', async () => {
    const { lines } = await recovered('run running', new SessionBench({ scripts: [DONE] }));
    expect(lines).toEqual(['failed: interrupted disconnect', 'run done cancelled']);
  });

  it('keeps the text that had been shown, from beside the log', async () => {
    const { bench, lines } = await recovered('run running', new SessionBench({ scripts: [DONE] }), {
      turn_id: 'turn_1',
      stream_run_id: 'stream_1',
      text: 'Do',
    });
    expect(lines).toEqual([
      'assistant (partial): Do',
      'failed: interrupted disconnect',
      'run done cancelled',
    ]);
    expect(bench.log.scratch).toBeNull();
  });

  it('does not take text for its own that belongs to another turn', async () => {
    const { lines } = await recovered('run running', new SessionBench({ scripts: [DONE] }), {
      turn_id: 'turn_0',
      stream_run_id: 'stream_0',
      text: 'Do',
    });
    expect(lines).toEqual(['failed: interrupted disconnect', 'run done cancelled']);
  });

  it('does not keep text twice that the log already holds', async () => {
    const scratch = { turn_id: 'turn_1', stream_run_id: 'stream_1', text: 'I look.' };
    const { lines } = await recovered('provider_usage', working(), scratch);
    expect(lines).toEqual([
      'result c1: error never_started',
      'c1: new -> cancelled',
      'result c2: error never_started',
      'c2: new -> cancelled',
      'failed: interrupted disconnect',
      'run done cancelled',
    ]);
  });

  it('keeps of a response that was committed in part only what is missing', async () => {
    const answer = responds(message('First,'), message(' then.'));
    const scratch = { turn_id: 'turn_1', stream_run_id: 'stream_1', text: 'First, then.' };
    const { lines } = await recovered('assistant: First,', new SessionBench({ scripts: [answer] }), scratch);
    expect(lines).toEqual([
      'assistant (partial):  then.',
      'failed: interrupted disconnect',
      'run done cancelled',
    ]);
  });

  it('finishes a turn whose answer is durable as completed', async () => {
    const scratch = { turn_id: 'turn_1', stream_run_id: 'stream_1', text: 'Done.' };
    const { bench, lines } = await recovered(
      'assistant: Done.',
      new SessionBench({ scripts: [DONE] }),
      scratch,
    );
    expect([bench.state, lines]).toEqual(['completed', ['run done natural_end']]);
  });

  it('closes a read that was running as interrupted, and asks about a write whose outcome is unknown', async () => {
    const { bench, lines } = await recovered('c2: new -> running', working());
    expect(lines).toEqual([
      'c2: running -> suspended',
      'run waiting suspended',
      'result c1: error interrupted',
      'c1: running -> cancelled',
    ]);
    expect(bench.state).toBe('waiting');
    expect(bench.of('tool_call_status').at(-2)?.suspension).toEqual({
      id: 'suspension_again_1',
      reason: 'outcome_unknown',
      message: 'write was running when its window ended or lost the session. Whether it finished is unknown.',
      parameters: { tool: 'write', args: '{"path":"b"}' },
      response_schema: expect.anything(),
      resume_mode: 'replay_tool_call',
      resume_modes: ['replay_tool_call', 'use_decision_as_result'],
    });
  });

  it('says of what it closes that the process ended: the turn may wait', async () => {
    const calls = [
      call('c1', 'read', { path: 'a' }),
      call('c2', 'write', { path: 'b' }),
      call('c3', 'write', { path: 'b' }),
    ];
    const first = new SessionBench({ scripts: [responds(...calls), DONE], tools });
    const bench = await reopened(await cutAfter('c2: new -> running', first));
    expect(bench.state).toBe('waiting');
    expect(bench.of('tool_result').map(({ call_id, error }) => [call_id, error])).toEqual([
      ['c1', { kind: 'interrupted', message: 'Ledgerline ended while this call was running.' }],
      [
        'c3',
        { kind: 'never_started', message: 'Ledgerline ended before this call started. It had no effect.' },
      ],
    ]);
  });

  it('takes a tool it does not know for one with effects', async () => {
    const odd = toolBox({ odd: READ });
    const events = await cutAfter(
      'c1: new -> running',
      new SessionBench({ scripts: [responds(call('c1', 'odd')), DONE], tools: odd }),
    );
    expect((await reopened(events)).state).toBe('waiting');
  });

  it('gives a call its final state whose result was the last thing written', async () => {
    const { bench, lines } = await recovered('result c2: wrote b', working());
    expect(lines).toEqual([
      'c2: running -> succeeded',
      'failed: interrupted disconnect',
      'run done cancelled',
    ]);
    expect(bench.turn.violations).toEqual([]);
  });

  it('changes nothing when the turn had ended, and nothing when opened again', async () => {
    const done = new SessionBench({ scripts: [DONE] });
    await done.run('Go.');
    const bench = await reopened(done.events);
    expect(added(bench, done.events)).toEqual([]);
    const cut = await reopened(done.events.slice(0, 4));
    const again = await reopened(cut.events);
    expect(again.log.lines).toEqual(cut.log.lines);
  });

  it('changes nothing in an empty log', async () => {
    expect((await reopened([])).events).toEqual([]);
  });
});

describe('approvals that were pending when the process went', () => {
  const suspension = { reason: 'approval', message: 'May I?', resume_mode: 'replay_tool_call' } as const;
  const asks: Extension = {
    name: 'asks',
    before_tool: (_, { effect }) =>
      effect === 'write' ? { kind: 'suspend', by: ruled('ask'), suspension } : null,
  };
  const both = [call('c1', 'read', { path: 'a' }), call('c2', 'write', { path: 'b' })];
  const session = (...scripts: readonly ReturnType<typeof responds>[]): SessionBench =>
    new SessionBench({ scripts, tools, extensions: [asks] });

  it('are simply there again', async () => {
    const { bench, lines } = await recovered('run waiting suspended', session(responds(both[1]!)));
    expect([bench.state, lines]).toEqual(['waiting', []]);
  });

  it('are there again when the run was just about to wait', async () => {
    const { bench, lines } = await recovered('c2: new -> suspended', session(responds(both[1]!)));
    expect([bench.state, lines]).toEqual(['waiting', ['run waiting suspended']]);
  });

  it('are there again when other calls of the round were still running', async () => {
    const { bench, lines } = await recovered('c1: new -> running', session(responds(...both), DONE));
    expect([bench.state, lines]).toEqual([
      'waiting',
      ['run waiting suspended', 'result c1: error interrupted', 'c1: running -> cancelled'],
    ]);
  });

  it('are closed with a turn whose next model call was under way', async () => {
    const { bench, lines } = await recovered('c1: running -> succeeded', session(responds(...both), DONE));
    expect([bench.state, lines]).toEqual([
      'interrupted',
      [
        'result c2: error cancelled',
        'c2: suspended -> cancelled',
        'failed: interrupted disconnect',
        'run done cancelled',
      ],
    ]);
  });
});

describe('every prefix of a log', GENERATED, () => {
  it('opens to a turn that rests, without one illegal move, and a request the API accepts', async () => {
    const property = fc.asyncProperty(story, fc.nat(), async (told, at) => {
      const { events } = legalLog(told);
      const prefix = events.slice(0, 1 + (at % events.length));
      const bench = await reopened(prefix);
      const { turn } = bench.session.state;
      if (turn !== null) {
        const state = turnState(turn);
        expect(isTerminal(state) || state === 'waiting').toBe(true);
        expect(turn.violations).toEqual([]);
        if (isTerminal(state)) expect([turn.open.size, turn.run]).toEqual([0, 'done']);
      }
      expect(await bench.run('And now?')).toBe('completed');
      const input = bench.provider.requests.at(-1)?.input ?? [];
      expect(new RequestValidator().check(input)).toEqual([]);
      expect(bench.of('diagnostic').map(({ code }) => code)).not.toContain('request_repaired');
    });
    await fc.assert(property, { numRuns: searchRuns(150), seed: 20260106 });
  });

  it('of a real session opens so too, at every single event', async () => {
    const whole = new SessionBench({
      scripts: [
        responds(reasoning('rs_1'), message('I look.'), call('c1', 'read'), call('c2', 'write')),
        responds(call('c3', 'run')),
        responds(message('First,'), reasoning('rs_2'), message('then.')),
        [text('Half')],
      ],
      tools,
    });
    await whole.run('One.');
    await whole.run('Two.');
    for (let length = 1; length <= whole.events.length; length += 1) {
      const bench = await reopened(whole.events.slice(0, length));
      expect(await bench.run('And now?', 'k9')).toBe('completed');
      expect(bench.turn.violations).toEqual([]);
      expect(new RequestValidator().check(bench.provider.requests.at(-1)?.input ?? [])).toEqual([]);
    }
  });
});

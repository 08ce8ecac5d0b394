import { describe, expect, it } from 'vitest';
import type { EventData } from '../../../src/runtime/events.ts';
import { call, DONE, responds, type Script } from '../../support/scripted-provider.ts';
import { SessionBench } from '../../support/session-bench.ts';
import { fail, READ, succeed, toolBox, type ToolStub } from '../../support/tool-stubs.ts';

const BROKEN: ToolStub = { effect: 'read', run: () => fail('broken') };
const tools = toolBox({ read: READ, broken: BROKEN });

function rounds(count: number, script: (n: number) => Script): readonly Script[] {
  return Array.from({ length: count }, (_, n) => script(n));
}

/** A model that would go on, and what stopped it, if anything. */
async function stopOf(
  scripts: readonly Script[],
  settings: { readonly max_rounds?: number; readonly token_budget?: number } = {},
): Promise<{ readonly bench: SessionBench; readonly failure: EventData['turn_failed'] | undefined }> {
  const bench = new SessionBench({ scripts: [...scripts, DONE], tools, settings });
  await bench.run('Go.');
  return { bench, failure: bench.of('turn_failed')[0] };
}

/** What is on record of a turn that was stopped. */
function stopped(code: string, error_message: string, details: unknown): object {
  return { terminal_status: 'failed', error_kind: `stopped:${code}`, error_message, details };
}

const CONTINUE = { label: 'Continue', command: 'ledgerline.continueTurn' };
const TRY_AGAIN = { label: 'Try again', command: 'ledgerline.retryTurn' };

const same = (n: number): Script => responds(call(`c${n}`, 'read', { path: 'a' }));
const differing = (n: number): Script => responds(call(`c${n}`, 'read', { path: `${n}` }));
const failing = (n: number): Script => responds(call(`c${n}`, 'broken', { n }));

describe('a model that makes the same calls again and again', () => {
  it('is stopped after exactly six such rounds', async () => {
    const { bench, failure } = await stopOf(rounds(9, same));
    expect(failure).toMatchObject({
      ...stopped('loop_detected', 'The model made the same calls 6 rounds in a row.', { rounds: 6 }),
      next_actions: [CONTINUE, TRY_AGAIN],
    });
    expect([bench.provider.requests.length, bench.of('tool_result').length]).toEqual([6, 6]);
    expect(bench.of('run_status').at(-1)).toMatchObject({
      status: 'done',
      reason: 'stopped:loop_detected',
      code: 'loop_detected',
    });
  });

  it('is not stopped after five', async () => {
    const { bench, failure } = await stopOf(rounds(5, same));
    expect([failure, bench.state]).toEqual([undefined, 'completed']);
  });

  it('is not stopped when one round of them had other arguments, another name or one call more', async () => {
    const others = [
      responds(call('x', 'read', { path: 'b' })),
      responds(call('x', 'broken', { path: 'a' })),
      responds(call('x', 'read', { path: 'a' }), call('y', 'read', { path: 'a' })),
    ];
    for (const other of others) {
      const { failure } = await stopOf([...rounds(5, same), other, ...rounds(5, (n) => same(n + 5))]);
      expect(failure).toBeUndefined();
    }
  });

  it('counts from the last different round on', async () => {
    const { bench } = await stopOf([differing(90), differing(91), ...rounds(9, same)]);
    expect(bench.provider.requests).toHaveLength(8);
  });
});

describe('a model whose every call fails', () => {
  it('is stopped after exactly five such rounds', async () => {
    const { bench, failure } = await stopOf(rounds(9, failing));
    expect(failure).toMatchObject(
      stopped('consecutive_errors', 'Every call failed 5 rounds in a row.', { rounds: 5 }),
    );
    expect(bench.provider.requests).toHaveLength(5);
  });

  it('is not stopped after four', async () => {
    expect((await stopOf(rounds(4, failing))).failure).toBeUndefined();
  });

  it('is not stopped when one call of one round succeeded', async () => {
    const mixed = responds(call('m1', 'broken', {}), call('m2', 'read', {}));
    const { failure } = await stopOf([...rounds(4, failing), mixed, ...rounds(4, (n) => failing(n + 4))]);
    expect(failure).toBeUndefined();
  });

  it('counts calls that were never run: unknown, invalid and blocked ones', async () => {
    const { bench, failure } = await stopOf(rounds(9, (n) => responds(call(`c${n}`, 'fly', { n }))));
    expect([failure?.error_kind, bench.provider.requests.length]).toEqual(['stopped:consecutive_errors', 5]);
  });
});

describe('a turn with limits', () => {
  it('makes exactly as many model calls as it has rounds', async () => {
    const { bench, failure } = await stopOf(rounds(9, differing), { max_rounds: 3 });
    expect(failure).toMatchObject({
      ...stopped('max_rounds', 'The turn reached its limit of 3 rounds.', { max_rounds: 3 }),
      next_actions: [
        CONTINUE,
        TRY_AGAIN,
        {
          label: 'Raise the limit',
          command: 'workbench.action.openSettings',
          args: ['ledgerline.maxRounds'],
        },
      ],
    });
    expect([bench.provider.requests.length, bench.of('tool_result').length]).toEqual([3, 3]);
  });

  it('may answer in its last round', async () => {
    expect((await stopOf(rounds(2, differing), { max_rounds: 3 })).failure).toBeUndefined();
  });

  it('stops when its tokens reach the budget', async () => {
    const { bench, failure } = await stopOf(rounds(9, differing), { token_budget: 220 });
    const details = { token_budget: 220, tokens: 220 };
    expect(failure).toMatchObject(
      stopped('token_budget', 'The turn used its budget of 220 tokens.', details),
    );
    expect(bench.provider.requests).toHaveLength(2);
  });

  it('may finish an answer that goes over the budget', async () => {
    expect((await stopOf(rounds(1, differing), { token_budget: 111 })).failure).toBeUndefined();
  });

  it('starts every turn anew', async () => {
    const read: ToolStub = { effect: 'read', run: () => succeed('x') };
    const turn = [differing(1), DONE];
    const scripts = [...turn, ...turn, ...turn];
    const bench = new SessionBench({ scripts, tools: toolBox({ read }), settings: { max_rounds: 2 } });
    const states = [await bench.run('One.'), await bench.run('Two.'), await bench.run('Three.')];
    expect(states).toEqual(['completed', 'completed', 'completed']);
  });
});

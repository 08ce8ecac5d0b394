import { describe, expect, it } from 'vitest';
import { READ, succeed, type ToolStub } from '../support/tool-stubs.ts';
import type { ToolContext, ToolOutcome } from '../../src/runtime/ports.ts';
import type { ResumeMode } from '../../src/runtime/events.ts';
import { isMove, movesOf, wayOf } from './log-file.ts';
import { stubStage, type StubSession } from './stub-session.ts';
import { asks, says } from './window.ts';

const on = stubStage();

function suspends(message: string, resume_mode: ResumeMode = 'pass_decision_to_tool'): ToolOutcome {
  return { kind: 'suspended', suspension: { reason: 'choice', message, resume_mode } };
}

/** Suspends itself for each of its questions, and then tells what it was given. */
function asking(questions: readonly string[]): ToolStub & { readonly given: unknown[] } {
  const given: unknown[] = [];
  return {
    given,
    effect: 'interact',
    run: (_call, { decision }) => {
      if (decision !== undefined) given.push(decision.result);
      const question = questions[given.length];
      return question === undefined ? succeed(`given ${JSON.stringify(given)}`) : suspends(question);
    },
  };
}

/** Runs until the test lets it suspend itself. */
function slow(
  resume_mode: ResumeMode,
  after: (context: ToolContext) => ToolOutcome = () => succeed('ran'),
): ToolStub & { suspend(): void; readonly runs: () => number } {
  const released = Promise.withResolvers<void>();
  let runs = 0;
  return {
    effect: 'interact',
    suspend: () => released.resolve(),
    runs: () => runs,
    run: async (_call, context) => {
      runs += 1;
      if (runs > 1) return after(context);
      await released.promise;
      return suspends('Shall I?', resume_mode);
    },
  };
}

/** A session with this tool, in which a call of it runs; then the model says something. */
async function running(slow: ToolStub, last: string): Promise<StubSession> {
  await on.script(asks(['c1', 'slow', {}]), says(last));
  const session = await on.open({ tools: { slow } });
  await session.send('Go.');
  await session.until(isMove('c1', 'running'));
  return session;
}

/** A session with this tool, in which a call of it has come to its first question. */
async function choosing(choose: ToolStub): Promise<StubSession> {
  await on.script(asks(['c1', 'choose', {}]), says('Chosen.'));
  const session = await on.open({ tools: { choose } });
  expect(await session.turn('Choose.')).toBe('waiting');
  return session;
}

describe('a tool that suspends itself', () => {
  it('gets what the person gave it, and may ask again', async () => {
    const tool = asking(['First?', 'Second?']);
    const session = await choosing(tool);
    expect(await session.decided('c1', 'resume', { payload: { result: { pick: 1 } } })).toBe('waiting');
    expect(session.of('tool_call_status').at(-1)?.suspension).toMatchObject({ message: 'Second?' });
    expect(on.requests).toHaveLength(1);
    expect(await session.decided('c1', 'resume', { payload: { result: null } })).toBe('completed');
    expect(tool.given).toEqual([{ pick: 1 }, null]);
    expect(wayOf(session.log.events, 'c1')).toBe(
      'running suspended resuming running suspended resuming running succeeded',
    );
    expect(on.output(1, 'c1')).toBe('given [{"pick":1},null]');
    expect(on.requests).toHaveLength(2);
  });

  it.each([[false], [0], [''], [null], [[]]])('gets %j as well, as it is', async (result) => {
    const tool = asking(['Which?']);
    const session = await choosing(tool);
    expect(await session.decided('c1', 'resume', { payload: { result } })).toBe('completed');
    expect(tool.given).toEqual([result]);
  });

  it('has two questions of its own names: the first is no target any more once it is answered', async () => {
    const tool = asking(['First?', 'Second?']);
    const session = await choosing(tool);
    const first = session.of('tool_call_status').at(-1)?.suspension?.id ?? '';
    expect(await session.decided(first, 'resume', { payload: { result: 1 } })).toBe('waiting');
    const lines = session.log.lines.length;
    expect(await session.decide(first, 'resume', { payload: { result: 2 } })).toMatchObject({
      kind: 'refused',
    });
    expect(session.log.lines).toHaveLength(lines);
    expect(tool.given).toEqual([1]);
  });

  it('is asked for approval first, when its effect needs one, and its own question is another', async () => {
    const own = asking(['How?']);
    await on.script(asks(['c1', 'choose', { path: 'x' }]), says('Chosen.'));
    const session = await on.open({ tools: { choose: { ...own, effect: 'write' } } });
    expect(await session.turn('Choose.')).toBe('waiting');
    expect(session.of('tool_call_status').at(-1)?.suspension?.reason).toBe('approval');
    expect(await session.decided('c1', 'resume')).toBe('waiting');
    expect(session.of('tool_call_status').at(-1)?.suspension?.reason).toBe('choice');
    expect(await session.decided('c1', 'resume', { payload: { result: 'so' } })).toBe('completed');
    expect(own.given).toEqual(['so']);
  });

  it('beside others that have ended: the run infers again and waits for it', async () => {
    const tool = asking(['Which?']);
    await on.script(asks(['c1', 'choose', {}], ['c2', 'read', {}]), says('Waiting.'), says('Chosen.'));
    const session = await on.open({ tools: { choose: tool, read: READ } });
    expect(await session.turn('Choose.')).toBe('waiting');
    expect(String(on.output(1, 'c1'))).toContain('placeholder');
    expect(await session.decided('c1', 'resume', { payload: { result: 5 } })).toBe('completed');
    expect(on.output(2, 'c1')).toBe('given [5]');
  });
});

/** Where the turn rests, and how often the tool ran, after this came before the question. */
async function early(result: unknown): Promise<readonly unknown[]> {
  const tool = slow('replay_tool_call');
  const session = await running(tool, 'Done.');
  await session.decide('c1', 'resume', { payload: { result } });
  tool.suspend();
  return [await session.rests(), tool.runs()];
}

describe('a decision that comes before its question', () => {
  it('is durable at once, waits for the suspension and is then carried out', async () => {
    const given: unknown[] = [];
    const tool = slow('pass_decision_to_tool', ({ decision }) => {
      given.push(decision?.result);
      return succeed('done');
    });
    const session = await running(tool, 'Done.');
    expect(await session.decide('c1', 'resume', { payload: { result: 'early' } })).toMatchObject({
      kind: 'accepted',
    });
    expect(session.of('tool_call_decision')).toMatchObject([{ call_id: 'c1', result: 'early' }]);
    expect(movesOf(session.log.events, 'c1')).toEqual(['running']);
    tool.suspend();
    expect(await session.rests()).toBe('completed');
    expect(given).toEqual(['early']);
    expect(wayOf(session.log.events, 'c1')).toBe('running suspended resuming running succeeded');
    expect(session.of('run_status').map(({ status }) => status)).toEqual(['running', 'done']);
    expect(on.requests).toHaveLength(2);
  });

  it('and has no answer to it leaves the question open', async () => {
    const tool = slow('use_decision_as_result');
    const session = await running(tool, 'Done.');
    expect(await session.decide('c1', 'resume')).toMatchObject({ kind: 'accepted' });
    tool.suspend();
    expect(await session.rests()).toBe('waiting');
    expect(movesOf(session.log.events, 'c1')).toEqual(['running', 'suspended', 'resuming', 'suspended']);
  });

  it('that denies waits for it as well, and then nothing more runs', async () => {
    const tool = slow('replay_tool_call');
    const session = await running(tool, 'Denied.');
    await session.decide('c1', 'cancel', { reason: 'never mind' });
    tool.suspend();
    expect(await session.rests()).toBe('completed');
    expect(movesOf(session.log.events, 'c1')).toEqual(['running', 'suspended', 'cancelled']);
    expect(session.of('tool_result')).toMatchObject([
      { ok: false, error: { details: { reason: 'never mind' } } },
    ]);
    expect(tool.runs()).toBe(1);
  });

  it('answers the question when the answer is its result', async () => {
    const tool = slow('use_decision_as_result');
    const session = await running(tool, 'Answered.');
    await session.decide('c1', 'resume', { payload: { result: 'forty-two' } });
    tool.suspend();
    expect(await session.rests()).toBe('completed');
    expect(on.output(1, 'c1')).toBe('forty-two');
    expect(tool.runs()).toBe(1);
  });

  it('that does not fit the question is no answer to it: the question is asked', async () => {
    const question = {
      reason: 'question',
      message: 'Which?',
      response_schema: { type: 'integer' },
      resume_mode: 'use_decision_as_result' as const,
    };
    const ready = Promise.withResolvers<void>();
    const tool: ToolStub = {
      effect: 'interact',
      run: async () => {
        await ready.promise;
        return { kind: 'suspended', suspension: question };
      },
    };
    const session = await running(tool, 'Seven.');
    await session.decide('c1', 'resume', { payload: { result: 'many' } });
    ready.resolve();
    expect(await session.rests()).toBe('waiting');
    expect(session.of('tool_result')).toEqual([]);
    expect(session.of('tool_call_status').at(-1)?.suspension).toMatchObject(question);
    expect(await session.decided('c1', 'resume', { payload: { result: 7 } })).toBe('completed');
    expect(on.output(1, 'c1')).toBe('7');
  });

  it.each([[null], [''], [{}]])('approves with %j: the action decides', async (result) => {
    expect(await early(result)).toEqual(['completed', 2]);
  });

  it.each([[false], [0], [[]], [{ approved: false }]])(
    'never approves with %j: the question is asked',
    async (result) => {
      expect(await early(result)).toEqual(['waiting', 1]);
    },
  );

  it('is of no use to a call that never asks', async () => {
    const end = Promise.withResolvers<void>();
    const tool: ToolStub = {
      effect: 'read',
      run: async () => {
        await end.promise;
        return succeed('read');
      },
    };
    const session = await running(tool, 'Read.');
    expect(await session.decide('c1', 'cancel')).toMatchObject({ kind: 'accepted' });
    end.resolve();
    expect(await session.rests()).toBe('completed');
    expect(on.output(1, 'c1')).toBe('read');
    expect(movesOf(session.log.events, 'c1')).toEqual(['running', 'succeeded']);
  });
});

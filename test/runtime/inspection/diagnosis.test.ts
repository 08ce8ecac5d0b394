import { describe, expect, it } from 'vitest';
import type { LogEvent } from '../../../src/runtime/events.ts';
import { DiagnosisFold } from '../../../src/runtime/inspection/diagnosis.ts';
import { ENDED } from '../../support/child-stories.ts';
import { SOUND } from '../../support/log-facts.ts';
import { made, numbered, oneOfEach, unknown } from '../../support/made-events.ts';
import { call, DONE, fails, HANG, responds, text } from '../../support/scripted-provider.ts';
import { askingBench, SessionBench } from '../../support/session-bench.ts';
import { check, concerns, diagnose } from './diagnosing.ts';

describe('the diagnosis of a sound log', () => {
  it('is ready, and says of every check why', async () => {
    const bench = new SessionBench({ scripts: [responds(call('c1', 'read')), DONE] });
    await bench.run('Go.');
    const diagnosis = diagnose(bench.events);
    expect([diagnosis.ok, diagnosis.status]).toEqual([true, 'ready']);
    expect(diagnosis.checks.map(({ id, status, message: said }) => [id, status, said])).toEqual([
      ['log_integrity', 'ok', 'Every line is whole, in order and understood.'],
      ['unknown_events', 'ok', 'No unknown event.'],
      ['tool_pairing', 'ok', 'Every call of a finished turn has its result.'],
      ['turn_completion', 'ok', '1 turn, with the evidence of how it ended.'],
      ['preserved_partials', 'ok', 'No partial answer.'],
      ['turn_failures', 'ok', 'No failed turn.'],
      ['interrupted_turns', 'ok', 'No interrupted turn.'],
      ['pending_decisions', 'ok', 'Nothing waits for a person.'],
      ['unknown_outcomes', 'ok', 'No call with effects is left open whose outcome nobody knows.'],
      ['subagent_timeouts', 'ok', 'No subagent timed out.'],
      ['open_children', 'ok', 'No subagent is left over.'],
      ['subagent_delivery', 'ok', 'Every end of a subagent was told to the model as it should be.'],
      ['terminal_evidence', 'ok', 'Every move of runs and calls is one the tables have.'],
      ['staleness', 'ok', 'Nothing is open that no live process could end.'],
      ['workflow_gaps', 'ok', 'Every step of a finished workflow has its checkpoint.'],
      ['provider_replay', 'ok', 'The next request is one that the API accepts.'],
      ['compaction', 'ok', 'Nothing was compacted.'],
      ['context_pressure', 'ok', 'The last request filled 10 % of the context window.'],
      ['continuation', 'ok', 'No request continued another. No continuation was reset.'],
      ['truncation', 'ok', 'No truncated answer.'],
      ['lease', 'ok', 'No process has the session open.'],
    ]);
  });

  it('is ready for an empty log too', () => {
    expect(diagnose([]).status).toBe('ready');
  });
});

describe('the diagnosis of what went wrong', () => {
  it('counts every turn that failed, was interrupted or left something unfinished', async () => {
    const bench = new SessionBench({
      scripts: [
        [fails('auth')],
        [text('Half'), fails('output_limit')],
        [text('Half of it'), HANG],
        [text('Half'), { kind: 'pause', ms: 700_000 }],
        DONE,
      ],
      settings: { stream_idle_ms: 1_000_000 },
    });
    await bench.run('One.');
    await bench.run('Two.');
    await bench.begin('Three.');
    await bench.stop();
    await bench.run('Four.');
    await bench.run('Five.');
    const diagnosis = diagnose(bench.events);
    expect([diagnosis.ok, diagnosis.status]).toEqual([true, 'ready_with_warnings']);
    expect(concerns(diagnosis)).toEqual({
      preserved_partials: '3 partial answers, kept as evidence; none is sent to the model.',
      turn_failures: '3 failed turns, recorded as such.',
      interrupted_turns: '1 interrupted turn, recorded as such.',
      truncation: '1 truncated answer, cut off at the output limit before the model was done.',
    });
    expect(check(diagnosis, 'turn_failures').details).toEqual([
      { turn_id: 'turn_1', state: 'failed', seq: 2, detail: 'auth' },
      expect.objectContaining({ turn_id: 'turn_2', state: 'partial_failed', detail: 'output_limit' }),
      expect.objectContaining({ turn_id: 'turn_4', state: 'timed_out', detail: 'stopped:timeout' }),
    ]);
    expect(check(diagnosis, 'interrupted_turns').details).toEqual([
      expect.objectContaining({ turn_id: 'turn_3', state: 'interrupted', detail: 'user_cancelled' }),
    ]);
  });

  it('names the line that is damaged, and is blocked', async () => {
    const bench = new SessionBench({ scripts: [DONE] });
    await bench.run('Go.');
    const damage = [{ line: 4, reason: 'not valid JSON' }];
    const diagnosis = diagnose(bench.events, { damage });
    expect([diagnosis.ok, diagnosis.status]).toEqual([false, 'blocked']);
    expect(check(diagnosis, 'log_integrity')).toEqual({
      id: 'log_integrity',
      status: 'blocked',
      message: 'Line 4 is damaged: not valid JSON. The session opens read-only; nothing was changed.',
      details: { damage },
      next_actions: [
        { label: 'Open log', command: 'ledgerline.openLog', args: [{ session_id: 's1', line: 4 }] },
        { label: 'Export', command: 'ledgerline.exportSession', args: ['s1'] },
        { label: 'Fork from the last good event', command: 'ledgerline.fork', args: ['s1'] },
      ],
    });
  });

  it('warns of a torn tail, of a dead lease and of events it does not know', () => {
    const events = [unknown(0, 'telepathy', {}), unknown(1, 'hologram', {})];
    expect(concerns(diagnose(events, { torn_bytes: 12, lease: 'dead' }))).toEqual({
      log_integrity: 'The last write was cut off: 12 bytes will be set aside when the session opens.',
      unknown_events: '2 unknown events, written by a later version: kept as they are and not sent.',
      lease: 'A process that is gone left its lease. It is taken over when the session opens.',
    });
  });

  it('tells a turn that runs in a live process from one that nobody finishes', async () => {
    const bench = new SessionBench({ scripts: [[HANG]] });
    await bench.begin('Go.');
    expect(check(diagnose(bench.events, { lease: 'held' }), 'turn_completion')).toMatchObject({
      status: 'ok',
      message: 'The last turn is running in a live process.',
    });
    expect(check(diagnose(bench.events), 'turn_completion')).toMatchObject({
      status: 'warning',
      message: '1 turn without evidence of an end. Opening the session closes the last one honestly.',
    });
  });

  it('names the calls that wait for a person', async () => {
    const bench = askingBench();
    await bench.run('Go.');
    const diagnosis = diagnose(bench.events);
    expect(concerns(diagnosis)).toEqual({ pending_decisions: '1 call waiting for a person.' });
    expect(check(diagnosis, 'pending_decisions').details).toEqual([
      {
        call_id: 'c1',
        name: 'asks',
        suspension: {
          id: 'suspension_1',
          reason: 'question',
          message: 'Which?',
          resume_mode: 'use_decision_as_result',
        },
      },
    ]);
  });

  it('names the calls of which nobody knows how they ended', async () => {
    const bench = new SessionBench({ scripts: [responds(call('c1', 'run')), DONE] });
    await bench.run('Go.');
    const again = await bench.diedAfter('"to":"running"');
    expect(concerns(diagnose(again.events))).toEqual({
      pending_decisions: '1 call waiting for a person.',
      unknown_outcomes: '1 call of which nobody knows whether it took effect.',
    });
  });

  it('finds calls without results in finished turns, and moves that the tables do not have', () => {
    const { user_message, tool_call, turn_failed, run_status, tool_call_status } = oneOfEach();
    const done = made('run_status', 0, { ...run_status.data, status: 'done' });
    const illegal = made('tool_call_status', 0, {
      ...tool_call_status.data,
      from: 'succeeded',
      to: 'running',
    });
    const log = numbered([user_message, tool_call, illegal, turn_failed, done, done]);
    const diagnosis = diagnose(log);
    expect(concerns(diagnosis)).toEqual({
      tool_pairing: '1 call without a result in a finished turn.',
      turn_failures: '1 failed turn, recorded as such.',
      terminal_evidence: '2 moves in the log that the state tables do not have.',
    });
    expect(check(diagnosis, 'terminal_evidence').details).toEqual([
      { turn_id: 't1', what: 'call c1: new -> running', seq: 0 },
      { turn_id: 't1', what: 'run: done -> done', seq: 0 },
    ]);
  });

  it('says when the next request would have to be repaired', () => {
    const input = [{ type: 'function_call_output', call_id: 'c1', output: '' }] as const;
    expect(check(diagnose([], { input }), 'provider_replay')).toMatchObject({
      status: 'warning',
      details: [{ kind: 'output_without_call', index: 0, call_id: 'c1' }],
    });
  });
});

describe('the diagnosis of requests', () => {
  const { provider_usage } = oneOfEach();
  const usage = (continuation: object): LogEvent =>
    made('provider_usage', 0, { ...provider_usage.data, continuation } as typeof provider_usage.data);

  it('explains continuations, and warns of those that nobody explains', () => {
    const used = usage({ attempted: true, used: true, reset_reason: null });
    const reset = usage({ attempted: true, used: false, reset_reason: 'input_changed' });
    expect(check(diagnose(numbered([used, reset, reset])), 'continuation')).toMatchObject({
      status: 'ok',
      message: '1 request continued another. Continuations were reset: input_changed (2).',
    });
    const silent = usage({ attempted: true, used: false, reset_reason: null });
    expect(check(diagnose(numbered([used, silent])), 'continuation')).toMatchObject({
      status: 'warning',
      message: '1 continuation not used, without a reason on record.',
      details: [{ seq: 1 }],
    });
  });

  it('is the same however often it is asked for', async () => {
    const fold = new DiagnosisFold('s1');
    for (const event of (await ENDED.cancelled()).events) fold.push(event);
    expect(fold.finish(SOUND)).toEqual(fold.finish(SOUND));
  });
});

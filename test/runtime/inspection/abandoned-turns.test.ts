import { describe, expect, it } from 'vitest';
import type { LogEvent } from '../../../src/runtime/events.ts';
import type { LogFacts } from '../../../src/runtime/inspection/diagnosis.ts';
import { made, numbered, oneOfEach } from '../../support/made-events.ts';
import { call, DONE, HANG, responds } from '../../support/scripted-provider.ts';
import { askingBench, SessionBench } from '../../support/session-bench.ts';
import { check, concerns, diagnose } from './diagnosing.ts';

const OPEN = { label: 'Open the session', command: 'ledgerline.openSession', args: ['s1'] };
const FORK = { label: 'Fork from the last good event', command: 'ledgerline.fork', args: ['s1'] };
const DAMAGE = { damage: [{ line: 1, reason: 'not valid JSON' }] };

/** A turn whose only call was under way when its process ended. */
async function cutOff(tool: 'read' | 'run'): Promise<readonly LogEvent[]> {
  const bench = new SessionBench({ scripts: [responds(call('c1', tool)), DONE] });
  await bench.run('Go.');
  const running = bench.events.findIndex(
    (event) => event.type === 'tool_call_status' && event.data.to === 'running',
  );
  return bench.events.slice(0, running + 1);
}

describe('a call with effects that was running when its process ended', () => {
  it('is one of which nobody knows how it ended, and what is open is named', async () => {
    const diagnosis = diagnose(await cutOff('run'), { lease: 'dead' });
    expect(concerns(diagnosis)).toEqual({
      turn_completion: '1 turn without evidence of an end. Opening the session closes the last one honestly.',
      unknown_outcomes: '1 call of which nobody knows whether it took effect.',
      staleness: 'No live process could end turn turn_1, call c1 of run.',
      lease: 'A process that is gone left its lease. It is taken over when the session opens.',
    });
    expect(check(diagnosis, 'unknown_outcomes')).toMatchObject({
      details: [{ turn_id: 'turn_1', call_id: 'c1', name: 'run', state: 'running', seq: 2 }],
      next_actions: [OPEN],
    });
    expect(check(diagnosis, 'staleness')).toMatchObject({
      details: [
        { what: 'turn turn_1', status: 'running', seq: 2 },
        { what: 'call c1 of run', status: 'running', seq: 2 },
      ],
      next_actions: [OPEN],
    });
  });

  it('is no end for a turn that waits while a later one is over', async () => {
    const first = askingBench();
    await first.run('Go.');
    const prompt = { turn_id: 'turn_b', client_turn_id: 'b', text: 'And?', attachments: [] };
    const events = [...first.events, made('user_message', first.events.length, prompt)];
    const found = diagnose(events, { lease: 'free' });
    expect(check(found, 'turn_completion').status).toBe('warning');
    expect(check(found, 'turn_completion').message).toMatch(/^2 turns without evidence of an end\./);
  });

  it('is no concern while a live process runs it', async () => {
    const diagnosis = diagnose(await cutOff('run'), { lease: 'held' });
    expect(concerns(diagnosis)).toEqual({});
    expect(check(diagnosis, 'unknown_outcomes').message).toBe(
      'A live process is running a call with effects.',
    );
  });

  it('is waited for by a person once the session was opened', async () => {
    const lines = (await cutOff('run')).length;
    const whole = new SessionBench({ scripts: [responds(call('c1', 'run')), DONE] });
    await whole.run('Go.');
    const again = new SessionBench({ scripts: [], lines: whole.log.lines.slice(0, lines) });
    await again.clock.until(again.session.recover(null, again.tools));
    const decide = {
      label: 'Decide in chat',
      command: 'ledgerline.revealInChat',
      args: [{ what: 'decision', turn_id: 'turn_1' }],
    };
    const actions = (lease: LogFacts['lease']): unknown =>
      check(diagnose(again.events, { lease }), 'unknown_outcomes').next_actions;
    expect([actions('held'), actions('free')]).toEqual([[decide], [OPEN, decide]]);
    expect(check(diagnose(again.events), 'turn_completion').message).toBe(
      'The last turn waits for a person.',
    );
    expect(check(diagnose(again.events), 'staleness').status).toBe('ok');
  });

  it('is found in a turn that is over, too, whoever has the log now', async () => {
    const { turn_failed } = oneOfEach();
    const failed = made('turn_failed', 0, { ...turn_failed.data, turn_id: 'turn_1' });
    const log = numbered([...(await cutOff('run')), failed]);
    expect(check(diagnose(log, { lease: 'held' }), 'unknown_outcomes')).toMatchObject({
      status: 'warning',
      details: [{ call_id: 'c1', name: 'run' }],
    });
  });
});

describe('a turn that nobody finishes', () => {
  it('leaves no unknown outcome where its calls only read', async () => {
    const diagnosis = diagnose(await cutOff('read'));
    expect(check(diagnosis, 'unknown_outcomes').status).toBe('ok');
    expect(check(diagnosis, 'staleness').message).toBe(
      'No live process could end turn turn_1, call c1 of read.',
    );
  });

  it('is open without a call as well', async () => {
    const bench = new SessionBench({ scripts: [[HANG]] });
    await bench.begin('Go.');
    expect(check(diagnose(bench.events), 'staleness').message).toBe('No live process could end turn turn_1.');
    expect(check(diagnose(bench.events, { lease: 'held' }), 'staleness').status).toBe('ok');
  });

  it('is not closed by opening where it is not the last one', async () => {
    const { user_message } = oneOfEach();
    const next = made('user_message', 0, { ...user_message.data, turn_id: 'turn_2', client_turn_id: 'k2' });
    const log = numbered([...(await cutOff('read')), next]);
    expect(concerns(diagnose(log, { lease: 'held' }))).toEqual({
      tool_pairing: '1 call without a result in a finished turn.',
      turn_completion: '1 turn without evidence of an end.',
      staleness: 'No live process could end turn turn_1.',
    });
  });
});

describe('the diagnosis of a damaged log', () => {
  it('promises nothing of opening it, and no request', async () => {
    const diagnosis = diagnose(await cutOff('run'), DAMAGE);
    const unread = 'Damaged lines are left out.';
    expect(concerns(diagnosis)).toEqual({
      log_integrity: 'Line 1 is damaged: not valid JSON. The session opens read-only; nothing was changed.',
      turn_completion: `1 turn without evidence of an end. ${unread}`,
      unknown_outcomes: `1 call of which nobody knows whether it took effect. ${unread}`,
      staleness: `No live process could end turn turn_1, call c1 of run. ${unread}`,
      provider_replay: 'No request is made of a damaged log: the session opens read-only.',
    });
    for (const id of ['turn_completion', 'unknown_outcomes', 'staleness', 'provider_replay'])
      expect([id, check(diagnosis, id).next_actions]).toEqual([id, [FORK]]);
  });

  it('says of what is sound that it speaks of the lines that can be read', async () => {
    expect(check(diagnose(await cutOff('read'), DAMAGE), 'tool_pairing')).toMatchObject({
      status: 'ok',
      message: 'Every call of a finished turn has its result. Damaged lines are left out.',
    });
  });
});

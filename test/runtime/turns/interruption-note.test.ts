import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { interruptionNote, NOTE_LIMIT } from '../../../src/runtime/interruption-note.ts';
import { interruptionText } from '../../../src/runtime/replay/labels.ts';
import { beginTurn, type Turn } from '../../../src/runtime/turn.ts';
import type { EventData } from '../../../src/runtime/events.ts';
import { oneOfEach } from '../../support/made-events.ts';
import { DONE, fails, HANG, text } from '../../support/scripted-provider.ts';
import { SessionBench } from '../../support/session-bench.ts';
import { searchRuns } from '../../support/search-runs.ts';

/** Generated logs take as long as they take, also on a busy machine. */
const GENERATED = { timeout: searchRuns(60_000) };

function interrupted(text: string | null, completed_calls: readonly string[] = []): Turn {
  const failure = {
    ...oneOfEach().turn_failed.data,
    terminal_status: 'interrupted',
    interrupted_reason: 'user_cancelled',
  } as const;
  const partial = text === null ? null : { stream_run_id: 'run_1', text };
  return { ...beginTurn(oneOfEach().user_message), failure, partial, completed_calls };
}

function noteOf(turn: Turn | null): EventData['interruption_note'] | null {
  const note = interruptionNote(turn, { turn_id: 't2', client_turn_id: 'k2' });
  return note === null ? null : (note.data as EventData['interruption_note']);
}

describe('the note of an interrupted turn', GENERATED, () => {
  it('is at most 1,200 characters as it is sent, whatever the text and the calls', () => {
    const name = fc.string({ minLength: 1, maxLength: 64 });
    const property = fc.property(
      fc.string({ maxLength: 3_000, unit: 'binary' }),
      fc.array(name, { maxLength: 12 }),
      (words, calls) => {
        const note = noteOf(interrupted(words, calls));
        const sent = note === null ? '' : interruptionText(note);
        expect(sent.length).toBeLessThanOrEqual(NOTE_LIMIT);
        expect(sent).toContain('[Ledgerline note: the previous answer is unfinished]');
      },
    );
    fc.assert(property, { numRuns: searchRuns(500), seed: 20260105 });
    expect(NOTE_LIMIT).toBe(1200);
  });

  it('holds the end of a long text, and never half a character', () => {
    const note = noteOf(interrupted('😀'.repeat(2_000)));
    expect(note?.excerpt).toMatch(/^…(😀)+$/u);
    expect(interruptionText(note!).length).toBeGreaterThan(NOTE_LIMIT - 30);
  });

  it('holds a short text whole, and says so when there was none', () => {
    expect(noteOf(interrupted('Half'))?.excerpt).toBe('Half');
    expect(interruptionText(noteOf(interrupted(null))!)).toContain('(no text had arrived)');
  });

  it('is not there for a turn that is completed, failed or timed out, or for none', () => {
    const completed = beginTurn(oneOfEach().user_message);
    const { data } = oneOfEach().turn_failed;
    const others = (['failed', 'partial_failed', 'timed_out'] as const).map((terminal_status) => ({
      ...completed,
      partial: { stream_run_id: 'run_1', text: 'Half' },
      failure: { ...data, terminal_status, interrupted_reason: 'disconnect' as const },
    }));
    expect([null, completed, ...others].map(noteOf)).toEqual([null, null, null, null, null]);
  });

  it('is recorded once, by the first turn after it, before its prompt', async () => {
    const bench = new SessionBench({ scripts: [[text('Half'), HANG], DONE, DONE] });
    await bench.begin('First.');
    await bench.stop();
    await bench.run('Second.');
    await bench.run('Third.');
    expect(bench.only('interruption_note')).toEqual({
      turn_id: 'turn_2',
      client_turn_id: 'client_2',
      of_turn_id: 'turn_1',
      reason: 'user_cancelled',
      excerpt: 'Half',
      completed_calls: [],
    });
    const types = bench.events.map(({ type }) => type);
    const second = types.indexOf('user_message', types.indexOf('user_message') + 1);
    expect(types.indexOf('interruption_note')).toBe(second - 1);
  });

  it('is not repeated when the turn after it failed', async () => {
    const bench = new SessionBench({ scripts: [[text('Half'), HANG], [fails('auth')], DONE] });
    await bench.begin('First.');
    await bench.stop();
    await bench.run('Second.');
    await bench.run('Third.');
    expect(bench.of('interruption_note')).toHaveLength(1);
  });

  it('is written after a reload too', async () => {
    const first = new SessionBench({ scripts: [[text('Half'), HANG]] });
    await first.begin('First.');
    await first.clock.until(first.session.disconnect());
    const again = new SessionBench({ scripts: [DONE], lines: first.log.lines });
    await again.run('Second.', 'k2');
    expect(again.only('interruption_note')).toMatchObject({ reason: 'disconnect', excerpt: 'Half' });
  });
});

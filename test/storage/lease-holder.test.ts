import { describe, expect, it } from 'vitest';
import { judgeLease, STALE_MS, type LeaseRecord } from '../../src/storage/lease-holder.ts';

describe('the judgement of a lease', () => {
  const record: LeaseRecord = {
    token: 't',
    pid: 7,
    host: 'here',
    started_at: '2026-01-01T00:00:00.000Z',
    heartbeat_at: '2026-01-01T00:00:00.000Z',
  };
  const now = Date.parse(record.heartbeat_at) + 5000;
  const facts = { now, modified_ms: now, silent_ms: 0, host: 'here', isAlive: () => true };
  const late = now + STALE_MS + 1;

  it('asks about a process only on its own machine', () => {
    const gone = { ...facts, isAlive: () => false };
    expect(judgeLease(record, gone)).toEqual({ kind: 'dead' });
    expect(judgeLease(record, { ...gone, host: 'elsewhere' })).toEqual({
      kind: 'live',
      record,
      overdue: false,
    });
  });

  it('of a process that lives goes by what was seen, and notes what the clock says', () => {
    expect(judgeLease(record, facts)).toEqual({ kind: 'live', record, overdue: false });
    for (const when of [late, now - 60_000])
      expect(judgeLease(record, { ...facts, now: when })).toEqual({ kind: 'live', record, overdue: true });
    expect(judgeLease(record, { ...facts, now: late, silent_ms: STALE_MS })).toMatchObject({ kind: 'live' });
    expect(judgeLease(record, { ...facts, silent_ms: STALE_MS + 1 })).toEqual({ kind: 'dead' });
  });

  it('of another machine goes by the heartbeat, and by the age of what cannot be read', () => {
    const elsewhere = { ...facts, host: 'elsewhere' };
    expect(judgeLease(record, { ...elsewhere, now: late })).toEqual({ kind: 'dead' });
    expect(judgeLease({ ...record, heartbeat_at: 'never' }, elsewhere)).toEqual({ kind: 'dead' });
    expect(judgeLease(null, facts)).toEqual({ kind: 'live', record: null, overdue: false });
    expect(judgeLease(null, { ...facts, now: late })).toEqual({ kind: 'dead' });
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import type { LogEvent } from '../../src/runtime/events.ts';
import { forkLog } from '../../src/storage/fork-log.ts';
import { call, message, responds, ScriptedProvider } from '../support/scripted-provider.ts';
import { openSession, runPorts, type Ready, type Turn } from './recorded-session.ts';
import { freshFolder, lookAt, storeIn } from './storage-place.ts';

let root = '';

beforeEach(() => {
  root = freshFolder();
});

function work(n: number): Turn {
  const reads = responds(message(`Looking ${n}.`), call(`c${n}`, 'read', { path: `file-${n}.ts` }));
  return { say: `Ask ${n} ${'words '.repeat(60)}`, scripts: [reads, responds(message(`Answer ${n}.`))] };
}

const LAST: Turn = { say: 'And now?', scripts: [responds(message('Now this.'))] };

async function compact({ session }: Ready): Promise<void> {
  const provider = new ScriptedProvider(storeIn(root).ports.clock, []);
  const outcome = await session.compact({ dry_run: false }, async () => runPorts(provider));
  expect(outcome.kind).toBe('compacted');
}

async function eventsOf(id: string): Promise<readonly LogEvent[]> {
  return (await lookAt(storeIn(root), id)).events;
}

describe('a fork of a compacted session', () => {
  it('goes on as its parent does: the same request, byte for byte', async () => {
    const parent = await openSession(storeIn(root));
    for (let n = 0; n < 8; n += 1) await parent.play(work(n));
    await compact(parent);
    await parent.play(work(8));
    const at = parent.session.state.last_seq;
    await parent.play(LAST);
    const asked = parent.requests.at(-1)?.input;
    await parent.close();
    const fork = await forkLog(storeIn(root), 's1', at);
    const child = await openSession(storeIn(root), fork?.session_id);
    await child.play(LAST);
    expect(JSON.stringify(child.requests[0]?.input)).toBe(JSON.stringify(asked));
    await child.close();
    // And once more, from what it has found out about itself.
    const again = await openSession(storeIn(root), fork?.session_id);
    await again.play({ ...LAST, say: 'Once more.' });
    const input = again.requests[0]?.input ?? [];
    expect(JSON.stringify(input.slice(0, asked?.length))).toBe(JSON.stringify(asked));
    await again.close();
  });

  it('before its checkpoint has all that the checkpoint stands for', async () => {
    const parent = await openSession(storeIn(root));
    for (let n = 0; n < 8; n += 1) await parent.play(work(n));
    const at = parent.session.state.last_seq;
    await compact(parent);
    await parent.close();
    const fork = await forkLog(storeIn(root), 's1', at);
    const events = await eventsOf(fork?.session_id ?? '');
    expect(events.some(({ type }) => type === 'history_compaction')).toBe(false);
    expect(events.filter(({ type }) => type === 'user_message')).toHaveLength(8);
  });

  it('can be compacted itself, and its checkpoint names events of its own log', async () => {
    const parent = await openSession(storeIn(root));
    for (let n = 0; n < 8; n += 1) await parent.play(work(n));
    await compact(parent);
    await parent.close();
    const fork = await forkLog(storeIn(root), 's1', null);
    const child = await openSession(storeIn(root), fork?.session_id);
    for (let n = 8; n < 16; n += 1) await child.play(work(n));
    await compact(child);
    await child.close();
    const events = await eventsOf(fork?.session_id ?? '');
    const checkpoints = events.filter((event) => event.type === 'history_compaction');
    expect(checkpoints).toHaveLength(2);
    for (const { seq, data } of checkpoints) {
      expect(events[data.tail_from_seq]?.type).toBe('user_message');
      expect(data.range.to_seq).toBe(data.tail_from_seq - 1);
      expect(data.tail_from_seq).toBeLessThan(seq);
      const { last } = data.tool_calls as { last: readonly { seq: number }[] };
      expect(new Set(last.map((one) => events[one.seq]?.type))).toEqual(new Set(['tool_result']));
    }
  });
});

describe('a fork right after an answer', () => {
  it('knows how full the window was when that was asked for, though the log says so later', async () => {
    const parent = await openSession(storeIn(root));
    await parent.play(work(0));
    const { gauge } = parent.session.state.pressure;
    expect(gauge).not.toBeNull();
    await parent.play(LAST);
    await parent.close();
    const events = await eventsOf('s1');
    const answer = events.find(
      (event) => event.type === 'assistant_message' && event.data.text === 'Answer 0.',
    );
    const fork = await forkLog(storeIn(root), 's1', answer?.seq ?? null);
    expect(fork?.forked_to_seq).toBe(answer?.seq);
    const child = await openSession(storeIn(root), fork?.session_id);
    expect(child.session.state.pressure.gauge).toEqual(gauge);
    await child.close();
  });
});

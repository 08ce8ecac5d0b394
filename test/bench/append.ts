import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { draft, type Draft } from '../../src/runtime/events.ts';
import { storeIn, withPlace } from './place.ts';
import { median, row, type Row } from './table.ts';

const BATCHES = 60;
const PER_BATCH = 25;

/** Durable appends one after the other, against the least that durability costs: write and fdatasync. */
export async function appendCost(): Promise<readonly Row[]> {
  return withPlace(async (folder) => {
    const stored = await storeIn(folder).open('s1', { take_over: false });
    const { writer } = await stored.load({ event: () => undefined });
    if (writer === null) throw new Error('not writable');
    const bare = await open(join(folder, 'bare.jsonl'), 'a');
    const ours: number[] = [];
    const baseline: number[] = [];
    for (let batch = 0; batch < BATCHES; batch += 1) {
      const events: unknown[] = [];
      const began = performance.now();
      for (let i = 0; i < PER_BATCH; i += 1) {
        const [event] = await writer.append([entry(batch * PER_BATCH + i)]);
        events.push(event);
      }
      ours.push((performance.now() - began) / PER_BATCH);
      const lines = events.map((event) => Buffer.from(`${JSON.stringify(event)}\n`));
      const bareBegan = performance.now();
      for (const line of lines) {
        await bare.write(line);
        await bare.datasync();
      }
      baseline.push((performance.now() - bareBegan) / PER_BATCH);
    }
    const grouped = await groupCommit(writer);
    await bare.close();
    await stored.close();
    const [typical, alone] = [median(ours), median(baseline)];
    return [
      row('durable append', {
        ours: typical,
        baseline: alone,
        unit: 'ms',
        goal: 1.3,
        note: 'one event at a time',
      }),
      row('durable append, 32 at once', {
        ours: grouped,
        baseline: alone,
        unit: 'ms',
        note: 'an event, group-committed',
      }),
    ];
  });
}

async function groupCommit(writer: { append(drafts: readonly Draft[]): Promise<unknown> }): Promise<number> {
  const times: number[] = [];
  for (let batch = 0; batch < 20; batch += 1) {
    const began = performance.now();
    await Promise.all(Array.from({ length: 32 }, (_, i) => writer.append([entry(i)])));
    times.push((performance.now() - began) / 32);
  }
  return median(times);
}

function entry(n: number): Draft {
  return draft('tool_result', {
    turn_id: 'turn_bench',
    call_id: `call_${n}`,
    ok: true,
    output: 'export const answer = 42;\n'.repeat(20),
    duration_ms: n,
  });
}

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { bill, billWith, type Habit, HABITS } from '../support/long-session/layouts.ts';
import { playLongSession, type Played } from '../support/long-session/play.ts';
import { TURNS } from '../support/long-session/script.ts';
import { withPlace } from './place.ts';
import { row, type Row } from './table.ts';

/** Of all input, what may be paid in full. */
const MOST_PAID_PERCENT = 5;

const WORDS: Readonly<Record<Habit, string>> = {
  context_first: 'folder, branch and mode first',
  time_first: 'turn and time first',
  tools_as_they_come: 'tools in any order',
  key_of_session: 'a key for each session',
  key_without_mode: 'our key without the mode',
};

/** What a long session costs in input that no cache has, against the same session with a naive layout, and its bytes. */
export async function cacheEconomy(): Promise<readonly Row[]> {
  const sse = await play('sse');
  const websocket = await play('websocket');
  const { readings } = sse;
  const ours = bill(readings.map(({ found }) => found));
  const naive = billWith(new Set(HABITS), readings);
  const paid = (name: string, habits: readonly Habit[]): Row => {
    const baseline = billWith(new Set(habits), readings);
    return row(name, {
      ours: ours.paid,
      baseline: baseline.paid,
      unit: 'tokens',
      note: `baseline: ${(baseline.paid / ours.paid).toFixed(2)} times ours, cached share ${percent(baseline.share).toFixed(1)} %`,
    });
  };
  const continued = websocket.usages.filter(({ continuation }) => continuation.used).length;
  return [
    row('input that is paid in full', {
      ours: percent(1 - ours.share),
      baseline: MOST_PAID_PERCENT,
      unit: '%',
      goal: 1,
      note: `${TURNS} turns, ${sse.asked.length} requests, ${ours.input} tokens`,
    }),
    row('cached share, naive layout', {
      ours: percent(ours.share),
      baseline: percent(naive.share),
      unit: '%',
      note: 'the more the better',
    }),
    paid('input paid, naive layout', HABITS),
    ...[...HABITS, 'key_without_mode' as const].map((habit) =>
      paid(`input paid, only ${WORDS[habit]}`, [habit]),
    ),
    row('bytes sent over a socket', {
      ours: bytesOf(websocket),
      baseline: bytesOf(sse),
      unit: 'bytes',
      note: 'against SSE; bodies and frames, without headers',
    }),
    row('requests over a socket', {
      ours: websocket.asked.length,
      baseline: sse.asked.length,
      unit: 'requests',
      note: `against SSE; ${continued} continued the last, over ${websocket.sockets} sockets`,
    }),
  ];
}

function play(transport: 'sse' | 'websocket'): Promise<Played> {
  return withPlace(async (folder) => {
    const workspace = join(folder, 'workspace');
    await mkdir(workspace);
    return playLongSession({ workspace, storage: join(folder, 'storage'), home: folder }, transport);
  });
}

function percent(share: number): number {
  return share * 100;
}

function bytesOf({ asked }: Played): number {
  return asked.reduce((sum, { request }) => sum + Buffer.byteLength(request.raw), 0);
}

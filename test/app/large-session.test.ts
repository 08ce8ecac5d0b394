import { mkdir, open, stat } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { OpenedSession } from '../../src/app/open-session.ts';
import { snapshotMessage } from '../../src/presenter/snapshot.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { BOX } from '../storage/recorded-session.ts';
import { freshFolder, logPath, storeIn } from '../storage/storage-place.ts';
import { NOBODY_WATCHES } from '../support/session-watch.ts';
import { WatchedDisk } from '../storage/watched-disk.ts';

const MB = 1_000_000;
const SIZE = 100 * MB;
const TURN_EVENTS = 2;
const root = freshFolder();
let turns = 0;

function lines(turn: number): string {
  const base = { v: 1, session_id: 'big', ts: '2026-01-01T00:00:00.000Z' };
  const of = { turn_id: `t${turn}`, client_turn_id: `c${turn}` };
  const seq = turn * TURN_EVENTS;
  const prompt = { ...of, text: `Prompt ${turn}`, attachments: [] };
  const answer = { ...of, stream_run_id: `r${turn}`, text: 'x'.repeat(2000), metadata: { partial: false } };
  return [
    { ...base, id: `e${seq}`, seq, type: 'user_message', data: prompt },
    { ...base, id: `e${seq + 1}`, seq: seq + 1, type: 'assistant_message', data: answer },
  ]
    .map((event) => `${JSON.stringify(event)}\n`)
    .join('');
}

/** What a view needs of the session, and how many bytes of it were read. */
async function opened(
  tell: (bytes: number) => void = () => undefined,
): Promise<{ session: OpenedSession; read: () => number }> {
  let bytes = 0;
  const disk = new WatchedDisk(new NodeDisk(), (call) => {
    if (call.kind === 'read' && call.path.endsWith('.jsonl')) bytes += call.bytes;
    tell(bytes);
    return undefined;
  });
  const session = await OpenedSession.open(storeIn(root, { disk }), 'big', NOBODY_WATCHES, {
    take_over: false,
  });
  return { session, read: () => bytes };
}

beforeAll(async () => {
  await mkdir(`${root}/sessions`, { recursive: true });
  const file = await open(logPath(root, 'big'), 'w');
  for (let size = 0; size < SIZE;) {
    let chunk = '';
    while (chunk.length < MB) chunk += lines(turns++);
    await file.appendFile(chunk);
    size += chunk.length;
  }
  await file.close();
});

describe('a session of 100 MB', () => {
  it('has its last screen after less than 2 MB was read', async () => {
    expect((await stat(logPath(root, 'big'))).size).toBeGreaterThanOrEqual(SIZE);
    const { session, read } = await opened();
    const { id: session_id, title, access, window } = session;
    const settings = { provider: 'offline', model: 'offline', mode: 'ask' };
    const shown = snapshotMessage({ session_id, title, access, ...window, stream: null, settings });
    expect(shown).toMatchObject({ title: 'Prompt 0', has_more: true, last_seq: turns * TURN_EVENTS - 1 });
    expect(read()).toBeLessThan(2 * MB);
    await session.close();
  });

  it('is left at once, however little of it has been read', async () => {
    const left = new AbortController();
    const { session, read } = await opened((bytes) => {
      if (bytes > 5 * MB) left.abort();
    });
    await session.load(async () => BOX, left.signal);
    expect(session.access).toEqual({ kind: 'loading' });
    await session.close();
    expect(read()).toBeLessThan(7 * MB);
  });

  it('goes to any place in it with one screen, however far that is', async () => {
    const { session, read } = await opened();
    const before = read();
    for (const at of [500, Math.floor(turns / 2) * TURN_EVENTS, turns * TURN_EVENTS - 300]) {
      const { events, has_more } = await session.before(at);
      expect([events.at(-1)?.seq, has_more]).toEqual([at - 1, true]);
      const chars = JSON.stringify(events.map(({ data }) => data)).length;
      expect(chars).toBeGreaterThan(30_000);
      expect(chars).toBeLessThan(50_000);
    }
    const start = await session.before(20);
    expect([start.events[0]?.seq, start.has_more]).toEqual([0, false]);
    expect(read() - before).toBeLessThan(8 * MB);
    await session.close();
  });
});

import { readFile } from 'node:fs/promises';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { SessionStore } from '../../src/storage/session-store.ts';
import { WatchedDisk } from '../storage/watched-disk.ts';
import { storeIn, storePorts, withPlace } from './place.ts';
import { benchSession } from './rounds.ts';
import { row, type Row } from './table.ts';

const ITEMS = 10_000;

/** All that is written to the disk for one short reply late in a long session, against the lines of its events. */
export async function replyBytes(): Promise<readonly Row[]> {
  return withPlace(async (folder) => {
    const before = await benchSession(storeIn(folder), 'long');
    while (before.events() < ITEMS) await before.turn(40);
    await before.close();
    const log = `${folder}/sessions/long.jsonl`;
    const history = (await readFile(log)).length;
    let written = 0;
    const disk = new WatchedDisk(new NodeDisk(), ({ kind, bytes }) => {
      if (kind === 'append' || kind === 'overwrite') written += bytes;
      return undefined;
    });
    const session = await benchSession(new SessionStore({ ...storePorts(), disk }, folder), 'long');
    written = 0;
    await session.turn(0);
    const reply = written;
    await session.close();
    const events = (await readFile(log)).length - history;
    const closing = written - reply;
    return [
      row('disk bytes for one short reply', {
        ours: reply,
        baseline: events,
        unit: 'bytes',
        goal: 2,
        note: `after ${ITEMS} events; against the lines of its own; closing writes ${closing} more`,
      }),
    ];
  });
}

import { cp, writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { RequestValidator } from '../../src/runtime/replay/validator.ts';
import type { Session } from '../../src/runtime/session.ts';
import { isTerminal, turnState } from '../../src/runtime/turn.ts';
import { createFile, readWhole, type Disk } from '../../src/storage/disk.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { searchCases, searchRuns } from '../support/search-runs.ts';
import { message, responds } from '../support/scripted-provider.ts';
import { SETTINGS } from '../support/session-bench.ts';
import { PowerCutDisk } from './power-cut-disk.ts';
import { openSession, record, type Turn } from './recorded-session.ts';
import { freshFolder, logPath, lookAt, readLog, storeIn } from './storage-place.ts';

const TARGET = { model: SETTINGS.model, endpoint: 'https://models.test/v1' };
const NEWLINE = 10;

/** Crashes are tried side by side, in folders of their own: most of the time goes by on the disk. */
const LANES = 4;

/** What is promised of a log that a crash cut off, at any byte. */
export function promisesOfCutLog(name: string, turns: readonly Turn[]): void {
  describe(`a log of ${name}, cut anywhere`, () => {
    let source = '';
    let whole: Buffer = Buffer.alloc(0);

    beforeAll(async () => {
      source = freshFolder();
      await record(storeIn(source), turns);
      whole = await readLog(source);
    });

    /** A storage folder with the first bytes of the log, as a crash would leave it. */
    async function cutAt(bytes: number): Promise<string> {
      const root = freshFolder();
      await cp(source, root, { recursive: true });
      await writeFile(logPath(root), whole.subarray(0, bytes));
      return root;
    }

    it(
      'opens wherever it was cut, keeps every whole line and sets the rest aside',
      { timeout: searchRuns(60_000) },
      async () => {
        const disk = new PowerCutDisk();
        await record(storeIn('/storage', { disk }), turns);
        const log = await bytesOf(disk, logPath('/storage'));
        const everyByte = Array.from({ length: log.length + 1 }, (_, bytes) => bytes);
        for (const bytes of searchCases(everyByte, edges(log)))
          await openAt(disk, '/storage', log.subarray(0, bytes));
      },
    );

    it('does so on a real disk at the end and the middle of every line', { timeout: 60_000 }, async () => {
      const root = await cutAt(0);
      for (const bytes of cuts(whole)) await openAt(new NodeDisk(), root, whole.subarray(0, bytes));
    });

    it('goes on from the end and the middle of every line', { timeout: 60_000 }, async () => {
      for (const bytes of cuts(whole)) {
        const root = await cutAt(bytes);
        await (await openSession(storeIn(root))).close();
        const recovered = await readLog(root);

        const { play, session, requests, close } = await openSession(storeIn(root));
        expect(await readLog(root), `a second opening of ${bytes} bytes adds nothing`).toEqual(recovered);
        await play({ say: 'go on', scripts: [responds(message('Gladly.'))] });
        await close();
        expect(turnState(session.state.turn!)).toBe('completed');
        expect(new RequestValidator().check(requests[0]!.input)).toEqual([]);
        const { damage, events } = await lookAt(storeIn(root));
        const codes = events.flatMap((event) => (event.type === 'diagnostic' ? [event.data.code] : []));
        expect({ damage, codes: codes.filter((code) => code !== 'torn_tail') }).toEqual({
          damage: [],
          codes: [],
        });
      }
    });

    it('opens again after a crash at any place of its own recovery', { timeout: 60_000 }, async () => {
      const sample = cuts(whole).filter((_, index) => index % 13 === 4);
      await inLanes(async (lane) => {
        for (const bytes of sample.filter((_, index) => index % LANES === lane)) {
          const root = await cutAt(bytes);
          await (await openSession(storeIn(root))).close();
          const recovered = await readLog(root);
          const from = whole.subarray(0, bytes).lastIndexOf(NEWLINE) + 1;
          for (let at = recovered.length - 1; at > from; at -= 17) {
            await writeFile(logPath(root), recovered.subarray(0, at));
            const { session, close } = await openSession(storeIn(root));
            expectLegal(session);
            await close();
            expect((await lookAt(storeIn(root))).damage).toEqual([]);
          }
        }
      });
    });
  });
}

async function inLanes(work: (lane: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: LANES }, (_, lane) => work(lane)));
}

async function openAt(disk: Disk, root: string, prefix: Buffer): Promise<void> {
  await disk.remove(logPath(root));
  await createFile(disk, logPath(root), prefix, { durable: true });
  const { session, close } = await openSession(storeIn(root, { disk }));
  expectLegal(session);
  await close();
  const kept = prefix.subarray(0, prefix.lastIndexOf(NEWLINE) + 1);
  const torn = prefix.subarray(kept.length);
  const names = (await disk.list(`${root}/sessions`)).filter((name) => name !== 's1.jsonl');
  const aside = names.length === 0 ? Buffer.alloc(0) : await bytesOf(disk, `${root}/sessions/s1.torn-1`);
  const found = {
    names,
    kept: (await bytesOf(disk, logPath(root))).subarray(0, kept.length).equals(kept),
    aside: aside.equals(torn),
  };
  expect({ cut: prefix.length, ...found }).toEqual({
    cut: prefix.length,
    names: torn.length === 0 ? [] : ['s1.torn-1'],
    kept: true,
    aside: true,
  });
  if (torn.length > 0) await disk.remove(`${root}/sessions/s1.torn-1`);
}

async function bytesOf(disk: Disk, path: string): Promise<Buffer> {
  return Buffer.from((await readWhole(disk, path)) ?? []);
}

const STRIDE = 97;

/**
 * Around the ends of every line, which are whole without their newline; inside every character of several bytes; and so
 * often in between that every kind of field is cut somewhere.
 */
function edges(log: Buffer): readonly number[] {
  const around = cuts(log).flatMap((cut) => [cut - 2, cut - 1, cut, cut + 1]);
  const inside = [...log.keys()].filter((at) => ((log[at] ?? 0) & 0xc0) === 0x80 || at % STRIDE === 0);
  const all = new Set([...around, ...inside]);
  return [...all].filter((at) => at >= 0 && at <= log.length).toSorted((a, b) => a - b);
}

/** Behind every line, and in the middle of every line. */
function cuts(log: Buffer): readonly number[] {
  const found = [0];
  for (let from = 0; from < log.length;) {
    const to = log.indexOf(NEWLINE, from) + 1;
    found.push(Math.floor((from + to) / 2), to);
    from = to;
  }
  return found;
}

function expectLegal(session: Session): void {
  const { turn } = session.state;
  const state = turn === null ? 'none' : turnState(turn);
  const facts = {
    rests: state === 'none' || state === 'waiting' || isTerminal(state),
    violations: turn?.violations ?? [],
    repairs: turn === null ? [] : session.input(TARGET).repairs,
  };
  expect({ state, ...facts }).toEqual({ state, rests: true, violations: [], repairs: [] });
}

import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { SessionMarks, UNMARKED } from '../../src/storage/session-marks.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { PowerCutDisk } from './power-cut-disk.ts';
import { freshFolder } from './storage-place.ts';
import { WatchedDisk } from './watched-disk.ts';

let root = '';
const path = (): string => `${root}/session-marks.jsonl`;

beforeEach(() => {
  root = freshFolder();
});

async function marks(disk = new NodeDisk()): Promise<SessionMarks> {
  const found = new SessionMarks(disk, new VirtualClock(), path());
  await found.load();
  return found;
}

describe('what a person said about a session', () => {
  it('is nothing where there is no file, and makes none', async () => {
    expect((await marks()).of('s1')).toEqual(UNMARKED);
  });

  it('counts at once and for whoever comes next, field by field', async () => {
    const here = await marks();
    await here.change('s1', { title: 'Login test' });
    await here.change('s1', { pinned: true });
    await here.change('s2', { archived: true });
    await here.change('s1', { pinned: false });
    for (const one of [here, await marks()]) {
      expect(one.of('s1')).toEqual({ title: 'Login test', pinned: false, archived: false });
      expect(one.of('s2')).toEqual({ title: null, pinned: false, archived: true });
      expect(one.unreadable).toEqual([]);
    }
  });

  it('of two windows that change different things at the same time loses nothing', async () => {
    const [here, there] = [await marks(), await marks()];
    await Promise.all([here.change('s1', { title: 'A' }), there.change('s1', { pinned: true })]);
    expect((await marks()).of('s1')).toEqual({ title: 'A', pinned: true, archived: false });
    await here.load();
    expect(here.of('s1').pinned).toBe(true);
  });

  it('survives a power cut as soon as it was confirmed', async () => {
    const disk = new PowerCutDisk();
    await disk.makeFolder(root);
    await new SessionMarks(disk, new VirtualClock(), path()).change('s1', { title: 'Kept' });
    const after = new SessionMarks(disk.cutPower(), new VirtualClock(), path());
    await after.load();
    expect(after.of('s1').title).toBe('Kept');
  });

  it('keeps a line whose writer died in the middle of it, and reports it', async () => {
    const whole = `${JSON.stringify({ v: 1, session_id: 's1', title: 'Before' })}\n`;
    const line = JSON.stringify({ v: 1, session_id: 's1', title: 'Half' });
    await mkdir(root, { recursive: true });
    for (let cut = 1; cut < line.length; cut += 1) {
      await writeFile(path(), whole + line.slice(0, cut));
      const found = await marks();
      expect(found.of('s1').title).toBe('Before');
      await found.change('s1', { pinned: true });
      expect((await marks()).of('s1')).toEqual({ title: 'Before', pinned: true, archived: false });
      expect((await marks()).unreadable).toEqual([{ line: 2, text: line.slice(0, cut) }]);
    }
  });

  it.each([
    'not JSON',
    '[]',
    '{"session_id":1}',
    '{"session_id":"s1","pinned":"yes"}',
    '{"session_id":"s1","title":7}',
  ])('reports a line that cannot be read, and leaves it: %s', async (line) => {
    await (await marks()).change('s1', { title: 'Good' });
    await appendFile(path(), `${line}\n`);
    const before = await readFile(path(), 'utf8');
    const found = await marks();
    expect(found.unreadable).toEqual([{ line: 2, text: line }]);
    await found.change('s1', { archived: true });
    expect(found.of('s1')).toEqual({ title: 'Good', pinned: false, archived: true });
    expect((await readFile(path(), 'utf8')).startsWith(before)).toBe(true);
  });

  it('is refused, not half believed, when the disk is full', async () => {
    await (await marks()).change('s1', { title: 'Good' });
    const disk = new WatchedDisk(new NodeDisk(), ({ kind }) =>
      kind === 'append' ? { fail: 'full', written: 7 } : undefined,
    );
    const found = await marks(disk);
    await expect(found.change('s1', { title: 'Other' })).rejects.toThrow('fails on purpose');
    expect((await marks()).of('s1').title).toBe('Good');
  });
});

describe('what a person said about a session that is gone for good', () => {
  it('is gone, and nothing else is: not a line that cannot be read, byte for byte', async () => {
    const here = await marks();
    await here.change('s1', { title: 'A secret' });
    await here.change('s2', { title: 'Grüße' });
    await appendFile(path(), Buffer.from([0xff, 0xfe, 0x0a]));
    await here.change('s1', { pinned: true });
    await (await marks()).forget('s1');
    const bytes = await readFile(path());
    expect([
      bytes.includes('A secret'),
      bytes.includes('s1'),
      bytes.includes(Buffer.from([0xff, 0xfe])),
    ]).toEqual([false, false, true]);
    await here.load();
    expect([here.of('s1'), here.of('s2').title]).toEqual([UNMARKED, 'Grüße']);
    await here.change('s2', { pinned: true });
    expect((await marks()).of('s2')).toEqual({ title: 'Grüße', pinned: true, archived: false });
  });

  it('takes nothing along that another window says at any of its steps', async () => {
    for (let at = 1; ; at += 1) {
      root = freshFolder();
      await (await marks()).change('s1', { title: 'A secret' });
      const other = await marks();
      let calls = 0;
      const disk = new WatchedDisk(new NodeDisk(), async () => {
        calls += 1;
        if (calls === at) await other.change('s2', { title: `Said ${at}` });
        return undefined;
      });
      await new SessionMarks(disk, new VirtualClock(), path()).forget('s1');
      if (calls < at) break;
      const after = await marks();
      expect([at, after.of('s1'), after.of('s2').title]).toEqual([at, UNMARKED, `Said ${at}`]);
    }
  });

  it('is all there or all gone after a power cut', async () => {
    const disk = new PowerCutDisk();
    await disk.makeFolder(root);
    const clock = new VirtualClock();
    await new SessionMarks(disk, clock, path()).change('s1', { title: 'A secret' });
    await new SessionMarks(disk, clock, path()).change('s2', { title: 'Kept' });
    const cuts: PowerCutDisk[] = [];
    const watched = new WatchedDisk(disk, () => {
      cuts.push(disk.cutPower());
      return undefined;
    });
    await new SessionMarks(watched, clock, path()).forget('s1');
    for (const cut of [...cuts, disk.cutPower()]) {
      const after = new SessionMarks(cut, clock, path());
      await after.load();
      expect(after.of('s2').title).toBe('Kept');
    }
    const last = new SessionMarks(disk.cutPower(), clock, path());
    await last.load();
    expect(last.of('s1')).toEqual(UNMARKED);
  });
});

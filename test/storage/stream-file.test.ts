import { readdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { readStream, StreamFile } from '../../src/storage/stream-file.ts';
import { responds, message, text, HANG } from '../support/scripted-provider.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { openSession, TALK } from './recorded-session.ts';
import { PowerCutDisk } from './power-cut-disk.ts';
import { freshFolder, lookAt, processOf, storeIn } from './storage-place.ts';
import { WatchedDisk } from './watched-disk.ts';

const PATH = '/r/s1.stream';

function scratch(value: string): { turn_id: string; stream_run_id: string; text: string } {
  return { turn_id: 't', stream_run_id: 'r', text: value };
}

/** A scratch on a disk in memory, with the time of each of its writes. */
async function watched(failing = false) {
  const clock = new VirtualClock();
  const memory = new PowerCutDisk();
  await memory.makeFolder('/r');
  const began = clock.now();
  const writes: number[] = [];
  const errors: unknown[] = [];
  const disk = new WatchedDisk(memory, ({ kind }) => {
    if (kind === 'open') writes.push(clock.now() - began);
    return failing && kind === 'append' ? { fail: 'full' } : undefined;
  });
  const file = new StreamFile(disk, clock, PATH, {
    isOurs: async () => true,
    onLost: () => undefined,
    onError: (error) => void errors.push(error),
  });
  return { clock, memory, file, writes, errors };
}

/** The first text is written, and the next one waits for its time. */
async function waiting() {
  const place = await watched();
  place.file.save(scratch('one'));
  await place.clock.advance(0);
  place.file.save(scratch('two'));
  return place;
}

describe('text that streams in', () => {
  it('is kept at once, and then at most every 250 ms, the last of it too', async () => {
    const { clock, memory, file, writes } = await watched();
    for (let ms = 0; ms < 1000; ms += 10) {
      file.save(scratch(`after ${ms}`));
      await clock.advance(10);
    }
    expect(writes).toEqual([0, 250, 500, 750, 1000]);
    expect(await readStream(memory, PATH)).toEqual(scratch('after 990'));
    await clock.advance(5000);
    file.save(scratch('later'));
    await clock.advance(0);
    expect(writes.slice(5)).toEqual([6000]);
    expect(await readStream(memory, PATH)).toEqual(scratch('later'));
  });

  it('is gone once it is recorded, and does not come back', async () => {
    const { clock, memory, file } = await waiting();
    await file.clear();
    await clock.advance(1000);
    expect(await readStream(memory, PATH)).toBeNull();
    expect(clock.sleeping).toBe(0);
  });

  it('is written out when the session closes without recording it', async () => {
    const { clock, memory, file } = await waiting();
    await file.close();
    expect(await readStream(memory, PATH)).toEqual(scratch('two'));
    expect(clock.sleeping).toBe(0);
  });

  it('that cannot be kept is told once and tried no more often', async () => {
    const { clock, file, writes, errors } = await watched(true);
    for (let ms = 0; ms < 1000; ms += 10) {
      file.save(scratch(`after ${ms}`));
      await clock.advance(10);
    }
    expect(writes).toEqual([0, 250, 500, 750, 1000]);
    expect(errors).toHaveLength(1);
  });

  it.each(['', '{"turn_id":"t"', '[]', 'null', '{"turn_id":1,"stream_run_id":"r","text":"x"}'])(
    'that is %j is ignored',
    async (content) => {
      const root = freshFolder();
      await new NodeDisk().makeFolder(root);
      await writeFile(`${root}/s1.stream`, content);
      expect(await readStream(new NodeDisk(), `${root}/s1.stream`)).toBeNull();
    },
  );
});

describe('what a person saw', () => {
  it('becomes the partial answer after a kill, and its scratch is cleared', async () => {
    const root = freshFolder();
    const shown = Promise.withResolvers<void>();
    const killed = await openSession(storeIn(root, { processes: processOf(1) }), 's1', (output) => {
      if (output.kind === 'text_delta') shown.resolve();
    });
    void killed.play({ say: 'talk', scripts: [[text('so far, so g'), HANG]] });
    await shown.promise;
    while (!(await readdir(`${root}/sessions`)).includes('s1.stream')) await new Promise(setImmediate);

    const ready = await openSession(storeIn(root, { processes: processOf(2) }));
    const { events } = await lookAt(storeIn(root));
    const partial = events.find((event) => event.type === 'assistant_message');
    expect(partial?.data).toMatchObject({
      text: 'so far, so g',
      metadata: { partial: true, interrupted: true },
    });
    expect(await readdir(`${root}/sessions`)).toEqual(['s1.jsonl', 's1.lease']);
    await ready.close();
  });

  it('is not lost when the log can take nothing more', async () => {
    const root = freshFolder();
    let full = false;
    const disk = new WatchedDisk(new NodeDisk(), ({ kind, path }) =>
      full && kind === 'append' && path.endsWith('.jsonl') ? { fail: 'full' } : undefined,
    );
    const ready = await openSession(storeIn(root, { disk }), 's1', (output) => {
      if (output.kind === 'text_delta') full = true;
    });
    await ready.play({ say: 'talk', scripts: [responds(message('a whole answer'))] });
    await ready.close();
    expect(JSON.parse(await readFile(`${root}/sessions/s1.stream`, 'utf8'))).toMatchObject({
      text: 'a whole answer',
    });
    const after = await openSession(storeIn(root));
    expect(after.session.state.turn).toMatchObject({ partial: { text: 'a whole answer' } });
    await after.play(TALK);
    await after.close();
    expect(await readdir(`${root}/sessions`)).toEqual(['s1.jsonl']);
  });
});

import { readdir, rm, writeFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeHasher } from '../../src/app/node-ports.ts';
import { draft, type Draft } from '../../src/runtime/events.ts';
import { Blobs } from '../../src/storage/blobs.ts';
import { INLINE_LIMIT } from '../../src/storage/bodies.ts';
import type { Disk } from '../../src/storage/disk.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { PowerCutDisk } from './power-cut-disk.ts';
import { countedIds, freshFolder, lookAt, readLog, storeIn } from './storage-place.ts';
import { WatchedDisk, WRITTEN_FOR_GOOD } from './watched-disk.ts';
import { searchRuns } from '../support/search-runs.ts';

const IGNORE = { event: (): void => undefined };

async function append(
  root: string,
  drafts: readonly Draft[],
  disk: Disk = new NodeDisk(),
): Promise<readonly unknown[]> {
  const stored = await storeIn(root, { disk }).open('s1', { take_over: false });
  try {
    return await (await stored.load(IGNORE)).writer!.append(drafts);
  } finally {
    await stored.close();
  }
}

function prompt(text: string, attachments: readonly object[] = []): Draft {
  return draft('user_message', {
    turn_id: 't',
    client_turn_id: 'c',
    text,
    attachments: attachments as never,
  });
}

function result(output: string, blob?: string): Draft {
  const own = blob === undefined ? {} : { blob };
  return draft('tool_result', { turn_id: 't', call_id: 'c', ok: true, output, duration_ms: 1, ...own });
}

async function lines(root: string): Promise<readonly { readonly data: Record<string, unknown> }[]> {
  const text = (await readLog(root)).toString();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { data: Record<string, unknown> });
}

describe('a large body', () => {
  it('is one of more than 32 KiB of UTF-8; its line keeps a head of it', async () => {
    const root = freshFolder();
    const at = 'ü'.repeat(INLINE_LIMIT / 2);
    const over = `${at}.`;
    await append(root, [prompt(at), prompt(over)]);
    const [first, second] = await lines(root);
    expect(first!.data).toEqual(prompt(at).data);
    expect(second!.data).toEqual({
      ...prompt(`${'ü'.repeat(400)}…`).data,
      blob: nodeHasher.sha256(over),
      blob_bodies: [{ field: 'text', encoding: 'text' }],
    });
    expect(await readdir(`${root}/blobs`)).toEqual([nodeHasher.sha256(over)]);
  });

  it('can be an object: its line is sound without it, and it is checked when it is in place', async () => {
    const root = freshFolder();
    const call = { turn_id: 't', call_id: 'c' };
    const error = { kind: 'failed', message: 'No.', details: 'x'.repeat(40_000) };
    const parameters = { name: 'write', args: 'y'.repeat(40_000) };
    const suspension = { id: 's', reason: 'r', message: 'm', parameters, resume_mode: 'replay_tool_call' };
    const drafts: readonly Draft[] = [
      draft('tool_call_status', { ...call, from: 'new', to: 'suspended', suspension } as never),
      draft('tool_result', { ...call, ok: false, error, duration_ms: 1 }),
    ];
    await append(root, drafts);
    const [status, result] = await lines(root);
    expect([status!.data['suspension'], result!.data['error']]).toEqual([{}, {}]);
    const { events, damage } = await lookAt(storeIn(root));
    expect(damage).toEqual([]);
    expect(events.map(({ data }) => data)).toEqual(drafts.map(({ data }) => data));
  });

  it('is written and synced, and its name too, before the event that names it', async () => {
    const calls: string[] = [];
    const root = freshFolder();
    const disk = new WatchedDisk(new NodeDisk(), ({ kind, path }) => {
      if (/blobs|jsonl$/.test(path)) calls.push(`${kind} ${path.includes('blobs') ? 'blob' : 'log'}`);
      return undefined;
    });
    await append(root, [prompt('x'.repeat(40_000))], disk);
    const blob = WRITTEN_FOR_GOOD.map((kind) => `${kind} blob`);
    const changes = calls.filter((call) => !/read|remove/.test(call));
    expect(changes.slice(-8)).toEqual([...blob, 'open log', 'append log', 'sync log']);
  });

  it('that is there already is made durable again, because who wrote it may have died', async () => {
    const disk = new PowerCutDisk();
    const blobs = new Blobs(disk, '/r/blobs', nodeHasher, countedIds);
    const name = nodeHasher.sha256('body');
    await disk.makeFolder('/r/blobs');
    const file = await disk.open(`/r/blobs/${name}`, 'create_new');
    await file.append(Buffer.from('body'));
    await file.sync();
    expect(await blobs.put(Buffer.from('body'))).toBe(name);
    const after = new Blobs(disk.cutPower(), '/r/blobs', nodeHasher, countedIds);
    expect(await after.get(name)).toEqual(Buffer.from('body'));
  });

  it('that was altered is put right when it is written again', async () => {
    const folder = `${freshFolder()}/blobs`;
    const blobs = new Blobs(new NodeDisk(), folder, nodeHasher, countedIds);
    const name = await blobs.put(Buffer.from('body'));
    await writeFile(`${folder}/${name}`, 'b0dy');
    expect(await blobs.get(name)).toBeNull();
    await blobs.put(Buffer.from('body'));
    expect(await blobs.get(name)).toEqual(Buffer.from('body'));
    expect(await readdir(folder)).toEqual([name]);
  });

  it('can be written after the disk failed once', async () => {
    let failed = false;
    const disk = new WatchedDisk(new NodeDisk(), ({ kind }) => {
      const first = kind === 'makeFolder' && !failed;
      failed ||= first;
      return first ? { fail: 'full' } : undefined;
    });
    const blobs = new Blobs(disk, `${freshFolder()}/blobs`, nodeHasher, countedIds);
    await expect(blobs.put(Buffer.from('body'))).rejects.toMatchObject({ kind: 'full' });
    expect(await blobs.put(Buffer.from('body'))).toBe(nodeHasher.sha256('body'));
  });

  it.each([
    ['missing', (path: string) => rm(path)],
    ['altered', (path: string) => writeFile(path, 'something else')],
  ])('that is %s makes its line a damaged one', async (_, harm) => {
    const root = freshFolder();
    const body = 'x'.repeat(40_000);
    await append(root, [prompt('before'), prompt(body), prompt('after')]);
    await harm(`${root}/blobs/${nodeHasher.sha256(body)}`);
    const { damage, events } = await lookAt(storeIn(root));
    expect(damage).toMatchObject([{ line: 2, reason: 'its body, a blob, is missing or damaged' }]);
    expect(events.map((event) => event.data)).toEqual([prompt('before').data, prompt('after').data]);
  });
});

describe('a tool result', () => {
  it('keeps the output that the model saw beside the full one it names', async () => {
    const root = freshFolder();
    const gone = nodeHasher.sha256('never written');
    const seen = 'head and tail';
    await append(root, [result(seen, gone)]);
    const { damage, events } = await lookAt(storeIn(root));
    expect({ damage, data: events[0]!.data }).toEqual({ damage: [], data: result(seen, gone).data });
  });

  it('names the full output still when what the model saw is large itself', async () => {
    const root = freshFolder();
    const full = nodeHasher.sha256('full');
    const seen = 'seen '.repeat(8000);
    await append(root, [result(seen, full)]);
    const [line] = await lines(root);
    expect(line!.data).toMatchObject({
      blob: full,
      blob_bodies: [{ field: 'output', encoding: 'text', blob: nodeHasher.sha256(seen) }],
    });
    expect((await lookAt(storeIn(root))).events[0]!.data).toEqual(result(seen, full).data);
  });
});

const OF_RESPONSE = { turn_id: 't', stream_run_id: 'r', output_index: 0, output_count: 1 };

const codeUnit = fc.oneof(fc.nat(0x7f), fc.nat(0xffff), fc.integer({ min: 0xd800, max: 0xdfff }));

/** Any text, also one that has no UTF-8 form, from a few characters to far over the limit. */
const anyText = fc
  .tuple(fc.array(codeUnit, { minLength: 1, maxLength: 4 }), fc.constantFrom(1, 3000, 20_000))
  .map(([units, times]) => String.fromCharCode(...units).repeat(times));
const anyImage = fc
  .uint8Array({ minLength: 1, maxLength: 9 })
  .chain((bytes) =>
    fc.constantFrom(1, 9000).map((times) => Buffer.concat(Array(times).fill(bytes)).toString('base64')),
  );
const anyAttachment = fc.oneof(
  anyText.map((text) => ({ kind: 'file', path: 'a', text })),
  fc.oneof(anyImage, anyText).map((data) => ({ kind: 'image', mime: 'image/png', data })),
);
const anyDraft = fc.oneof(
  fc.tuple(anyText, fc.array(anyAttachment, { maxLength: 3 })).map(([text, files]) => prompt(text, files)),
  anyText.map((text) => result(text)),
  anyText.map((args) =>
    draft('tool_call', {
      ...OF_RESPONSE,
      call_id: 'c',
      name: 'n',
      args,
    }),
  ),
  anyText.map((enc) =>
    draft('reasoning', {
      ...OF_RESPONSE,
      model: 'm',
      endpoint: 'e',
      item: { type: 'reasoning', enc },
    }),
  ),
  fc
    .tuple(anyText, anyText)
    .map(([message, details]) =>
      draft('diagnostic', { code: 'c', message, details: { details }, next_actions: [] }),
    ),
);

it(
  'whatever is appended is what is read, in lines of bounded length',
  { timeout: searchRuns(30_000) },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyDraft, { minLength: 1, maxLength: 4 }), async (drafts) => {
        const root = freshFolder();
        const written = await append(root, drafts);
        const { damage, events } = await lookAt(storeIn(root));
        expect({ damage, events }).toEqual({ damage: [], events: written });
        const longest = Math.max(
          ...(await readLog(root))
            .toString()
            .split('\n')
            .map((line) => line.length),
        );
        expect(longest).toBeLessThan(8 * INLINE_LIMIT);
      }),
      { seed: 20261116, numRuns: searchRuns(60) },
    );
  },
);

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeBundle } from '../../../src/app/bundle/make-bundle.ts';
import { checkEvent, toLine } from '../../../src/runtime/event-line.ts';
import type { LogEvent } from '../../../src/runtime/events.ts';
import type { RedactionChoices } from '../../../src/runtime/redaction/choices.ts';
import { lineOf } from '../../../src/storage/bodies.ts';
import { made, numbered, oneOfEach, unknown } from '../../support/made-events.ts';
import { freshFolder, storeIn } from '../../storage/storage-place.ts';

const SECRET = 'sk-proj-Hunter2xQ9zzAbCd';
const FOLDER = '/home/jane/hidden-place';
const FILE = 'hidden-plan.md';
const CONTENT = 'Zebra crossing';
const WORDS = `${CONTENT}, see "${FOLDER}/${FILE}" of jane, key ${SECRET} and PASSWORD="${SECRET}"`;

/** As a text may have it: as it is, in an address, in JSON in JSON, in base64 at any place of a longer one, in hex. */
function spellings(text: string): readonly string[] {
  const inJson = JSON.stringify(JSON.stringify(text)).slice(3, -3);
  const base64 = ['', 'x', 'xx'].map((before) =>
    Buffer.from(before + text)
      .toString('base64')
      .slice(before === '' ? 0 : 4, -4),
  );
  return [text, encodeURIComponent(text), inJson, ...base64, Buffer.from(text).toString('hex')];
}

/** Fields that hold one of a few words, without which a line is no event. */
const FIXED = new Set([
  'terminal_status',
  'status',
  'from',
  'to',
  'event',
  'decision',
  'action',
  'interrupted_reason',
]);

const PATHS = new Set([
  'path',
  'label',
  'files_touched',
  'made_folders',
  'removed_folders',
  'read_set',
  'write_set',
  'artifacts',
]);

function poisoned(value: unknown, name = ''): unknown {
  if (typeof value === 'string') {
    if (FIXED.has(name)) return value;
    if (name === 'workspace') return FOLDER;
    if (PATHS.has(name)) return `${FOLDER}/${FILE}`;
    return name === 'args' ? JSON.stringify(DEEP) : WORDS;
  }
  if (Array.isArray(value)) return value.map((one) => poisoned(one, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([field, one]) => [field, poisoned(one, field)]));
}

const DEEP = {
  path: `${FOLDER}/${FILE}`,
  content: WORDS,
  nested: [{ [WORDS]: [WORDS] }, JSON.stringify({ quoted: WORDS }), encodeURIComponent(WORDS)],
};

/** One event of each type with these words in all its fields, fields and events of later versions, and bodies of all kinds. */
async function planted(root: string): Promise<number> {
  const store = storeIn(root);
  const text = await store.blobs.put(Buffer.from(`${WORDS}\n${JSON.stringify(DEEP)}`));
  const binary = await store.blobs.put(Buffer.from(`\0${WORDS}`));
  const one = oneOfEach();
  const events = numbered([
    ...Object.values(one).map((event): LogEvent => {
      const data: object = { ...(poisoned(event.data) as object), later: DEEP, blob: text };
      return { ...event, data } as LogEvent;
    }),
    made('user_message', 0, { ...one.user_message.data, text: `${WORDS} `.repeat(1000) }),
    made('file_change', 0, { ...one.file_change.data, path: `${FOLDER}/${FILE}`, before_blob: binary }),
    made('tool_call', 0, { ...one.tool_call.data, args: `{"path": "${WORDS}` }),
    unknown(0, `later ${WORDS}`, { ...DEEP, blob: text }),
  ]);
  let log = '';
  for (const event of events) {
    const own = { id: `${WORDS} ${event.seq}`, session_id: 'planted' };
    expect([event.type, event.type === 'unknown' || checkEvent({ ...event, ...own }).ok]).toEqual([
      event.type,
      true,
    ]);
    log +=
      event.type === 'unknown'
        ? `${toLine({ ...event, ...own })}\n`
        : await lineOf({ ...event, ...own }, store.blobs);
  }
  await store.ports.disk.makeFolder(join(root, 'sessions'));
  await writeFile(store.inspect('planted').paths.log, `${log}{"v":1,"${WORDS}\n{"torn ${WORDS}`);
  return events.length;
}

const COMBINATIONS = Array.from({ length: 16 }, (_, bits): RedactionChoices => {
  const has = (bit: number): boolean => Math.floor(bits / bit) % 2 === 1;
  return { secrets: has(1), paths: has(2), file_names: has(4), contents: has(8) };
});

describe('what is planted in every field, body and torn end of a log', () => {
  it.each(COMBINATIONS)('is gone from the bytes of a bundle as was chosen: %j', async (choices) => {
    const root = freshFolder();
    const count = await planted(root);
    const bundle = await makeBundle(storeIn(root), {
      session_id: 'planted',
      choices,
      around: { workspaces: [], home: '/home/jane', user: 'jane', host: null, secrets: [] },
      app_version: '1',
      made_at: '2026-01-01T00:00:00.000Z',
      salt: 'salt',
    });
    if (bundle.kind !== 'made') throw new Error(bundle.kind);
    expect(bundle.manifest).toMatchObject({ events: count, damaged: [{ line: count + 1 }] });
    const found = (text: string): readonly string[] =>
      spellings(text).filter((one) => bundle.text.includes(one));
    const { secrets, paths, file_names, contents } = choices;
    expect({
      secret: found(SECRET),
      folder: paths && found('/home/jane').length > 0,
      file: found(FILE).length > 0,
      content: found(CONTENT).length > 0,
    }).toEqual({
      secret: secrets || contents ? [] : expect.arrayContaining([SECRET]),
      folder: false,
      file: !file_names,
      content: !contents,
    });
  });
});

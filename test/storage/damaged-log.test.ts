import { readdir, readFile, writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { diagnoseSession } from '../../src/app/inspect.ts';
import { OpenedSession } from '../../src/app/open-session.ts';
import { parseLine, toLine } from '../../src/runtime/event-line.ts';
import type { LogEvent } from '../../src/runtime/events.ts';
import { NOBODY_WATCHES } from '../support/session-watch.ts';
import { BOX, openSession, record, ROUNDS, TALK } from './recorded-session.ts';
import { freshFolder, logPath, lookAt, readLog, storeIn } from './storage-place.ts';

const AT = 5;
let good: readonly string[] = [];

beforeAll(async () => {
  const root = freshFolder();
  await record(storeIn(root), [TALK, ROUNDS]);
  good = (await readLog(root)).toString().trimEnd().split('\n');
});

/** A session whose log is these bytes. */
async function sessionOf(bytes: Uint8Array | string): Promise<string> {
  const root = freshFolder();
  await storeIn(root).ports.disk.makeFolder(`${root}/sessions`);
  await writeFile(logPath(root), bytes);
  return root;
}

/** The good log with one line replaced. */
function withLine(line: Uint8Array | string): Buffer {
  const before = `${good.slice(0, AT).join('\n')}\n`;
  const after = `\n${good.slice(AT + 1).join('\n')}\n`;
  return Buffer.concat([Buffer.from(before), Buffer.from(line), Buffer.from(after)]);
}

function seqs(events: readonly LogEvent[]): readonly number[] {
  return events.map((event) => event.seq);
}

function changed(change: (raw: Record<string, unknown>) => void): string {
  const raw = JSON.parse(good[AT] ?? '') as Record<string, unknown>;
  change(raw);
  return JSON.stringify(raw);
}

const HARM: readonly (readonly [string, () => Uint8Array | string, string])[] = [
  ['garbage', () => '%%% not a line %%%', 'not valid JSON'],
  ['a cut line', () => good[AT]!.slice(0, 40), 'not valid JSON'],
  ['an empty line', () => '', 'not valid JSON'],
  ['zeros, as a power cut leaves them', () => new Uint8Array(64), 'not valid JSON'],
  ['bytes that are no UTF-8', () => Buffer.from([0x7b, 0xc3, 0x28, 0xff, 0x7d]), 'not valid UTF-8'],
  ['JSON that is no object', () => '[1, 2]', 'not a JSON object'],
  ['a line without its seq', () => changed((raw) => delete raw['seq']), 'no seq'],
  ['a line without its id', () => changed((raw) => delete raw['id']), 'id, session_id or ts is missing'],
  [
    'an event without what folds need',
    () => changed((raw) => (raw['data'] = { turn_id: 't' })),
    'assistant_message.stream_run_id is not a string',
  ],
  [
    'an event with a field of the wrong shape inside another',
    () => changed((raw) => (raw['data'] = { ...(raw['data'] as object), metadata: { partial: null } })),
    'assistant_message.metadata is not an object with partial (a boolean)',
  ],
  ['a wrong seq', () => changed((raw) => (raw['seq'] = 77)), 'seq 77 where 5 was expected'],
  ['a line written twice', () => good[AT - 1]!, 'seq 4 where 5 was expected'],
];

describe.each(HARM)('%s in the middle', (_, line, reason) => {
  it('is named; all other lines are seen; nothing is changed', async () => {
    const bytes = withLine(line());
    const root = await sessionOf(bytes);
    const { damage, events, torn } = await lookAt(storeIn(root));
    const others = good.map((text, index) => ({ text, index })).filter(({ index }) => index !== AT);
    expect({ damage, torn }).toMatchObject({ damage: [{ line: AT + 1, reason }], torn: null });
    expect(seqs(events)).toEqual(others.map(({ index }) => index));

    const opened = await OpenedSession.open(storeIn(root), 's1', NOBODY_WATCHES, { take_over: false });
    await opened.load(async () => BOX);
    expect(opened.session).toBeNull();
    expect(opened.access).toMatchObject({ kind: 'read_only', reason: 'damaged' });
    expect(JSON.stringify(opened.access)).toContain(`Line ${AT + 1} of the log is damaged`);
    const shown = seqs(opened.window.events);
    expect(others.map(({ index }) => index).filter((seq) => !shown.includes(seq))).toEqual([]);
    await opened.close();
    expect(await readdir(`${root}/sessions`)).toEqual(['s1.jsonl']);
    expect(await readLog(root)).toEqual(bytes);

    const { status, checks } = await diagnoseSession(root, 's1');
    expect(status).toBe('blocked');
    expect(JSON.stringify(checks)).toContain(reason);
  });
});

it('a torn tail behind a damaged line is left where it is', async () => {
  const bytes = Buffer.concat([withLine('%%%'), Buffer.from('{"v":1,"id"')]);
  const root = await sessionOf(bytes);
  const stored = await storeIn(root).open('s1', { take_over: false });
  expect((await stored.load({ event: () => undefined })).writer).toBeNull();
  await stored.close();
  expect(await readLog(root)).toEqual(bytes);
});

it('a missing line is named where it is missed, once', async () => {
  const root = await sessionOf(`${good.toSpliced(AT, 1).join('\n')}\n`);
  const { damage, events } = await lookAt(storeIn(root));
  expect(damage).toMatchObject([{ line: AT + 1, reason: `seq ${AT + 1} where ${AT} was expected` }]);
  expect(events).toHaveLength(good.length - 2);
});

function later(seq: number): readonly string[] {
  return [
    `{"v":1,"id":"x1","session_id":"s1","seq":${seq},"ts":"2027-01-01T00:00:00.000Z","type":"telepathy","data":{"a":[1,{"b":null}]},"more":true}`,
    `{"v":7,"later":1,"id":"x2","session_id":"s1","seq":${seq + 1},"ts":"2027-01-01T00:00:00.000Z","type":"user_message","data":{"moved":{}}}`,
    `{"v":1,"id":"x3","session_id":"s1","seq":${seq + 2},"ts":"2027-01-01T00:00:00.000Z","type":"diagnostic","data":{"code":"c","message":"m","details":null,"next_actions":[],"future":"field"}}`,
  ];
}

describe('what a later version wrote', () => {
  it('is kept, shown as unknown, and written back unchanged', () => {
    const lines = later(0);
    const events = lines.map((line) => parseLine(line));
    expect(events.map((read) => (read.ok ? toLine(read.event) : read.reason))).toEqual(lines);
    expect(events.map((read) => (read.ok ? read.event.type : null))).toEqual([
      'unknown',
      'unknown',
      'diagnostic',
    ]);
  });

  it('does not keep a session from going on, and stays in its file', async () => {
    const lines = [...good, ...later(good.length)];
    const root = await sessionOf(`${lines.join('\n')}\n`);
    const ready = await openSession(storeIn(root));
    await ready.play(TALK);
    await ready.close();
    const after = (await readLog(root)).toString().split('\n');
    expect(after.slice(0, lines.length)).toEqual(lines);
    expect((await lookAt(storeIn(root))).damage).toEqual([]);
  });
});

it('a line of version 0 is brought up to date on reading; its file is not rewritten', async () => {
  const old = good.map((line, index) => {
    const raw = JSON.parse(line) as { ts: string };
    return index < 3 ? JSON.stringify({ ...raw, v: 0, ts: Date.parse(raw.ts) }) : line;
  });
  const root = await sessionOf(`${old.join('\n')}\n`);
  const { damage, events } = await lookAt(storeIn(root));
  expect({ damage, lines: events.map(toLine) }).toEqual({ damage: [], lines: good });
  await (await openSession(storeIn(root))).close();
  expect((await readFile(logPath(root))).toString()).toBe(`${old.join('\n')}\n`);
});

import { checkEvent } from '../../runtime/event-line.ts';
import type { LogEvent } from '../../runtime/events.ts';
import { namedBodies } from '../../runtime/redaction/named-paths.ts';
import { BODY_FIELD } from '../../storage/bodies.ts';
import type { BytesHasher } from '../../storage/blobs.ts';
import {
  blobSchema,
  BUNDLE_FORMAT,
  BUNDLE_VERSION,
  DEEPEST,
  LARGEST_BUNDLE,
  LONGEST_LINE,
  manifestSchema,
  MOST_LINES,
  type Manifest,
} from './bundle-format.ts';

export interface ReadBundle {
  readonly manifest: Manifest;
  readonly events: readonly LogEvent[];
  readonly blobs: ReadonlyMap<string, Uint8Array>;
}

/** Why a file is no bundle that can be taken. Lines are counted from 1, as editors do; null for the file as a whole. */
export class RefusedBundle extends Error {
  override readonly name = 'RefusedBundle';
  constructor(
    readonly line: number | null,
    readonly reason: string,
  ) {
    super(line === null ? reason : `line ${line}: ${reason}`);
  }
}

/** Everything in the file, checked: what it gives is what it says, and names nothing that is not in it. */
export function readBundle(bytes: Uint8Array, hasher: BytesHasher): ReadBundle {
  if (bytes.length > LARGEST_BUNDLE) throw new RefusedBundle(null, 'the file is too large');
  const [first, ...rest] = linesOf(bytes);
  const manifest = readManifest(first ?? '');
  const events: LogEvent[] = [];
  const blobs = new Map<string, Uint8Array>();
  for (const [index, line] of rest.entries()) {
    const value = readObject(line, index + 2);
    if ('blob' in value) takeBlob(value, index + 2, { blobs, hasher });
    else if (blobs.size > 0) throw new RefusedBundle(index + 2, 'an event after the blobs');
    else events.push(readEvent(value, index + 2, events.at(-1) ?? null));
  }
  const start = bytes.indexOf(10) + 1;
  if (hasher.sha256(bytes.subarray(start)) !== manifest.sha256)
    throw new RefusedBundle(null, 'it is not what its first line says: the hash is another');
  if (events.length !== manifest.events || blobs.size !== manifest.blobs)
    throw new RefusedBundle(1, 'the counts are not those of the lines that follow');
  if (events.length === 0) throw new RefusedBundle(null, 'there is no event in it');
  checkTogether(events, blobs, manifest);
  return { manifest, events, blobs };
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function linesOf(bytes: Uint8Array): readonly string[] {
  const ends: number[] = [];
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) {
    ends.push(at);
    if (ends.length > MOST_LINES) throw new RefusedBundle(null, `it has more than ${MOST_LINES} lines`);
  }
  if (ends.at(-1) !== bytes.length - 1) throw new RefusedBundle(ends.length + 1, 'the line is cut off');
  return ends.map((end, index) => {
    const start = index === 0 ? 0 : (ends[index - 1] ?? 0) + 1;
    if (end - start > LONGEST_LINE) throw new RefusedBundle(index + 1, 'the line is too long');
    return decoded(bytes.subarray(start, end), index + 1);
  });
}

function decoded(bytes: Uint8Array, line: number): string {
  try {
    return strict.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw new RefusedBundle(line, 'not valid UTF-8');
    throw error;
  }
}

type Raw = Record<string, unknown>;

function readObject(line: string, at: number): Raw {
  if (depthOf(line) > DEEPEST) throw new RefusedBundle(at, 'it is nested too deeply');
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) throw new RefusedBundle(at, 'not valid JSON');
    throw error;
  }
  if (!isRaw(value)) throw new RefusedBundle(at, 'not a JSON object');
  return value;
}

/** Asked before it is parsed: what parses, walks and writes values goes down into them. */
export function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < json.length; at += 1) {
    const one = json.charCodeAt(at);
    if (inString) {
      if (one === BACKSLASH) at += 1;
      else if (one === QUOTE) inString = false;
    } else if (one === QUOTE) inString = true;
    else if (one === BRACE || one === BRACKET) deepest = Math.max(deepest, ++depth);
    else if (one === BRACE_END || one === BRACKET_END) depth -= 1;
  }
  return deepest;
}

const QUOTE = 34;
const BACKSLASH = 92;
const BRACKET = 91;
const BRACKET_END = 93;
const BRACE = 123;
const BRACE_END = 125;

function readManifest(line: string): Manifest {
  const value = readObject(line, 1);
  if (value['format'] !== BUNDLE_FORMAT) throw new RefusedBundle(1, 'this is no bundle of Ledgerline');
  if (value['version'] !== BUNDLE_VERSION)
    throw new RefusedBundle(1, 'it was made by another version, in a format that is not known here');
  const read = manifestSchema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new RefusedBundle(1, `${issue?.path.join('.') ?? ''} is not what it should be`);
}

const LONGEST_ID = 200;

function readEvent(value: Raw, line: number, before: LogEvent | null): LogEvent {
  const fault = faultIn(value);
  if (fault !== null) throw new RefusedBundle(line, fault);
  const { v, id, session_id, seq, ts, type, data } = value;
  const read = checkEvent({ v, id, session_id, seq, ts, type, data });
  if (!read.ok) throw new RefusedBundle(line, read.reason);
  const { event } = read;
  if (before !== null && event.seq <= before.seq)
    throw new RefusedBundle(line, `seq ${event.seq} after ${before.seq}`);
  if (Number.isNaN(Date.parse(event.ts)) || event.ts.length > 40)
    throw new RefusedBundle(line, 'ts is no time');
  if ([event.id, event.session_id, String(type)].some((text) => text === '' || text.length > LONGEST_ID))
    throw new RefusedBundle(line, 'an id or the type is empty or too long');
  return event;
}

/** Bodies are in their place: a line that names one elsewhere would have it looked up among those of other sessions. */
function faultIn(value: unknown): string | null {
  if (Array.isArray(value)) return value.map(faultIn).find((fault) => fault !== null) ?? null;
  if (!isRaw(value)) return null;
  if (Object.hasOwn(value, BODY_FIELD)) return 'it names a body that is not in its place';
  if (Object.hasOwn(value, '__proto__')) return 'it has a field that no event has';
  return faultIn(Object.values(value));
}

function takeBlob(
  value: Raw,
  line: number,
  { blobs, hasher }: { readonly blobs: Map<string, Uint8Array>; readonly hasher: BytesHasher },
): void {
  const read = blobSchema.safeParse(value);
  if (!read.success) throw new RefusedBundle(line, 'the blob is not what it should be');
  const { blob, encoding, body } = read.data;
  const bytes = Buffer.from(body, encoding);
  if (hasher.sha256(bytes) !== blob) throw new RefusedBundle(line, 'the blob is not what its name says');
  if (blobs.has(blob)) throw new RefusedBundle(line, 'the blob is there twice');
  blobs.set(blob, bytes);
}

function checkTogether(
  events: readonly LogEvent[],
  blobs: ReadonlyMap<string, Uint8Array>,
  { session_id }: Manifest,
): void {
  const ids = new Set<string>();
  for (const [index, event] of events.entries()) {
    const line = index + 2;
    if (event.session_id !== session_id) throw new RefusedBundle(line, 'the event is of another session');
    if (ids.has(event.id)) throw new RefusedBundle(line, 'the id of the event is there twice');
    ids.add(event.id);
    const missing = namedBodies(event.data).find((blob) => !blobs.has(blob));
    if (missing !== undefined) throw new RefusedBundle(line, 'it names a blob that is not in the bundle');
  }
}

function isRaw(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

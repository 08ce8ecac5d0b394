import { checkEvent, type ParsedLine } from '../runtime/event-line.ts';
import type { Attachment, KnownEvent, LogEvent } from '../runtime/events.ts';
import { jsonLine } from '../runtime/json-line.ts';
import type { Blobs } from './blobs.ts';

/**
 * Bodies over this size, in bytes of UTF-8, live in a blob; the line keeps a short head of them. The bytes of an
 * attached image do so whatever their size: they are a file, and no reader of a log wants them in a line.
 */
export const INLINE_LIMIT = 32 * 1024;
const HEAD = 400;
/** Where a line says which of its fields are heads of bodies. */
export const BODY_FIELD = 'blob_bodies';

type Data = Record<string, unknown>;
type Encoding = 'text' | 'json' | 'base64';

/** Names the body of one field. Its blob is `data.blob`, unless that was taken. */
interface BodyReference {
  readonly field: string;
  readonly encoding: Encoding;
  readonly blob?: string;
}

/**
 * The line of an event, with its newline. A field over the limit is put into a blob first; the line keeps
 * a head of it, names the blob in `blob` and says in `blob_bodies` which field it is. `internalise` gives
 * back exactly the data that came in.
 */
export async function lineOf(event: KnownEvent, blobs: Blobs): Promise<string> {
  const line = jsonLine(event);
  if (!isLarge(line) && !hasImage(event)) return `${line}\n`;
  return `${jsonLine({ ...event, data: await externalise({ ...event.data }, blobs) })}\n`;
}

async function externalise(data: Data, blobs: Blobs): Promise<Data> {
  const line: Data = { ...data };
  const attachments = data['attachments'];
  if (Array.isArray(attachments)) {
    const packed: unknown[] = [];
    for (const attachment of attachments)
      packed.push(isData(attachment) ? await externalise(attachment, blobs) : attachment);
    line['attachments'] = packed;
  }
  const references: BodyReference[] = [];
  for (const [field, value] of Object.entries(line)) {
    const body = imageBody(field, value) ?? encode(value);
    if (body === null) continue;
    const blob = await blobs.put(body.bytes);
    const own = !('blob' in line);
    if (own) line['blob'] = blob;
    line[field] = headOf(value);
    references.push({ field, encoding: body.encoding, ...(own ? {} : { blob }) });
  }
  return references.length === 0 ? line : { ...line, [BODY_FIELD]: references };
}

interface Body {
  readonly bytes: Uint8Array;
  readonly encoding: Encoding;
}

function hasImage(event: KnownEvent): boolean {
  return attachmentsOf(event).some((one) => imageBody('data', one.data) !== null);
}

function attachmentsOf(event: LogEvent): readonly Attachment[] {
  if (event.type === 'user_message') return event.data.attachments;
  return event.type === 'tool_result' ? (event.data.attachments ?? []) : [];
}

/** An image is kept as the file it is, where its base64 is the one that the bytes give again. */
function imageBody(field: string, value: unknown): Body | null {
  if (field !== 'data' || typeof value !== 'string' || value === '') return null;
  const bytes = Buffer.from(value, 'base64');
  return bytes.toString('base64') === value ? { bytes, encoding: 'base64' } : null;
}

/** Null for what stays in the line. */
function encode(value: unknown): Body | null {
  if (typeof value !== 'string') {
    const json = typeof value === 'object' && value !== null ? JSON.stringify(value) : '';
    return isLarge(json) ? { bytes: Buffer.from(json), encoding: 'json' } : null;
  }
  if (!isLarge(value)) return null;
  // A lone surrogate has no UTF-8 form; as JSON it keeps its escape.
  return value.isWellFormed()
    ? { bytes: Buffer.from(value), encoding: 'text' }
    : { bytes: Buffer.from(JSON.stringify(value)), encoding: 'json' };
}

/** What stands in the line for a body: of the same kind, so that the line has the shape of its event. */
function headOf(value: unknown): unknown {
  if (typeof value === 'string') return `${value.slice(0, HEAD).toWellFormed()}…`;
  return Array.isArray(value) ? [] : {};
}

/** The event with its bodies in place again. Only events that name a body cost anything. */
export async function internalise(event: LogEvent, blobs: Pick<Blobs, 'get'>): Promise<ParsedLine> {
  const data = await restore({ ...event.data }, blobs);
  return data === null
    ? { ok: false, reason: 'its body, a blob, is missing or damaged' }
    : checkEvent({ ...event, data });
}

/** Whether `internalise` would change it. */
export function namesBody(event: LogEvent): boolean {
  if (event.type === 'unknown') return false;
  if (BODY_FIELD in event.data) return true;
  return attachmentsOf(event).some((attachment) => isData(attachment) && BODY_FIELD in attachment);
}

/** The bodies of an event that may name others: lists of attachments, each of which may have a body of its own. */
export function bodiesOfLists(event: LogEvent): readonly string[] {
  const data: Data = { ...event.data };
  const references = data[BODY_FIELD];
  if (event.type === 'unknown' || !Array.isArray(references)) return [];
  return references.filter(isReference).flatMap(({ field, blob }) => {
    const name = blob ?? data['blob'];
    return field === 'attachments' && typeof name === 'string' ? [name] : [];
  });
}

async function restore(line: Data, blobs: Pick<Blobs, 'get'>): Promise<Data | null> {
  const { [BODY_FIELD]: references = [], ...data } = line;
  if (!Array.isArray(references) || !references.every(isReference)) return null;
  for (const { field, encoding, blob } of references) {
    const name = blob ?? data['blob'];
    const bytes = typeof name === 'string' ? await blobs.get(name) : null;
    const body = bytes === null ? undefined : decode(Buffer.from(bytes), encoding);
    if (body === undefined) return null;
    data[field] = body;
  }
  if (references.some((reference) => reference.blob === undefined)) delete data['blob'];
  const attachments = data['attachments'];
  if (!Array.isArray(attachments)) return data;
  const whole: unknown[] = [];
  for (const attachment of attachments) {
    const restored = isData(attachment) ? await restore(attachment, blobs) : attachment;
    if (restored === null) return null;
    whole.push(restored);
  }
  return { ...data, attachments: whole };
}

/** Undefined for what is not as its line says: a body that is there can still be another's. */
function decode(bytes: Buffer, encoding: Encoding): unknown {
  if (encoding === 'base64') return bytes.toString('base64');
  const text = bytes.toString('utf8');
  if (encoding === 'text') return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isLarge(text: string): boolean {
  if (text.length > INLINE_LIMIT) return true;
  return text.length * 3 > INLINE_LIMIT && Buffer.byteLength(text) > INLINE_LIMIT;
}

function isData(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isReference(value: unknown): value is BodyReference {
  return (
    isData(value) &&
    typeof value['field'] === 'string' &&
    ['text', 'json', 'base64'].includes(String(value['encoding'])) &&
    (value['blob'] === undefined || typeof value['blob'] === 'string')
  );
}

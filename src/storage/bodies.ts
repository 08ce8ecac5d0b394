import { checkEvent, type ParsedLine } from '../runtime/event-line.ts';
import type { LogEvent } from '../runtime/events.ts';
import type { Blobs } from './blobs.ts';

/** Bodies over this size live in a blob; the line keeps a short head of them. */
export const INLINE_LIMIT = 32 * 1024;
const HEAD = 400;

/** The field that can grow, by event type. */
const BODY_FIELDS: Readonly<Record<string, string>> = {
  user_message: 'text',
  assistant_message: 'text',
  tool_call: 'args',
  tool_result: 'output',
  reasoning: 'item',
  skill_activation: 'content',
  history_compaction: 'summary',
  branch_summary: 'summary',
  diagnostic: 'details',
};

interface BodyReference {
  readonly field: string;
  readonly encoding: 'text' | 'json' | 'base64';
}

type Data = Record<string, unknown>;

/**
 * The data as it goes into the line: a large body is put into a blob first, and the line names it in
 * `blob` and says in `blob_body` which field it is. What comes back from `internalise` is the same data.
 */
export async function externalise(type: string, data: object, blobs: Blobs): Promise<object> {
  let line: Data = { ...data };
  const field = BODY_FIELDS[type];
  const body = field === undefined ? undefined : line[field];
  if (field !== undefined && body !== undefined) {
    // A lone surrogate has no UTF-8 form; as JSON it keeps its escape.
    const plain = typeof body === 'string' && body.isWellFormed() ? body : null;
    const encoding = plain === null ? 'json' : 'text';
    const text = plain ?? JSON.stringify(body);
    if (isLarge(text)) {
      const blob = await blobs.put(encode(text));
      line = {
        ...line,
        [field]: typeof body === 'string' ? `${body.slice(0, HEAD)}…` : null,
        blob,
        blob_body: { field, encoding },
      };
    }
  }
  if (type === 'user_message' && Array.isArray(line['attachments'])) {
    line = {
      ...line,
      attachments: await Promise.all(line['attachments'].map((item) => externaliseAttachment(item, blobs))),
    };
  }
  return line;
}

async function externaliseAttachment(attachment: unknown, blobs: Blobs): Promise<unknown> {
  if (!isData(attachment)) return attachment;
  for (const [field, encoding] of [
    ['data', 'base64'],
    ['text', 'text'],
  ] as const) {
    const body = attachment[field];
    if (typeof body !== 'string' || !isLarge(body)) continue;
    const bytes = encoding === 'base64' ? Buffer.from(body, 'base64') : encode(body);
    return { ...attachment, [field]: '', blob: await blobs.put(bytes), blob_body: { field, encoding } };
  }
  return attachment;
}

/** The event with its body in place again. Only events that name a body cost anything. */
export async function internalise(event: LogEvent, blobs: Blobs): Promise<ParsedLine> {
  const data = await restore({ ...event.data }, blobs);
  if (data === null) return { ok: false, reason: 'its body, a blob, is missing or damaged' };
  if (event.type !== 'user_message') return checkEvent({ ...event, data });
  const attachments: Data[] = [];
  for (const attachment of event.data.attachments) {
    const restored = await restore({ ...attachment }, blobs);
    if (restored === null) return { ok: false, reason: 'an attachment of it, a blob, is missing or damaged' };
    attachments.push(restored);
  }
  return checkEvent({ ...event, data: { ...data, attachments } });
}

/** Whether `internalise` would change it. */
export function namesBody(event: LogEvent): boolean {
  if ('blob_body' in event.data) return true;
  return (
    event.type === 'user_message' && event.data.attachments.some((attachment) => 'blob_body' in attachment)
  );
}

async function restore(data: Data, blobs: Blobs): Promise<Data | null> {
  const reference = data['blob_body'];
  if (!isReference(reference)) return data;
  const bytes = typeof data['blob'] === 'string' ? await blobs.get(data['blob']) : null;
  if (bytes === null) return null;
  const { blob_body: _, ...rest } = data;
  return { ...rest, [reference.field]: decode(bytes, reference.encoding) };
}

function decode(bytes: Uint8Array, encoding: BodyReference['encoding']): unknown {
  if (encoding === 'base64') return Buffer.from(bytes).toString('base64');
  const text = Buffer.from(bytes).toString('utf8');
  return encoding === 'text' ? text : JSON.parse(text);
}

function encode(text: string): Uint8Array {
  return Buffer.from(text, 'utf8');
}

function isLarge(text: string): boolean {
  return (
    text.length > INLINE_LIMIT || (text.length * 3 > INLINE_LIMIT && Buffer.byteLength(text) > INLINE_LIMIT)
  );
}

function isData(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isReference(value: unknown): value is BodyReference {
  if (!isData(value)) return false;
  return typeof value['field'] === 'string' && ['text', 'json', 'base64'].includes(String(value['encoding']));
}

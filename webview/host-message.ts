import type { HostMessage } from '../src/presenter/protocol.ts';
import { isRecord } from './fields.ts';

type FieldType = 'string' | 'number' | 'boolean' | 'list' | 'record';

/**
 * The fields that the store reads without looking, by message. A check of these is cheap enough for every
 * delta; the whole schema stays on the host's side, and so does its weight.
 */
const FIELDS = {
  snapshot: {
    session_id: 'string',
    title: 'string',
    access: 'record',
    items: 'list',
    has_more: 'boolean',
    settings: 'record',
  },
  append: { session_id: 'string', items: 'list' },
  prepend: { session_id: 'string', items: 'list', has_more: 'boolean' },
  extend: { session_id: 'string', items: 'list', has_later: 'boolean', after: 'number' },
  delta: { turn_id: 'string', stream_run_id: 'string', kind: 'string', text: 'string' },
  turn_state: { next_actions: 'list' },
  tool_state: { turn_id: 'string', call_id: 'string', name: 'string', state: 'string' },
  children: { session_id: 'string', items: 'list' },
  context_pressure: { tier: 'string' },
  compaction_preview: { session_id: 'string', record: 'record', next_actions: 'list' },
  plan: { steps: 'list' },
  notice: { level: 'string', message: 'string', next_actions: 'list' },
  failure: { for: 'string', kind: 'string', message: 'string', next_actions: 'list' },
  suggestions: { query_id: 'string', items: 'list' },
  attachment_standing: { turn_id: 'string', index: 'number', standing: 'string' },
  image: { sha256: 'string', mime: 'string' },
  unfit_attachments: { items: 'list' },
  skills: { query_id: 'string', items: 'list' },
  draft: { session_id: 'string', text: 'string', attachments: 'list', at: 'number' },
  compose: { text: 'string', attachments: 'list' },
  reveal: { what: 'string' },
} as const satisfies Record<HostMessage['type'], Readonly<Record<string, FieldType>>>;

export function isHostMessage(value: unknown): value is HostMessage {
  if (!isRecord(value) || typeof value.type !== 'string' || !isKnown(value.type)) return false;
  return Object.entries<FieldType>(FIELDS[value.type]).every(([key, type]) => hasType(value[key], type));
}

function isKnown(type: string): type is HostMessage['type'] {
  return Object.hasOwn(FIELDS, type);
}

function hasType(value: unknown, type: FieldType): boolean {
  if (type === 'list') return Array.isArray(value);
  return type === 'record' ? isRecord(value) : typeof value === type;
}

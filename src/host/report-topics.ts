import { parseLogPlace, parseRequestPlace } from './diagnostics-arguments.ts';
import type { Translate } from './translation.ts';

/** What a report is about. It is in the address, so that a report can be made again from it alone. */
export type ReportTopic =
  | {
      readonly kind: 'request';
      readonly session_id: string;
      /** The last event that it is made of; null for the next request. */
      readonly at: number | null;
      readonly raw: boolean;
    }
  | { readonly kind: 'diagnosis'; readonly session_id: string; readonly raw: boolean }
  | {
      readonly kind: 'checkpoint';
      readonly session_id: string;
      readonly seq: number;
      readonly raw: boolean;
    }
  /** Of the last preview that was asked for: only the host has it. */
  | { readonly kind: 'compaction_preview'; readonly session_id: string; readonly raw: boolean }
  /** Of all sessions. */
  | { readonly kind: 'storage' }
  | {
      readonly kind: 'log';
      readonly session_id: string;
      readonly place: { readonly seq: number } | { readonly line: number } | null;
    };

export const REPORT_SCHEME = 'ledgerline-report';

export function queryOf(topic: ReportTopic): string {
  return JSON.stringify(topic);
}

/** Null for what is no address of a report. */
export function topicOf(query: string): ReportTopic | null {
  const value = parsed(query);
  if (typeof value !== 'object' || value === null || !('kind' in value)) return null;
  if (value.kind === 'storage') return { kind: 'storage' };
  const { session_id } = parseRequestPlace(value) ?? {};
  if (session_id === undefined) return null;
  const raw = 'raw' in value && value.raw === true;
  switch (value.kind) {
    case 'request': {
      const at = 'at' in value && typeof value.at === 'number' ? value.at : null;
      return { kind: 'request', session_id, at, raw };
    }
    case 'diagnosis':
      return { kind: 'diagnosis', session_id, raw };
    case 'checkpoint': {
      const { seq } = parseLogPlace(value) ?? {};
      return seq === undefined ? null : { kind: 'checkpoint', session_id, seq, raw };
    }
    case 'compaction_preview':
      return { kind: 'compaction_preview', session_id, raw };
    case 'log': {
      const { seq, line } = ('place' in value ? parseLogPlace(value.place) : null) ?? {};
      const place = seq !== undefined ? { seq } : line !== undefined ? { line } : null;
      return { kind: 'log', session_id, place };
    }
    default:
      return null;
  }
}

/** The name of its tab. The ending gives the language. */
export function nameOf(topic: ReportTopic, t: Translate): string {
  switch (topic.kind) {
    case 'request': {
      const ending = topic.raw ? 'json' : 'md';
      return `${topic.at === null ? t('Next request') : t('Request after seq {0}', topic.at)}.${ending}`;
    }
    case 'diagnosis':
      return `${t('Diagnosis')}.${topic.raw ? 'json' : 'md'}`;
    case 'checkpoint':
      return `${t('Checkpoint at seq {0}', topic.seq)}.${topic.raw ? 'json' : 'md'}`;
    case 'compaction_preview':
      return `${t('Preview of a compaction')}.${topic.raw ? 'json' : 'md'}`;
    case 'storage':
      return `${t('Storage use')}.md`;
    case 'log':
      return `${t('Log (excerpt)')}.jsonl`;
  }
}

function parsed(query: string): unknown {
  try {
    return JSON.parse(query);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

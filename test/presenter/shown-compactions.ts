import type { CompactionSource, ShownCompaction } from '../../src/presenter/compaction-document.ts';
import type { Report } from '../../src/presenter/report-text.ts';
import { RECORD } from '../support/compaction-record.ts';

/** Compactions as their documents get them. */

export const CHECKPOINT: CompactionSource = { kind: 'checkpoint', seq: 143, ts: '2026-01-02T03:04:05.678Z' };
export const PREVIEW: CompactionSource = {
  kind: 'preview',
  at_seq: 142,
  standing: { kind: 'current' },
  next_actions: [
    { label: 'Compact now', command: 'ledgerline.compact' },
    { label: 'Open log', command: 'ledgerline.openLog', args: [{ seq: 3 }] },
  ],
};

export function shown(
  source: CompactionSource,
  data: Readonly<Record<string, unknown>> = { ...RECORD },
): ShownCompaction {
  return { session_id: 's1', source, data };
}

/** Each link, and where it leads. */
export function linked({ text, links }: Report): readonly string[] {
  return links.map(({ offset, length, target }) => {
    const to =
      target.kind === 'raw' ? 'raw' : `${target.action.command} ${JSON.stringify(target.action.args)}`;
    return `${text.slice(offset, offset + length)} -> ${to}`;
  });
}

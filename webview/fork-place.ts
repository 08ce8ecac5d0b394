import type { Entry, Turn } from './transcript.ts';

type Place = { readonly 'data-vscode-context'?: string };

/** VS Code reads this when a menu is opened on the element: the menu then says from where to fork. */
export function forkPlace(at_seq: number | undefined): Place {
  if (at_seq === undefined || at_seq < 0) return {};
  return { 'data-vscode-context': JSON.stringify({ webviewSection: 'transcriptEntry', at_seq }) };
}

/** Of all entries on the page, which then say only where in it they are. */
export function forkSession(session_id: string | undefined): Place {
  return session_id === undefined ? {} : { 'data-vscode-context': JSON.stringify({ session_id }) };
}

/** Pure: the last event of a turn that a fork would have. */
export function lastSeq({ prompt, entries }: Turn): number | undefined {
  const seqs = entries.map(endOf);
  const last = Math.max(prompt?.seq ?? -1, ...seqs);
  return last < 0 ? undefined : last;
}

/** Pure: an entry is over with the last event of it. */
export function endOf(entry: Entry): number {
  return entry.kind === 'call' ? (entry.result?.seq ?? entry.seq) : entry.seq;
}

import type { Stream } from './state.ts';
import type { Entry, Turn } from './transcript.ts';

export interface DrawnEntry {
  /** The same for what streams in and for what the log then has of it: so it stays in place when it settles. */
  readonly key: string;
  readonly entry: Entry;
  readonly live: boolean;
}

/** Pure: what a turn shows in order, the log's entries first and what streams in after them. */
export function drawnEntries({ entries }: Turn, stream: Stream | null): readonly DrawnEntry[] {
  const taken = new Set<string>();
  const drawn = (entry: Entry, live: boolean): DrawnEntry => {
    // It may become known by an earlier event than it was.
    if (entry.kind === 'agent') return { key: `agent ${entry.subagent_id}`, entry, live };
    if (entry.kind === 'workflow') return { key: `workflow ${entry.workflow_id}`, entry, live };
    const streamed = entry.kind === 'text' || entry.kind === 'thought';
    const key = streamed && entry.stream_run_id !== '' ? `${entry.kind} ${entry.stream_run_id}` : '';
    if (key === '' || taken.has(key)) return { key: String(entry.seq), entry, live };
    taken.add(key);
    return { key, entry, live };
  };
  return [
    ...entries.map((entry) => drawn(entry, false)),
    ...thoughts(stream).map((entry) => drawn(entry, stream?.text === '')),
    ...answers(stream).map((entry) => drawn(entry, true)),
  ];
}

/** They have no place in the log yet. */
const NOT_YET = -1;

function thoughts(stream: Stream | null): readonly Entry[] {
  if (stream === null || stream.reasoning === '') return [];
  const { stream_run_id, reasoning } = stream;
  return [{ kind: 'thought', seq: NOT_YET, stream_run_id, summary: reasoning, ms: null }];
}

function answers(stream: Stream | null): readonly Entry[] {
  if (stream === null || stream.text === '') return [];
  const { stream_run_id, text } = stream;
  const place = { seq: NOT_YET, ts: '', stream_run_id };
  return [{ kind: 'text', ...place, text, partial: false, whole: false, cut: false }];
}

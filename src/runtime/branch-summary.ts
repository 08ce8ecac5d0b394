import { channelOf } from './channels.ts';
import { isEvidence, type History } from './compaction/history.ts';
import { limitationsOf } from './compaction/limitations.ts';
import { rangeFacts } from './compaction/range-facts.ts';
import { summaryOf } from './compaction/summary.ts';
import { draft, type Draft, type LogEvent } from './events.ts';
import { lineOf, utf8Length } from './text-size.ts';
import { toldPart } from './told-part.ts';

const LISTED_CHARS = 300;
const SUMMARY_BYTES = 24 * 1024;

const STILL_CHANGED = 'Files that were changed there are still changed on disk: forking takes nothing back.';
const PARTLY_UNDONE =
  'Some changes of that session were undone there. Forking takes nothing back on disk: look at a file before relying on it.';
const NOT_HERE =
  'It happened in the session that was forked, after the point where this one begins. Log seqs named here are of that session.';
const NOT_OVER = 'That session was not at its end when this was written: it may have gone on since.';
const DAMAGED = 'The log of that session is damaged: what follows the damaged line is left out.';
const NOT_ITS_CHILDREN =
  'Subagents named here belong to that session: they cannot be waited for or closed here.';

/**
 * What a fork leaves behind, folded from the events of its parent: those up to the fork first, then those after it. The
 * same log gives the same words. Of what is long only what could be told is kept: what it holds grows with how many events
 * there are, and not with what they say.
 */
export class LeftBehind {
  /** Calls of the fork without a result: the one that comes after it is told with its call. */
  private readonly open = new Map<string, LogEvent>();
  private readonly kept: LogEvent[] = [];
  private readonly counts = new Map<string, number>();
  /** Of outputs, which are not kept, by their calls. */
  private readonly sizes = new Map<string, number>();
  private hasChildren = false;
  private hasUndo = false;

  /** One that the fork has, or that is before what it has. */
  passed(event: LogEvent): void {
    if (event.type === 'tool_call') this.open.set(event.data.call_id, toldPart(event));
    if (event.type === 'tool_result') this.open.delete(event.data.call_id);
  }

  push(event: LogEvent): void {
    this.counts.set(event.type, (this.counts.get(event.type) ?? 0) + 1);
    if (event.type === 'tool_result') this.sizes.set(event.data.call_id, utf8Length(event.data.output ?? ''));
    if (event.type === 'subagent_event') this.hasChildren = true;
    if (event.type === 'file_change' && event.data.undo_of !== undefined) this.hasUndo = true;
    if (isEvidence(event) || channelOf(event) === 'replayed') this.kept.push(toldPart(event));
  }

  /** Null where nothing is left behind that could be told. */
  draft(fork: {
    readonly parent_session_id: string;
    readonly forked_to_seq: number;
    readonly damaged: boolean;
    readonly goes_on: boolean;
  }): Draft | null {
    if (this.kept.every(({ type }) => type === 'developer_context')) return null;
    const { parent_session_id, forked_to_seq, damaged, goes_on } = fork;
    const facts = rangeFacts(this.history(), { tail_from_seq: Infinity, keeps: [], tail: 0 });
    const told = summaryOf(facts, 'The request above, from here on');
    const summary = headOfBytes(told.text === '' ? 'Nothing was asked or answered there.' : told.text);
    const isCut = summary.length < told.text.length && told.text !== '';
    const left_out = [...told.left_out, ...(isCut ? ['The end of the summary is cut off.'] : [])];
    const skills_dropped = facts.skills_dropped.map((name) => lineOf(name, LISTED_CHARS));
    const limitations = [
      NOT_HERE,
      this.hasUndo ? PARTLY_UNDONE : STILL_CHANGED,
      ...limitationsOf(
        { ...facts, skills_dropped },
        { strategy: 'deterministic_v1', left_out, fallback: undefined },
      ),
      ...(this.hasChildren ? [NOT_ITS_CHILDREN] : []),
      ...(goes_on ? [NOT_OVER] : []),
      ...(damaged ? [DAMAGED] : []),
    ];
    return draft('branch_summary', {
      parent_session_id,
      forked_to_seq,
      summary,
      files_touched: facts.files_touched.map((path) => lineOf(path, LISTED_CHARS)),
      open_tasks: facts.open_tasks,
      limitations: [...new Set(limitations)],
    });
  }

  private history(): History {
    const { counts, sizes } = this;
    const events = [...this.open.values(), ...this.kept];
    return { events, checkpoint: null, sizes, countsBefore: () => Object.fromEntries(counts) };
  }
}

/** Whole lines that fit; the last of them is where it ends. */
function headOfBytes(text: string): string {
  let bytes = 0;
  const kept: string[] = [];
  for (const line of text.split('\n')) {
    bytes += utf8Length(line) + 1;
    if (bytes > SUMMARY_BYTES) break;
    kept.push(line);
  }
  return kept.join('\n');
}

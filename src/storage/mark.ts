import type { Children } from '../runtime/agents/children.ts';
import { RememberedChildren } from '../runtime/compaction/remembered-children.ts';
import { pastDecision, type PastDecision } from '../runtime/decisions.ts';
import type { EventData, LogEvent } from '../runtime/events.ts';
import type { Pressure } from '../runtime/pressure.ts';
import { turnRecord, type SessionState, type TurnRecord } from '../runtime/session-state.ts';
import type { WorkflowState } from '../runtime/workflows/state.ts';
import type { BytesHasher } from './blobs.ts';
import { readWhole, replaceFile, type Disk, type DiskFile } from './disk.ts';
import type { ScanStart } from './log-scan.ts';

/** Where folding may begin, because a checkpoint stands for everything before, and what it has to know. */
export interface Resume extends ScanStart {
  readonly fork_root_session_id: string;
  readonly context: EventData['developer_context'] | null;
  readonly context_seq: number;
  readonly pressure: Pressure;
  readonly children: Children;
  readonly workflows: readonly WorkflowState[];
  readonly turns: readonly TurnRecord[];
  /** What was decided, by the ids of the decisions: each acts once, however long ago. */
  readonly decisions: readonly (readonly [string, PastDecision])[];
}

/** A note of what was verified. Only a cache: without it, or when it does not fit, everything is read. */
export interface Mark {
  readonly v: 4;
  readonly bytes: number;
  /** Hash of the log's bytes just before `bytes` and of `resume`: another or a changed one does not have it. */
  readonly check: string;
  readonly resume: Resume;
}

const CHECKED = 4096;

export async function makeMark(
  file: DiskFile,
  bytes: number,
  resume: Resume,
  hasher: BytesHasher,
): Promise<Mark> {
  const from = Math.max(0, bytes - CHECKED);
  const last = hasher.sha256(await file.read(from, bytes - from));
  return { v: 4, bytes, check: hasher.sha256(`${last} ${bytes} ${JSON.stringify(resume)}`), resume };
}

export async function readMark(
  disk: Disk,
  path: string,
  file: DiskFile,
  hasher: BytesHasher,
): Promise<Mark | null> {
  const bytes = await readWhole(disk, path);
  const mark = bytes === null ? null : parse(bytes);
  if (mark === null) return null;
  const { check } = await makeMark(file, mark.bytes, mark.resume, hasher);
  return check === mark.check ? mark : null;
}

export async function writeMark(disk: Disk, path: string, mark: Mark): Promise<void> {
  const bytes = new TextEncoder().encode(JSON.stringify(mark));
  await replaceFile(disk, path, bytes, { temporary: `${path}.tmp`, durable: false });
}

function parse(bytes: Uint8Array): Mark | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isMark(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Written by this program and checked against the log by hash; the shape guards against other versions. */
function isMark(value: unknown): value is Mark {
  if (typeof value !== 'object' || value === null) return false;
  if (!('v' in value && 'bytes' in value && 'check' in value && 'resume' in value)) return false;
  const { resume } = value;
  if (value.v !== 4 || typeof value.check !== 'string') return false;
  if (typeof value.bytes !== 'number' || !Number.isSafeInteger(value.bytes) || value.bytes < 0) return false;
  return (
    typeof resume === 'object' &&
    resume !== null &&
    'offset' in resume &&
    'pressure' in resume &&
    'children' in resume &&
    'workflows' in resume &&
    'turns' in resume &&
    Array.isArray(resume.turns) &&
    'decisions' in resume &&
    Array.isArray(resume.decisions)
  );
}

/** What was known where a turn starts; of the decisions, how many there were. */
type Start = Omit<Resume, 'turns' | 'decisions'> & { readonly decided: number };

/** Follows a scan and remembers the last place from which folding could begin again. */
export class ResumeFinder {
  private line: number;
  private readonly turns: TurnRecord[];
  private readonly decisions: (readonly [string, PastDecision])[];
  /** One entry a turn: where it starts, and what was known there. */
  private starts: Start[] = [];
  /** Children that a later checkpoint may speak of: what the log says of them has to be folded. */
  private readonly children = new RememberedChildren();
  private best: Resume | null;

  constructor(from: Resume | null) {
    this.turns = [...(from?.turns ?? [])];
    this.decisions = [...(from?.decisions ?? [])];
    this.line = from?.line ?? 1;
    this.best = from;
  }

  get resume(): Resume | null {
    return this.best;
  }

  /** Each event, before it is folded, with the fold so far. */
  visit(event: LogEvent, offset: number, before: () => SessionState): void {
    if (event.type === 'user_message') this.startTurn(event.seq, offset, before());
    if (event.type === 'tool_call_decision') this.decisions.push(pastDecision(event.data));
    this.children.push(event);
    if (event.type === 'history_compaction') this.compacted(event.data);
    this.line += 1;
  }

  private startTurn(next_seq: number, offset: number, before: SessionState): void {
    const { turn, fork_root_session_id, context, context_seq, pressure, children, workflows } = before;
    if (turn !== null) {
      this.turns.push(turnRecord(turn));
    }
    const { line } = this;
    const known = { fork_root_session_id, context, context_seq, pressure, children, workflows };
    this.starts.push({ offset, next_seq, line, ...known, decided: this.decisions.length });
  }

  private compacted({ tail_from_seq, keeps = [] }: EventData['history_compaction']): void {
    const known = this.best?.turns.length ?? 0;
    this.children.compacted(tail_from_seq);
    // What a checkpoint keeps, such as the prompt of a turn that it cuts, is to be folded too.
    const needed = Math.min(tail_from_seq, ...keeps, ...this.children.places);
    const index = this.starts.findLastIndex((start) => start.next_seq <= needed);
    const start = this.starts[index];
    if (start === undefined) return;
    const { decided, ...place } = start;
    const decisions = this.decisions.slice(0, decided);
    this.best = { ...place, turns: this.turns.slice(0, known + index), decisions };
    this.starts = this.starts.slice(index);
  }
}

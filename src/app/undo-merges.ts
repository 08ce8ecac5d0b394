import { MERGE_OPENED } from '../runtime/change-facts.ts';
import { draft } from '../runtime/events.ts';
import { hasMoreConflicts, isTakenBack } from '../runtime/line-hunks.ts';
import { fileSteps } from '../runtime/turn-changes.ts';
import { sha256 } from '../tools/file-replacement.ts';
import { sidesOf, type MergeSides } from './merge-sides.ts';
import { readTurn } from './turn-log.ts';
import type { UndoPorts, UndoRequests } from './undo.ts';
import type { UndoRequest } from './undo-preview.ts';
import { unsavedChanges } from './undo-refusals.ts';

type MergeRequest = UndoRequest & { readonly path: string };

/** A merge that was opened: three texts, and what the file has to be for the merge to start from it. */
export interface OpenedMerge {
  readonly request: MergeRequest;
  readonly session_id: string;
  readonly sides: Extract<MergeSides, { kind: 'sides' }>;
}

interface NotOpened {
  readonly kind: string;
  readonly message: string;
}

/**
 * Merges of files that have changed since. That one is opened is on record before it is; what the person makes of it is
 * recorded as the undo that it is where the log can say so truthfully, and otherwise not at all.
 */
export class UndoMerges {
  constructor(
    private readonly requests: Pick<UndoRequests, 'standing'>,
    private readonly ports: Pick<UndoPorts, 'tools' | 'blobs' | 'unsaved' | 'inOrder'>,
  ) {}

  /** The words say why it is not opened. */
  async open(request: MergeRequest): Promise<OpenedMerge | NotOpened> {
    let merge: OpenedMerge | NotOpened = { kind: 'read_only', message: READ_ONLY };
    await this.ports.inOrder(async () => {
      merge = await this.opened(request);
    });
    return merge;
  }

  private async opened(request: MergeRequest): Promise<OpenedMerge | NotOpened> {
    const { tools, blobs, unsaved } = this.ports;
    const standing = await this.requests.standing(request.way);
    if (!('opened' in standing))
      return 'message' in standing ? standing : { kind: standing.kind, message: READ_ONLY };
    const { opened, session } = standing;
    const log = await readTurn(opened, request.turn_id);
    const [step] = log === null ? [] : fileSteps(log.evidence.changes, request.way, request.path);
    if (log === null || step === undefined)
      return {
        kind: 'nothing_to_merge',
        message: 'There is nothing to merge: this turn has no such change.',
      };
    if (unsaved(step.path)) return unsavedChanges(step);
    const sides = await sidesOf(log, step, { tools: await tools(), blobs });
    if (sides.kind === 'refused') return { kind: 'not_merged', message: sides.message };
    const { path, turn_id } = { ...request, path: sides.path };
    await session.note([
      draft('diagnostic', {
        turn_id,
        code: MERGE_OPENED,
        message: `A merge was opened: ${path}.`,
        details: { paths: [path], way: request.way, from_sha256: sides.now_sha256 },
        next_actions: [],
      }),
    ]);
    return { request: { ...request, path }, session_id: opened.id, sides };
  }

  /** The merge is closed: whether what is saved now is on record as the undo. */
  async close({ request, session_id, sides }: OpenedMerge): Promise<boolean> {
    let isRecorded = false;
    await this.ports.inOrder(async () => {
      isRecorded = await this.record(request, session_id, sides);
    });
    return isRecorded;
  }

  private async record(
    { turn_id, way, path }: MergeRequest,
    session_id: string,
    { base, before, now, now_sha256 }: OpenedMerge['sides'],
  ): Promise<boolean> {
    const { tools, blobs } = this.ports;
    const standing = await this.requests.standing(way);
    if (!('opened' in standing) || standing.opened.id !== session_id) return false;
    const log = await readTurn(standing.opened, turn_id);
    const [step] = log === null ? [] : fileSteps(log.evidence.changes, way, path);
    if (step === undefined) return false;
    const saved = await (await tools()).contentOf(path, new AbortController().signal);
    if (!saved.ok || saved.value === undefined) return false;
    const after_sha256 = sha256(saved.value);
    if (after_sha256 === now_sha256) return false;
    // What the change had made must not stand any more: only then it is taken back.
    const result = saved.value.toString('utf8');
    if (hasMoreConflicts(result, now) || isTakenBack({ made: base, before, now: result }) !== true)
      return false;
    // What the merge started from is what taking it back goes to: it is kept before the event that names it.
    const before_blob = await blobs.put(Buffer.from(now, 'utf8'));
    const named = way === 'undo' ? { undo_of: step.calls } : { redo_of: step.calls };
    await standing.session.note([
      draft('file_change', {
        turn_id,
        call_id: step.last.call_id,
        path,
        before_sha256: now_sha256,
        after_sha256,
        before_blob,
        created: false,
        deleted: false,
        ...named,
        merged: true,
      }),
    ]);
    return true;
  }
}

const READ_ONLY = 'This session cannot be written to here, so nothing of it is undone.';

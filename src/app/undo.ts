import type { PresenterMessage } from '../presenter/protocol.ts';
import { draft } from '../runtime/events.ts';
import type { FileChange } from '../runtime/ports.ts';
import type { Session } from '../runtime/session.ts';
import { isTerminal, turnState } from '../runtime/turn.ts';
import { changedFiles, foldersMadeFor, undoSteps, type UndoStep } from '../runtime/turn-changes.ts';
import { UNDO_REFUSED, UNDO_REQUESTED, type TurnEvidence } from '../runtime/turn-evidence.ts';
import type { Blobs } from '../storage/blobs.ts';
import { sha256 } from '../tools/file-replacement.ts';
import type { WorkspaceToolBox } from '../tools/tool-box.ts';
import type { ConversationView } from './conversation-view.ts';
import type { SessionSlot } from './session-slot.ts';
import { readTurn, type TurnLog } from './turn-log.ts';

export interface UndoPorts {
  readonly slot: SessionSlot;
  readonly view: ConversationView;
  readonly trusted: () => boolean;
  readonly tools: () => Promise<WorkspaceToolBox>;
  readonly blobs: Blobs;
}

/** A file that was not put back, and why. */
interface Refusal {
  readonly path: string;
  readonly kind: string;
  readonly message: string;
}

type Undo = Omit<Extract<PresenterMessage, { type: 'undo' }>, 'v' | 'type'>;

/**
 * Takes the changes of a turn back, file by file. That it is asked for is on record before the first file is
 * touched, and each file as soon as it is done: whoever is cut off in between leaves a log that says which files
 * are open, and asking again finishes them.
 */
export class UndoRequests {
  constructor(private readonly ports: UndoPorts) {}

  async undo({ turn_id, path }: Undo): Promise<void> {
    const { slot, view, trusted } = this.ports;
    await slot.loaded;
    const opened = slot.session;
    if (opened === null || opened.session === null || opened.access.kind !== 'writer')
      return view.refuse('undo');
    if (!trusted()) {
      const text = 'This workspace is not trusted, so no file in it is changed. Nothing was undone.';
      return view.failure('undo', 'untrusted', text);
    }
    const { turn } = opened.session.state;
    if (opened.session.running || (turn !== null && !isTerminal(turnState(turn)))) {
      const text = 'A turn is still under way or waits for you. End it first; nothing was undone.';
      return view.failure('undo', 'turn_under_way', text);
    }
    const log = await readTurn(opened, turn_id);
    if (log === null)
      return view.failure('undo', 'unknown_turn', 'This session has no such turn. Nothing was undone.');
    const steps = undoSteps(log.evidence.changes, path ?? null);
    if (steps.length === 0) return this.nothing(log.evidence, path ?? null);
    await this.carryOut(opened.session, steps, log);
  }

  private async carryOut(session: Session, steps: readonly UndoStep[], log: TurnLog): Promise<void> {
    const { turn_id } = log;
    const tools = await this.ports.tools();
    const paths = steps.map((step) => step.path);
    await session.note([
      draft('diagnostic', {
        turn_id,
        code: UNDO_REQUESTED,
        message: `Undo was asked for: ${paths.join(', ')}.`,
        details: { paths },
        next_actions: [],
      }),
    ]);
    const refusals: Refusal[] = [];
    let undone = 0;
    for (const step of steps) {
      const refusal = await this.putBack(session, step, tools, log);
      if (refusal === null) undone += 1;
      if (refusal !== null) refusals.push(refusal);
      else if (step.rest > 0) refusals.push(partly(step));
    }
    if (refusals.length > 0) await this.refused(session, turn_id, refusals, undone);
  }

  private async putBack(
    session: Session,
    step: UndoStep,
    tools: WorkspaceToolBox,
    { turn_id, own, evidence }: TurnLog,
  ): Promise<Refusal | null> {
    const { change, call_id, undo_of, path } = step;
    const before = change.before_blob === null ? null : await this.ports.blobs.get(change.before_blob);
    if (before === null && change.before_sha256 !== null)
      return {
        path,
        kind: 'content_missing',
        message: `${path}: its former content is no longer in storage.`,
      };
    const signal = new AbortController().signal;
    const noteDone = async (made: FileChange): Promise<null> => {
      const folders = made.deleted ? await tools.removeEmptyFolders(foldersMadeFor(path, own)) : [];
      const removed = folders.length === 0 ? {} : { removed_folders: folders };
      await session.note([draft('file_change', { turn_id, call_id, ...made, undo_of, ...removed })]);
      return null;
    };
    const done = await tools.undo(change, before, signal);
    if (done.ok) return noteDone(done.value);
    // Cut off after the file was put back and before that was on record.
    if (evidence.undo_open.includes(path) && (await isAsBefore(tools, change, signal))) {
      const { before_sha256, after_sha256, created, deleted } = change;
      const reverse = {
        path,
        before_sha256: after_sha256,
        after_sha256: before_sha256,
        before_blob: null,
        created: deleted,
        deleted: created,
      };
      return noteDone(reverse);
    }
    const { kind, message } = done.error;
    if (kind === 'file_gone') return gone(step);
    return kind === 'file_changed'
      ? { path, kind, message: `${path}: changed since, so it was left as it is.` }
      : { path, kind, message };
  }

  /** The refusal is a fact as well: without it the log would say that the files are still to be put back. */
  private async refused(
    session: Session,
    turn_id: string,
    refusals: readonly Refusal[],
    undone: number,
  ): Promise<void> {
    const [first] = refusals;
    const kind = refusals.every((one) => one.kind === first?.kind) ? (first?.kind ?? '') : 'undo_refused';
    const head = undone === 0 ? 'Nothing was undone.' : 'Not everything was undone.';
    const message = [head, ...refusals.map((one) => one.message)].join('\n');
    await session.note([
      draft('diagnostic', {
        turn_id,
        code: UNDO_REFUSED,
        message,
        details: { paths: refusals.map((one) => one.path) },
        next_actions: [],
      }),
    ]);
    this.ports.view.failure('undo', kind, message);
  }

  private nothing({ changes, commands }: TurnEvidence, path: string | null): void {
    const files = changedFiles(changes).filter((file) => path === null || file.path === path);
    if (files.length > 0) {
      const what = path ?? 'Everything that this turn changed';
      return this.ports.view.failure('undo', 'already_undone', `${what} was undone before.`);
    }
    const ran = commands.some(({ outcome }) => outcome === 'succeeded' || outcome === 'failed');
    const note = ran ? ' What its commands did cannot be undone here.' : '';
    const text = path === null ? 'This turn changed no file.' : `This turn did not change ${path}.`;
    this.ports.view.failure('undo', 'nothing_to_undo', `${text}${note}`);
  }
}

function gone({ path, change }: UndoStep): Refusal {
  const message =
    change.before_sha256 === null
      ? `${path}: no longer there, so there is nothing to take back. If you renamed or moved it, delete it where it is now.`
      : `${path}: no longer there. It was deleted, renamed or moved since: put it back under this name, then undo again.`;
  return { path, kind: 'file_gone', message };
}

function partly({ path }: UndoStep): Refusal {
  return {
    path,
    kind: 'partly_undone',
    message: `${path}: something else changed it between the edits, so only those after that were taken back.`,
  };
}

async function isAsBefore(
  tools: WorkspaceToolBox,
  { path, before_sha256 }: UndoStep['change'],
  signal: AbortSignal,
): Promise<boolean> {
  const now = await tools.contentOf(path, signal);
  if (!now.ok) return false;
  return (now.value === undefined ? null : sha256(now.value)) === before_sha256;
}

import type { PresenterMessage } from '../presenter/protocol.ts';
import {
  FILE_CHANGED,
  REDO_REFUSED,
  REDO_REQUESTED,
  UNDO_REFUSED,
  UNDO_REQUESTED,
} from '../runtime/change-facts.ts';
import { draft, type NextAction } from '../runtime/events.ts';
import type { FileChange } from '../runtime/ports.ts';
import type { Session } from '../runtime/session.ts';
import { isTerminal, turnState } from '../runtime/turn.ts';
import { changedFiles, fileSteps, foldersMadeFor, type FileStep, type Way } from '../runtime/turn-changes.ts';
import { mayHaveRun } from '../runtime/turn-evidence.ts';
import type { Blobs } from '../storage/blobs.ts';
import { sha256 } from '../tools/file-replacement.ts';
import type { WorkspaceToolBox } from '../tools/tool-box.ts';
import { contentBefore, NOTHING } from './change-contents.ts';
import type { ConversationView } from './conversation-view.ts';
import { sidesOf } from './merge-sides.ts';
import type { OpenedSession } from './open-session.ts';
import type { SessionSlot } from './session-slot.ts';
import { readTurn, type TurnLog } from './turn-log.ts';
import { UndoMerges } from './undo-merges.ts';
import type { PreviewPorts } from './undo-preview.ts';
import {
  contentMissing,
  OF_PARENT,
  partly,
  refusalOf,
  requestWords,
  unsavedChanges,
  WORDS,
  type Refusal,
} from './undo-refusals.ts';

export interface UndoPorts {
  readonly slot: SessionSlot;
  readonly view: ConversationView;
  readonly trusted: () => boolean;
  readonly tools: () => Promise<WorkspaceToolBox>;
  readonly blobs: Blobs;
  readonly unsaved: PreviewPorts['unsaved'];
  /** After what came before it, and before what comes next. */
  readonly inOrder: (work: () => Promise<void>) => Promise<void>;
}

type Asked = Omit<Extract<PresenterMessage, { type: Way }>, 'v'>;

const CODES = {
  undo: { requested: UNDO_REQUESTED, refused: UNDO_REFUSED },
  redo: { requested: REDO_REQUESTED, refused: REDO_REFUSED },
} as const satisfies Record<Way, object>;

/** A session whose files may be put back now, or the words that say why not. */
type Standing =
  | { readonly kind: 'open'; readonly opened: OpenedSession; readonly session: Session }
  | { readonly kind: 'read_only' }
  | { readonly kind: string; readonly message: string };

/**
 * Takes the changes of a turn back, file by file, and such an undo as well. That it is asked for is on record before
 * the first file is touched, and each file as soon as it is done: whoever is cut off in between leaves a log that
 * says which files are open, and asking again, for either, settles them first.
 */
export class UndoRequests {
  readonly merges: UndoMerges;

  constructor(private readonly ports: UndoPorts) {
    this.merges = new UndoMerges(this, ports);
  }

  async carryOut({ type: way, turn_id, path }: Asked): Promise<void> {
    const { view } = this.ports;
    const standing = await this.standing(way);
    if (!('opened' in standing)) {
      if (!('message' in standing)) return view.refuse(way);
      return view.failure(way, standing.kind, standing.message);
    }
    const { opened, session } = standing;
    const found = await readTurn(opened, turn_id);
    if (found === null) return view.failure(way, 'unknown_turn', WORDS[way].unknown_turn);
    const tools = await this.ports.tools();
    const log = (await this.settled(session, found, tools)) ? await readTurn(opened, turn_id) : found;
    if (log === null) return;
    const only = path ?? null;
    const steps = fileSteps(log.evidence.changes, way, only);
    if (steps.length > 0) return this.putAllBack(session, steps, log, tools);
    // What was cut off and is settled now is what was asked for.
    if (log === found || fileSteps(found.evidence.changes, way, only).length === 0)
      this.nothing(way, log, only);
  }

  /** Nothing is put back while a turn runs or waits, by one who does not write the log, or where nobody trusts the files. */
  async standing(way: Way): Promise<Standing> {
    const { slot, trusted } = this.ports;
    await slot.loaded;
    const opened = slot.session;
    if (opened === null || opened.session === null || opened.access.kind !== 'writer')
      return { kind: 'read_only' };
    if (!trusted()) return { kind: 'untrusted', message: WORDS[way].untrusted };
    const { session } = opened;
    const hasEnded = (): boolean => session.state.turn === null || isTerminal(turnState(session.state.turn));
    // The end of a turn is on record, and shown, a moment before its run is over.
    if (hasEnded()) await session.settled();
    if (session.running || !hasEnded()) return { kind: 'turn_under_way', message: WORDS[way].under_way };
    return { kind: 'open', opened, session };
  }

  /** Cut off after a file was put back and before that was on record: then it is recorded now. Whether any was. */
  private async settled(session: Session, log: TurnLog, tools: WorkspaceToolBox): Promise<boolean> {
    const { changes, undo_open, redo_open } = log.evidence;
    const steps = [
      ...fileSteps(changes, 'undo', null).filter(({ path }) => undo_open.includes(path)),
      ...fileSteps(changes, 'redo', null).filter(({ path }) => redo_open.includes(path)),
    ];
    let any = false;
    for (const step of steps) {
      const { path, change } = step;
      const { before_sha256, after_sha256, created, deleted } = change;
      const now = await tools.contentOf(path, new AbortController().signal);
      if (!now.ok || (now.value === undefined ? null : sha256(now.value)) !== before_sha256) continue;
      const kept = after_sha256 === null ? null : await this.ports.blobs.get(after_sha256);
      const made: FileChange = {
        path,
        before_sha256: after_sha256,
        after_sha256: before_sha256,
        // It was kept before the file was touched.
        before_blob: kept === null ? null : after_sha256,
        created: deleted,
        deleted: created,
      };
      await this.noteDone(session, step, { made, log, tools });
      any = true;
    }
    return any;
  }

  private async putAllBack(
    session: Session,
    steps: readonly FileStep[],
    log: TurnLog,
    tools: WorkspaceToolBox,
  ): Promise<void> {
    const { turn_id } = log;
    const way = steps[0]?.way ?? 'undo';
    const paths = steps.map((step) => step.path);
    await session.note([
      draft('diagnostic', {
        turn_id,
        code: CODES[way].requested,
        message: requestWords(way, paths),
        details: { paths },
        next_actions: [],
      }),
    ]);
    const refusals: Refusal[] = [];
    const merges: NextAction[] = [];
    for (const step of steps) {
      const refusal = await this.putBack(session, step, tools, log);
      const can_merge = refusal?.kind === FILE_CHANGED && (await this.canMerge(log, step, tools));
      if (can_merge) merges.push(mergeAction(turn_id, step));
      if (refusal !== null) refusals.push(can_merge ? { ...refusal, can_merge } : refusal);
      else if (step.rest > 0) refusals.push(partly(step));
    }
    const left = refusals.filter(({ kind }) => kind !== 'partly_undone' && kind !== 'partly_redone').length;
    if (refusals.length > 0)
      await this.refused(session, { turn_id, way, refusals, merges, isAll: left === steps.length });
  }

  private async putBack(
    session: Session,
    step: FileStep,
    tools: WorkspaceToolBox,
    log: TurnLog,
  ): Promise<Refusal | null> {
    if (this.ports.unsaved(step.path)) return unsavedChanges(step);
    const before = await contentBefore(step.change, this.ports);
    if (before === null) return contentMissing(step);
    const signal = new AbortController().signal;
    const done = await tools.undo(step.change, before === NOTHING ? null : before, signal);
    if (!done.ok) return refusalOf(step, done.error);
    await this.noteDone(session, step, { made: done.value, log, tools });
    return null;
  }

  private async noteDone(
    session: Session,
    { path, way, last, calls }: FileStep,
    {
      made,
      log,
      tools,
    }: { readonly made: FileChange; readonly log: TurnLog; readonly tools: WorkspaceToolBox },
  ): Promise<void> {
    const folders = made.deleted ? await tools.removeEmptyFolders(foldersMadeFor(path, log.own)) : [];
    const removed = folders.length === 0 ? {} : { removed_folders: folders };
    const named = way === 'undo' ? { undo_of: calls } : { redo_of: calls };
    const { turn_id } = log;
    await session.note([
      draft('file_change', { turn_id, call_id: last.call_id, ...made, path, ...named, ...removed }),
    ]);
  }

  private async canMerge(log: TurnLog, step: FileStep, tools: WorkspaceToolBox): Promise<boolean> {
    return (await sidesOf(log, step, { tools, blobs: this.ports.blobs })).kind === 'sides';
  }

  /** The refusal is a fact as well: without it the log would say that the files are still to be put back. */
  private async refused(
    session: Session,
    of: {
      readonly turn_id: string;
      readonly way: Way;
      readonly refusals: readonly Refusal[];
      readonly merges: readonly NextAction[];
      readonly isAll: boolean;
    },
  ): Promise<void> {
    const { turn_id, way, refusals, merges, isAll } = of;
    const [first] = refusals;
    const { refused: code } = CODES[way];
    const kind = refusals.every((one) => one.kind === first?.kind) ? (first?.kind ?? '') : code;
    const head = isAll ? WORDS[way].nothing : WORDS[way].some;
    const message = [head, ...refusals.map((one) => one.message)].join('\n');
    const next_actions = merges.slice(0, MOST_MERGES);
    const details = { paths: refusals.map(({ path }) => path), refusals: refusals.map(factOf) };
    await session.note([draft('diagnostic', { turn_id, code, message, details, next_actions })]);
    this.ports.view.failure(way, kind, message, { next_actions });
  }

  private nothing(way: Way, { evidence, inherited }: TurnLog, path: string | null): void {
    const { view } = this.ports;
    const { changes, commands, children } = evidence;
    const files = changedFiles(changes).filter((file) => path === null || file.path === path);
    if (files.length > 0) {
      const what = path ?? 'Everything that this turn changed';
      return way === 'undo'
        ? view.failure(way, 'already_undone', `${what} was undone before.`)
        : view.failure(way, 'nothing_to_redo', `${what} stands as it was made. There is nothing to redo.`);
    }
    if (inherited) return view.failure(way, `nothing_to_${way}`, OF_PARENT);
    const notes = [
      commands.some(mayHaveRun) ? ' What its commands did cannot be undone here.' : '',
      children.length > 0 ? ' What its subagents changed is undone in their transcripts.' : '',
    ];
    const text = path === null ? 'This turn changed no file.' : `This turn did not change ${path}.`;
    view.failure(way, `nothing_to_${way}`, `${text}${notes.join('')}`);
  }
}

/** The words are in the message. */
function factOf({ path, kind, can_merge }: Refusal): Omit<Refusal, 'message'> {
  return can_merge === undefined ? { path, kind } : { path, kind, can_merge };
}

/** Buttons of one notice. */
const MOST_MERGES = 3;

/** Opens the file beside what it was: the person decides what becomes of it. */
export function mergeAction(turn_id: string, { path, way }: FileStep): NextAction {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return { label: `Merge ${name}…`, command: 'ledgerline.mergeUndo', args: [{ turn_id, path, way }] };
}

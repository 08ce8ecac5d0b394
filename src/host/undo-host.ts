import * as vscode from 'vscode';
import type { Conversation } from '../app/conversation.ts';
import { OF_PARENT } from '../app/undo-refusals.ts';
import type { PresenterMessage } from '../presenter/protocol.ts';
import { resolvePath, type Workspace } from '../tools/workspace-paths.ts';
import { openMerge } from './merge-editor.ts';
import type { ShownDocuments } from './shown-documents.ts';
import { openUndoPreview } from './undo-preview.ts';
import { unsavedOf } from './unsaved-files.ts';

type UndoMessage = Extract<PresenterMessage, { type: 'undo' | 'redo' | 'preview_undo' | 'merge_undo' }>;

export interface UndoHostPorts {
  readonly conversation: Pick<Conversation, 'receive' | 'changes' | 'undo' | 'sessionId'>;
  readonly documents: ShownDocuments;
  readonly workspace: () => Workspace;
  readonly fail: (what: string, kind: string, message: string) => void;
  readonly failed: (error: unknown) => void;
}

/** Pure. */
export function isAboutUndo(message: PresenterMessage): message is UndoMessage {
  return ['undo', 'redo', 'preview_undo', 'merge_undo'].includes(message.type);
}

/** What VS Code adds to an undo: unsaved editors are looked at first, previews and merges open in editors. */
export class UndoHost {
  private readonly merging = new Set<vscode.Disposable>();

  constructor(private readonly ports: UndoHostPorts) {}

  carryOut(message: UndoMessage): Promise<void> {
    switch (message.type) {
      case 'undo':
      case 'redo':
        return this.putBack(message);
      case 'preview_undo':
        return this.preview(message);
      case 'merge_undo':
        return this.merge(message);
    }
  }

  dispose(): void {
    for (const one of this.merging) one.dispose();
  }

  /** What is typed in an editor and not saved is a change as well; files without one are put back all the same. */
  private async putBack(message: Extract<UndoMessage, { type: 'undo' | 'redo' }>): Promise<void> {
    const { conversation, workspace, fail } = this.ports;
    const { type: way, turn_id, path } = message;
    const preview = await conversation.changes.preview({ way, turn_id, path });
    const files = preview === null ? [] : [...preview.files, ...preview.refusals];
    const paths = files.map((file) => file.path);
    const unsaved = unsavedOf(paths, workspace());
    if (unsaved.length === 0) return conversation.receive(message);
    for (const one of paths.filter((saved) => !unsaved.includes(saved)))
      await conversation.receive({ ...message, path: one });
    fail(way, 'unsaved_changes', [unsavedWords(way), ...unsaved].join('\n'));
  }

  private async preview({
    way,
    turn_id,
    path,
  }: Extract<UndoMessage, { type: 'preview_undo' }>): Promise<void> {
    const { conversation, documents, fail } = this.ports;
    const preview = await conversation.changes.preview({ way, turn_id, path });
    if (preview === null) return fail('preview_undo', 'unknown_turn', 'This session has no such turn.');
    const { files, refusals, inherited } = preview;
    if (files.length === 0 && refusals.length === 0)
      return fail(
        'preview_undo',
        `nothing_to_${way}`,
        inherited ? OF_PARENT : way === 'undo' ? 'There is nothing to undo.' : 'There is nothing to redo.',
      );
    await openUndoPreview(preview, conversation.sessionId, documents);
  }

  private async merge(message: Extract<UndoMessage, { type: 'merge_undo' }>): Promise<void> {
    const { conversation, documents, workspace, fail, failed } = this.ports;
    const { way, turn_id, path } = message;
    if (unsavedOf([path], workspace()).length > 0)
      return fail('merge_undo', 'unsaved_changes', [unsavedWords(way), path].join('\n'));
    const merge = await conversation.undo.merges.open({ way, turn_id, path });
    if (!('sides' in merge)) return fail('merge_undo', merge.kind, merge.message);
    const found = resolvePath(workspace(), merge.sides.path);
    if (!found.ok) return fail('merge_undo', found.error.kind, found.error.message);
    const closed = (): void => {
      conversation.undo.merges.close(merge).catch(failed);
    };
    this.merging.add(await openMerge(merge, vscode.Uri.file(found.value.real), { documents, closed }));
  }
}

function unsavedWords(way: 'undo' | 'redo'): string {
  return way === 'undo'
    ? vscode.l10n.t('Not undone: there are unsaved changes in an editor. Save or revert them first.')
    : vscode.l10n.t('Not redone: there are unsaved changes in an editor. Save or revert them first.');
}

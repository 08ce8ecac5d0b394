import * as vscode from 'vscode';
import type { Conversation } from '../app/conversation.ts';
import { OF_PARENT } from '../app/undo-refusals.ts';
import type { PresenterMessage } from '../presenter/protocol.ts';
import { resolvePath, type Workspace } from '../tools/workspace-paths.ts';
import { openMerge } from './merge-editor.ts';
import type { ShownDocuments } from './shown-documents.ts';
import { openUndoPreview } from './undo-preview.ts';

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

/** What VS Code adds to an undo: previews and merges open in editors. */
export class UndoHost {
  private readonly merging = new Set<vscode.Disposable>();

  constructor(private readonly ports: UndoHostPorts) {}

  carryOut(message: UndoMessage): Promise<void> {
    switch (message.type) {
      case 'undo':
      case 'redo':
        return this.ports.conversation.receive(message);
      case 'preview_undo':
        return this.preview(message);
      case 'merge_undo':
        return this.merge(message);
    }
  }

  dispose(): void {
    for (const one of this.merging) one.dispose();
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

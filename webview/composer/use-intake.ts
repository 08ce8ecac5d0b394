import type { TargetedClipboardEvent, TargetedDragEvent } from 'preact';
import { useState } from 'preact/hooks';
import type { Presenter } from '../presenter.ts';
import { imagesFrom, isPastedText, pathsFrom } from './image-intake.ts';
import type { DraftHandle } from './use-draft.ts';

interface Props {
  readonly presenter: Presenter;
  readonly session_id: string | null;
  readonly attach: DraftHandle['attach'];
}

interface Handlers {
  readonly paste: (event: TargetedClipboardEvent<HTMLTextAreaElement>) => void;
  readonly drop: {
    readonly onDragOver: (event: TargetedDragEvent<HTMLElement>) => void;
    readonly onDragLeave: () => void;
    readonly onDrop: (event: TargetedDragEvent<HTMLElement>) => void;
  };
  readonly isOver: boolean;
}

/** Dragged from the explorer of VS Code: its own list has also what no plain address can say. */
const LISTS = ['application/vnd.code.uri-list', 'text/uri-list'] as const;

/** Images that are pasted or dropped, and files that are dropped. */
export function useIntake({ presenter, session_id, attach }: Props): Handlers {
  const [isOver, setIsOver] = useState(false);

  const take = async (files: readonly File[]): Promise<void> => {
    const { chosen, problems } = await imagesFrom(files);
    if (chosen.length > 0) attach(chosen, session_id);
    for (const message of problems) presenter.gesture({ kind: 'not_attached', message });
  };
  const tryTo = (files: readonly File[]): void => {
    take(files).catch((error: unknown) =>
      presenter.gesture({ kind: 'not_attached', message: String(error) }),
    );
  };
  return {
    isOver,
    paste: (event) => {
      const files = [...(event.clipboardData?.files ?? [])];
      const names = files.map(({ name }) => name);
      if (files.length === 0 || isPastedText(event.clipboardData?.getData('text/plain') ?? '', names)) return;
      event.preventDefault();
      tryTo(files);
    },
    drop: {
      onDragOver: (event) => {
        const types = event.dataTransfer?.types ?? [];
        if (!['Files', ...LISTS].some((type) => types.includes(type))) return;
        event.preventDefault();
        setIsOver(true);
      },
      onDragLeave: () => setIsOver(false),
      onDrop: (event) => {
        setIsOver(false);
        const { dataTransfer } = event;
        if (dataTransfer === null) return;
        const list = LISTS.map((type) => dataTransfer.getData(type)).find((text) => text !== '') ?? '';
        const paths = pathsFrom(list);
        const files = [...dataTransfer.files];
        if (paths.length === 0 && files.length === 0) return;
        event.preventDefault();
        if (paths.length > 0) presenter.post({ type: 'attach_files', paths: [...paths] });
        else tryTo(files);
      },
    },
  };
}

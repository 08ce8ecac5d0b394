import type { TargetedClipboardEvent, TargetedDragEvent } from 'preact';
import { useState } from 'preact/hooks';
import type { Presenter } from '../presenter.ts';
import type { Draft } from '../state.ts';
import { withAttached } from './draft-state.ts';
import { filesFrom, imagesFrom } from './image-intake.ts';
import type { DraftHandle } from './use-draft.ts';

interface Props {
  readonly presenter: Presenter;
  readonly draft: Draft;
  readonly change: DraftHandle['change'];
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
export function useIntake({ presenter, draft, change }: Props): Handlers {
  const [isOver, setIsOver] = useState(false);

  const take = async (files: readonly File[]): Promise<void> => {
    const there = draft.attachments.filter(({ kind }) => kind === 'image').length;
    const { chosen, problems } = await imagesFrom(files, there);
    if (chosen.length > 0) change((now) => withAttached(now, chosen));
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
      if (files.length === 0) return;
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
        const dropped = filesFrom(list);
        const files = [...dataTransfer.files];
        if (dropped.length === 0 && files.length === 0) return;
        event.preventDefault();
        if (dropped.length > 0) change((now) => withAttached(now, dropped));
        else tryTo(files);
      },
    },
  };
}

import type { VNode } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { Presenter } from '../presenter.ts';
import { Blocks } from './block-view.tsx';
import { CodeBlock } from './code-block.tsx';
import {
  EMPTY,
  extended,
  finished,
  openPiece,
  stretchesWith,
  type Document,
  type Piece,
} from './document.ts';

interface Props {
  readonly text: string;
  /** More may still come. */
  readonly live: boolean;
  readonly presenter: Presenter;
}

/** Markdown that may still be growing. What is finished is neither read nor drawn again. */
export function Markdown({ text, live, presenter }: Props): VNode {
  const document = useDocument(text, live);
  const open = useMemo(() => openPiece(document), [document]);
  const stretches = stretchesWith(document, open);
  return (
    <div class="markdown">
      {stretches.map((pieces, index) => (
        <StretchSlot
          key={index}
          pieces={pieces}
          open={pieces.at(-1) === open ? open : null}
          presenter={presenter}
        />
      ))}
    </div>
  );
}

function useDocument(text: string, live: boolean): Document {
  const known = useRef({ text: '', document: EMPTY });
  if (known.current.text !== text) {
    const { text: before, document } = known.current;
    known.current = {
      text,
      document: text.startsWith(before)
        ? extended(document, text.slice(before.length))
        : extended(EMPTY, text),
    };
  }
  const { document } = known.current;
  return useMemo(() => (live ? document : finished(document)), [document, live]);
}

interface StretchProps {
  readonly pieces: readonly Piece[];
  readonly open: Piece | null;
  readonly presenter: Presenter;
}

/** Preact leaves alone what is the same component as before, so this is one around another. */
function StretchSlot({ pieces, open, presenter }: StretchProps): VNode {
  return useMemo(
    () => <Stretch pieces={pieces} open={open} presenter={presenter} />,
    [pieces, open, presenter],
  );
}

function Stretch({ pieces, open, presenter }: StretchProps): VNode {
  return (
    <div class="stretch">
      {pieces.map((piece) => (
        <PieceView key={piece.at} piece={piece} live={piece === open} presenter={presenter} />
      ))}
    </div>
  );
}

function PieceView({ piece, live, presenter }: { piece: Piece; live: boolean; presenter: Presenter }): VNode {
  return useMemo(
    () =>
      piece.kind === 'prose' ? (
        <Blocks blocks={piece.blocks} presenter={presenter} live={live} />
      ) : (
        <CodeBlock info={piece.info} code={piece.code} presenter={presenter} live={live} />
      ),
    [piece, live, presenter],
  );
}

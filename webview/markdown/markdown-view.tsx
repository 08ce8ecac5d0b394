import type { VNode } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { useFirstDrawn } from '../gradual-drawing.ts';
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
  type End,
  type Piece,
} from '../../src/presenter/markdown/document.ts';

interface Props {
  readonly text: string;
  readonly end: End;
  readonly presenter: Presenter;
}

/** Markdown that may still be growing. What is finished is neither read nor drawn again. */
export function Markdown({ text, end, presenter }: Props): VNode {
  const document = useDocument(text, end);
  const open = useMemo(() => openPiece(document), [document]);
  const stretches = stretchesWith(document, open);
  const last = end === 'growing' ? open : stretches.at(-1)?.at(-1);
  const first = useFirstDrawn(stretches.length, end === 'growing');
  return (
    <div class="markdown">
      {stretches.slice(first).map((pieces, index) => (
        <StretchSlot
          key={first + index}
          pieces={pieces}
          end={pieces.at(-1) === last ? end : 'closed'}
          presenter={presenter}
        />
      ))}
    </div>
  );
}

function useDocument(text: string, end: End): Document {
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
  const isGrowing = end === 'growing';
  return useMemo(() => (isGrowing ? document : finished(document)), [document, isGrowing]);
}

interface StretchProps {
  readonly pieces: readonly Piece[];
  /** Of the last one; those before it are closed. */
  readonly end: End;
  readonly presenter: Presenter;
}

/** Preact leaves alone what is the same component as before, so this is one around another. */
function StretchSlot({ pieces, end, presenter }: StretchProps): VNode {
  return useMemo(() => <Stretch pieces={pieces} end={end} presenter={presenter} />, [pieces, end, presenter]);
}

function Stretch({ pieces, end, presenter }: StretchProps): VNode {
  return (
    <div class="stretch">
      {pieces.map((piece, index) => (
        <PieceView
          key={piece.at}
          piece={piece}
          end={index === pieces.length - 1 ? end : 'closed'}
          presenter={presenter}
        />
      ))}
    </div>
  );
}

function PieceView({ piece, end, presenter }: { piece: Piece; end: End; presenter: Presenter }): VNode {
  return useMemo(
    () =>
      piece.kind === 'prose' ? (
        <Blocks blocks={piece.blocks} presenter={presenter} end={end} dir="auto" />
      ) : (
        <CodeBlock info={piece.info} code={piece.code} presenter={presenter} end={end} />
      ),
    [piece, end, presenter],
  );
}

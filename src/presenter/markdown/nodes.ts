/** What a text means, as a closed set of plain values. Whatever is not in this list cannot be shown but as text. */

/** A place in a file; lines and columns begin at 1. */
export interface Place {
  readonly path: string;
  readonly line?: number;
  readonly column?: number;
}

export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'strong' | 'emphasis' | 'deleted'; readonly children: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string; readonly place: Place | null }
  /** Only of the schemes that may be opened. */
  | { readonly kind: 'link'; readonly href: string; readonly children: readonly Inline[] }
  | { readonly kind: 'place'; readonly place: Place; readonly children: readonly Inline[] }
  | { readonly kind: 'break' };

export interface Item {
  readonly task: 'none' | 'open' | 'done';
  readonly children: readonly Block[];
}

export type Align = 'left' | 'center' | 'right' | null;

export interface Cell {
  readonly align: Align;
  readonly children: readonly Inline[];
}

export type Block =
  | { readonly kind: 'paragraph'; readonly children: readonly Inline[] }
  /** A line of a list without room between its items. */
  | { readonly kind: 'line'; readonly children: readonly Inline[] }
  | { readonly kind: 'heading'; readonly depth: number; readonly children: readonly Inline[] }
  | {
      readonly kind: 'list';
      readonly start: number | null;
      readonly loose: boolean;
      readonly items: readonly Item[];
    }
  | { readonly kind: 'quote'; readonly children: readonly Block[] }
  | { readonly kind: 'rule' }
  | { readonly kind: 'code'; readonly info: string; readonly text: string }
  | { readonly kind: 'table'; readonly head: readonly Cell[]; readonly rows: readonly (readonly Cell[])[] }
  /** Text as it was written: HTML, and whatever has no meaning here. */
  | { readonly kind: 'raw'; readonly text: string };

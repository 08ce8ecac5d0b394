import type { VNode } from 'preact';
import { visibleText } from './visible-text.ts';

/** A hyphen with what it begins; of a row of them only so many, so that it still fits the view. */
const OPTION_START = /(-{1,3}[^\s-]?)/;

/** A command line: `--tag` at the end of a line must not be broken to read as `--` and `tag`. */
export function ShellText({ text }: { text: string }): VNode {
  return (
    <>
      {visibleText(text)
        .split(OPTION_START)
        .map((part, index) =>
          index % 2 === 0 ? (
            part
          ) : (
            <span key={index} class="unbroken">
              {part}
            </span>
          ),
        )}
    </>
  );
}

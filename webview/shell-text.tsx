import type { VNode } from 'preact';
import { t, whole } from './l10n.ts';
import { stretchesOf } from './visible-text.ts';

/** A hyphen with what it begins; of a row of them only so many, so that it still fits the view. */
const OPTION_START = /(-{1,3}[^\s-]?)/;

/** A command line, as it is: what follows many blanks is not pushed out of view by them. */
export function ShellText({ text }: { text: string }): VNode {
  return (
    <>
      {stretchesOf(text).map((one, index) =>
        one.kind === 'words' ? (
          <Words key={index} text={one.text} />
        ) : (
          <span key={index} class="blanks">
            {one.kind === 'spaces' ? t('{0} spaces', whole(one.count)) : t('{0} line ends', whole(one.count))}
          </span>
        ),
      )}
    </>
  );
}

/** `--tag` at the end of a line must not be broken to read as `--` and `tag`. */
function Words({ text }: { text: string }): VNode {
  return (
    <>
      {text.split(OPTION_START).map((part, index) =>
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

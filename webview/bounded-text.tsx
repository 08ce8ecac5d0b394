import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from './l10n.ts';

/** Rounded heights differ by less than this. */
const SLACK_PX = 2;

/** Text in a box that scrolls. Where scroll bars hide themselves, words say that there is more of it. */
export function BoundedText({ label, children }: { label: string; children: ComponentChildren }): VNode {
  const box = useRef<HTMLPreElement>(null);
  const [isLong, setIsLong] = useState(false);
  const [hasMore, setHasMore] = useState(false);
  const look = (): void => {
    const { scrollHeight = 0, clientHeight = 0, scrollTop = 0 } = box.current ?? {};
    setIsLong(scrollHeight - clientHeight > SLACK_PX);
    setHasMore(scrollHeight - clientHeight - scrollTop > SLACK_PX);
  };
  useEffect(() => {
    const resized = new ResizeObserver(look);
    if (box.current !== null) resized.observe(box.current);
    return () => resized.disconnect();
  }, []);
  return (
    <>
      <pre ref={box} tabIndex={0} aria-label={label} onScroll={look}>
        {children}
      </pre>
      {isLong && (
        <p class="cut">{hasMore ? t('More below: scroll to read all of it.') : t('That is all of it.')}</p>
      )}
    </>
  );
}

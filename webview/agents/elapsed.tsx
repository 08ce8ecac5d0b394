import type { VNode } from 'preact';
import { wholeSeconds } from '../durations.ts';
import { t } from '../l10n.ts';
import { useNow } from '../ticker.ts';
import { silenceWords } from './agent-words.ts';

/** How long something goes on already. Draws itself anew every second, and nothing around it. */
export function Elapsed({ since }: { since: number }): VNode {
  const now = useNow(true);
  return <span class="elapsed">{wholeSeconds(now - since)}</span>;
}

export interface TimeProps {
  /** Null where it is not known. */
  readonly since: number | null;
  /** Where its time stands still: at what. */
  readonly still?: number | null;
  /** How long it may take; null where nobody says. */
  readonly allowed: number | null;
  readonly deadline_at: number | null;
}

/** As in "1 min 5 s of 10 min"; when exactly, is told on hover. */
export function TimeOf({ since, still = null, allowed, deadline_at }: TimeProps): VNode | null {
  if (since === null && allowed === null) return null;
  const limit = allowed === null ? '' : since === null ? t('at most {0}', wholeSeconds(allowed)) : '';
  return (
    <span class="time" title={still === null ? momentsOf(since, deadline_at) : standsStill()}>
      {since !== null && <Taken since={since} still={still} />}
      {limit}
      {since !== null && allowed !== null && ` ${t('of {0}', wholeSeconds(allowed))}`}
    </span>
  );
}

/** How long something took up to now: it is a clock, unless its time stands still. */
export function Taken({ since, still }: { since: number; still: number | null }): VNode {
  return still === null ? <Elapsed since={since} /> : <span class="elapsed">{wholeSeconds(still)}</span>;
}

export function standsStill(): string {
  return t('Its time stands still while it needs you');
}

export function momentsOf(since: number | null, deadline_at: number | null): string {
  return [
    since === null ? '' : t('Since {0}', exactly(since)),
    deadline_at === null ? '' : t('Deadline {0}', exactly(deadline_at)),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function exactly(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

/** Nothing, until there was no news for a while. */
export function Silence({ news_at }: { news_at: number | null }): VNode | null {
  const now = useNow(news_at !== null);
  const words = silenceWords(news_at, now);
  return words === '' ? null : <span class="silence">{words}</span>;
}

import type { VNode } from 'preact';
import { stretches, type MeterModel, type Part } from './meter-model.ts';

/** Inside of the line around it, in the units of the drawing. */
const SIZES = {
  small: { width: 24, height: 6, inset: 1 },
  large: { width: 240, height: 10, inset: 1 },
} as const;

/** Drawn, because the page's policy allows no style in the markup. Its words stand beside it. */
export function MeterBar({ model, size }: { model: MeterModel; size: keyof typeof SIZES }): VNode {
  const { width, height, inset } = SIZES[size];
  const found = stretches(model, width - 2 * inset);
  const inner = { y: inset, height: height - 2 * inset };
  return (
    <svg
      class={size === 'large' ? 'meter-bar meter-bar-large' : 'meter-bar'}
      data-tier={model.tier}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect
        class={found === null ? 'meter-track meter-track-unknown' : 'meter-track'}
        x="0.5"
        y="0.5"
        width={width - 1}
        height={height - 1}
        rx="2"
      />
      {found !== null && found.cached > 0 && (
        <rect class="meter-cached" x={inset} width={found.cached} {...inner} />
      )}
      {found !== null && found.other > 0 && (
        // However little there is, it is seen.
        <rect class="meter-other" x={inset + found.cached} width={Math.max(1, found.other)} {...inner} />
      )}
    </svg>
  );
}

export function PartBar({ part }: { part: Part }): VNode {
  return (
    <svg class="part-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      {part.tokens > 0 && (
        <rect class="part-fill" x="0" y="0" width={Math.max(1, part.share * 100)} height="4" />
      )}
    </svg>
  );
}

/** What a colour of the bar stands for: what is used has both where a part of it came from the cache. */
export function Swatch({ of }: { of: 'both' | 'other' | 'cached' | 'free' }): VNode {
  const other = of === 'both' ? { x: 4, width: 4 } : { width: 8 };
  return (
    <svg class="meter-swatch" viewBox="0 0 8 8" aria-hidden="true">
      {of === 'free' && <rect class="meter-track" x="0.5" y="0.5" width="7" height="7" rx="1" />}
      {of === 'cached' && <rect class="meter-cached" width="8" height="8" />}
      {of === 'both' && <rect class="meter-cached" width="4" height="8" />}
      {(of === 'other' || of === 'both') && <rect class="meter-other" {...other} height="8" />}
    </svg>
  );
}

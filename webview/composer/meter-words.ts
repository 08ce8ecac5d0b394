import { wholePercent } from '../../src/presenter/whole-percent.ts';
import { t, whole } from '../l10n.ts';
import type { MeterModel, PartName } from './meter-model.ts';

/** The words of the meter. What nobody counted is said to be an estimate wherever it is said. */

export function percentWords({ ratio, isEstimate }: MeterModel): string {
  if (ratio === null) return '– %';
  const percent = wholePercent(ratio);
  return isEstimate ? t('~{0} %', percent) : t('{0} %', percent);
}

/** With what is written on it, so that it can be called by that. */
export function nameWords(model: MeterModel): string {
  return model.ratio === null ? t('Context') : t('Context {0}', percentWords(model));
}

export function summaryWords(model: MeterModel): string {
  const { used, ratio, isEstimate, isOfNext } = model;
  if (used === null) return t('Context: nothing was measured yet');
  if (isOfNext) return nextWords(used, ratio);
  if (ratio === null)
    return isEstimate
      ? t('The last request had about {0} tokens (estimate). The window is not known.', whole(used))
      : t('The last request had {0} tokens. The window is not known.', whole(used));
  const percent = wholePercent(ratio);
  return isEstimate
    ? t('The last request filled about {0} % of the window (estimate).', percent)
    : t('The last request filled {0} % of the window.', percent);
}

function nextWords(used: number, ratio: number | null): string {
  return ratio === null
    ? t('The next request will have about {0} tokens (estimate). The window is not known.', whole(used))
    : t('The next request will fill about {0} % of the window (estimate).', wholePercent(ratio));
}

/** For the pointer that rests on the meter: all of it at a glance. */
export function detailWords(model: MeterModel): string {
  const { used, cached, free, isEstimate, parts } = model;
  if (used === null) return summaryWords(model);
  const facts = [
    t('Used: {0}', tokenWords(used, isEstimate)),
    t('From cache: {0}', tokenWords(cached, false)),
    t('Free: {0}', tokenWords(free, isEstimate)),
    ...parts.map(({ name, tokens }) => `${partWords(name)}: ${tokenWords(tokens, true)}`),
  ];
  return [summaryWords(model), ...facts].join('\n');
}

export function tokenWords(tokens: number | null, isEstimate: boolean): string {
  if (tokens === null) return t('unknown');
  return isEstimate ? t('about {0} tokens', whole(tokens)) : t('{0} tokens', whole(tokens));
}

export function sourceWords({ isEstimate, isOfNext }: MeterModel): string {
  if (isOfNext) return t('Estimate: history was compacted since the last request.');
  return isEstimate
    ? t('Estimate: the provider did not count the tokens of the last request.')
    : t('Tokens of the last request, as the provider counted them.');
}

export function partWords(name: PartName): string {
  return PARTS[name];
}

const PARTS = {
  instructions: t('Instructions'),
  tools: t('Tools'),
  skills: t('Skills'),
  history: t('History'),
  tool_output: t('Tool outputs'),
} as const satisfies Record<PartName, string>;

/** What a tier means; empty for those without a word of their own. */
export function tierWords({ tier, ratio }: Pick<MeterModel, 'tier' | 'ratio'>): string {
  return tier === 'critical' && (ratio ?? 0) >= 1 ? t('Full') : (TIERS.get(tier) ?? '');
}

const TIERS: ReadonlyMap<string, string> = new Map([
  ['advisory', t('Filling up')],
  ['warning', t('Getting full')],
  ['critical', t('Nearly full')],
  ['recovery', t('History was compacted to make room')],
]);

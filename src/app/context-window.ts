import { inputWindow } from '../provider/model-facts.ts';
import type { Settings } from './settings.ts';

/** How many tokens a request may have: what a person says, or else the catalogue. What neither knows stays unknown. */
export function windowOf({
  provider,
  model,
  contextWindow,
}: Pick<Settings, 'provider' | 'model' | 'contextWindow'>): number | null {
  return contextWindow ?? (provider === 'offline' ? null : inputWindow(model));
}

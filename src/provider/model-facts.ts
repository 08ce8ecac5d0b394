import catalogue from './models.json' with { type: 'json' };

/** What is known of a model by its name, from its maker's documentation. A model that is not listed is not guessed at. */
export interface ModelFacts {
  /** Input and output together. */
  readonly context_window: number;
  /** Of these, what the input may fill, where the documentation says so: a request that is larger is refused. */
  readonly max_input?: number;
  /** Whether a request may ask why a prefix was not found in the prompt cache. */
  readonly prompt_cache_options?: boolean;
}

const MODELS: Readonly<Record<string, ModelFacts>> = catalogue;
const SNAPSHOT = /^(?<name>.+)-\d{4}-\d{2}-\d{2}$/u;

/** By the name itself, or by that of which it is a dated snapshot (`name-2026-03-05`). */
export function modelFacts(model: string): ModelFacts | null {
  return listed(model) ?? listed(SNAPSHOT.exec(model)?.groups?.['name'] ?? '');
}

/** How many tokens a request may have: pressure that is measured against more would come too late. */
export function inputWindow(model: string): number | null {
  const facts = modelFacts(model);
  return facts === null ? null : (facts.max_input ?? facts.context_window);
}

function listed(name: string): ModelFacts | null {
  return Object.hasOwn(MODELS, name) ? (MODELS[name] ?? null) : null;
}

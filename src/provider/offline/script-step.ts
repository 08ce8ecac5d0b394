import type { ProviderFailure } from '../../runtime/ports.ts';

/** What the offline model does next: say something, call tools, or both; or fail on purpose. */
export interface ScriptStep {
  readonly reasoning: string;
  readonly text: string;
  readonly calls: readonly ScriptCall[];
  readonly pace: 'brisk' | 'slow';
  readonly ending: Ending;
}

export type Ending =
  | { readonly kind: 'completed' }
  /** Before any output the runtime may try again; after output it never does. */
  | { readonly kind: 'failed'; readonly failure: ProviderFailure; readonly after_output: boolean };

export interface ScriptCall {
  readonly name: string;
  /** Only the arguments that matter; the others are filled in from the tool's schema. */
  readonly args: Readonly<Record<string, unknown>>;
}

const NOTHING: ScriptStep = {
  reasoning: '',
  text: '',
  calls: [],
  pace: 'brisk',
  ending: { kind: 'completed' },
};

export function say(text: string, more: Partial<ScriptStep> = {}): ScriptStep {
  return { ...NOTHING, text, ...more };
}

export function call(text: string, ...calls: readonly ScriptCall[]): ScriptStep {
  return { ...NOTHING, text, calls };
}

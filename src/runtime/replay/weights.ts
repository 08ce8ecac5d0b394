import type { ContextParts } from '../context-events.ts';
import type { ToolSpec } from '../ports.ts';
import { utf8Length } from '../text-size.ts';
import type { ReplayEntry } from './entries.ts';
import type { ContentPart, InputItem } from './items.ts';

/**
 * What a request weighs, in tokens. A rule of thumb, four bytes a token: what the provider counts is the truth, and
 * whoever shows these numbers says that they are estimates.
 */
const BYTES_PER_TOKEN = 4;
/** What a picture takes depends on its size and on the model: a number of the usual magnitude, not its bytes. */
const IMAGE_TOKENS = 1_000;

const known = new WeakMap<InputItem, number>();

export function itemTokens(item: InputItem): number {
  const before = known.get(item);
  if (before !== undefined) return before;
  const tokens = weighed(item);
  known.set(item, tokens);
  return tokens;
}

/** Not rounded: a sum of many is, at its end. */
function textTokens(text: string): number {
  return utf8Length(text) / BYTES_PER_TOKEN;
}

function weighed(item: InputItem): number {
  if (item.type !== 'message' || item.role === 'assistant') return textTokens(JSON.stringify(item));
  const parts: readonly ContentPart[] = item.content;
  const texts = parts.filter((part) => part.type === 'input_text');
  const images = parts.length - texts.length;
  return textTokens(JSON.stringify({ ...item, content: texts })) + images * IMAGE_TOKENS;
}

export interface Surface {
  readonly instructions: string;
  readonly tools: readonly ToolSpec[];
}

const surfaces = new WeakMap<Surface, { readonly instructions: number; readonly tools: number }>();

function surfaceTokens(surface: Surface): { readonly instructions: number; readonly tools: number } {
  const before = surfaces.get(surface);
  if (before !== undefined) return before;
  const wire = surface.tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  const tokens = {
    instructions: Math.ceil(textTokens(surface.instructions)),
    tools: Math.ceil(textTokens(JSON.stringify(wire))),
  };
  surfaces.set(surface, tokens);
  return tokens;
}

/** What the items of an input weigh, by what they are. Not rounded, so that more can be added. */
export interface Weights {
  readonly skills: number;
  readonly history: number;
  readonly tool_output: number;
}

export const WEIGHTLESS: Weights = { skills: 0, history: 0, tool_output: 0 };

/** Pure: with one more item. */
export function withWeight(weights: Weights, { item, skill }: ReplayEntry): Weights {
  const part = skill === true ? 'skills' : item.type === 'function_call_output' ? 'tool_output' : 'history';
  return { ...weights, [part]: weights[part] + itemTokens(item) };
}

/** Pure: what fills a request. */
export function partsOf({ skills, history, tool_output }: Weights, surface: Surface): ContextParts {
  return {
    ...surfaceTokens(surface),
    skills: Math.ceil(skills),
    history: Math.ceil(history),
    tool_output: Math.ceil(tool_output),
  };
}

export function sumOf({ instructions, tools, skills, history, tool_output }: ContextParts): number {
  return instructions + tools + skills + history + tool_output;
}

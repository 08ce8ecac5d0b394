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
export function textTokens(text: string): number {
  return utf8Length(text) / BYTES_PER_TOKEN;
}

function weighed(item: InputItem): number {
  if (item.type === 'function_call_output' && typeof item.output !== 'string') {
    const { texts, images } = apart(item.output);
    return textTokens(JSON.stringify({ ...item, output: texts })) + images * IMAGE_TOKENS;
  }
  if (item.type !== 'message' || item.role === 'assistant') return textTokens(JSON.stringify(item));
  const { texts, images } = apart(item.content);
  return textTokens(JSON.stringify({ ...item, content: texts })) + images * IMAGE_TOKENS;
}

function apart(parts: readonly ContentPart[]): {
  readonly texts: readonly ContentPart[];
  readonly images: number;
} {
  const texts = parts.filter((part) => part.type === 'input_text');
  return { texts, images: parts.length - texts.length };
}

export interface Surface {
  readonly instructions: string;
  /** The end of the instructions, where they tell of skills. */
  readonly skill_index?: string;
  readonly tools: readonly ToolSpec[];
}

interface SurfaceTokens {
  readonly instructions: number;
  readonly tools: number;
  readonly skill_index: number;
}

const surfaces = new WeakMap<Surface, SurfaceTokens>();

function surfaceTokens(surface: Surface): SurfaceTokens {
  const before = surfaces.get(surface);
  if (before !== undefined) return before;
  const wire = surface.tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  const skill_index = textTokens(surface.skill_index ?? '');
  const tokens = {
    instructions: Math.ceil(textTokens(surface.instructions) - skill_index),
    skill_index,
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
  const { instructions, tools, skill_index } = surfaceTokens(surface);
  return {
    instructions,
    tools,
    skills: Math.ceil(skills + skill_index),
    history: Math.ceil(history),
    tool_output: Math.ceil(tool_output),
  };
}

export function sumOf({ instructions, tools, skills, history, tool_output }: ContextParts): number {
  return instructions + tools + skills + history + tool_output;
}

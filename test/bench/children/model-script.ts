import { listAt, textAt, type ReceivedRequest } from '../../support/responses-server/received-request.ts';
import type { Answer } from '../../support/responses-server/response-events.ts';

/** What the model of these benchmarks is asked, and what it says. Pure. */

export const FILE = 'notes.txt';

/** A turn that hands as many tasks to children, waits for them and answers. */
export function spawnPrompt(children: number, label: string): string {
  return `spawn ${children} as ${label}`;
}

/** A turn that reads in so many rounds, and answers. */
export function readPrompt(rounds: number, label: string): string {
  return `read ${rounds} as ${label}`;
}

export function childLabel(label: string, index: number): string {
  return `${label}-${index}`;
}

/** Who asks, and how often it has asked before in this turn. */
export interface Asked {
  readonly label: string;
  readonly step: number;
  readonly answer: Answer;
  /** The last word of a child: what can be held back or streamed slowly. */
  readonly isWord: boolean;
}

const PROMPT = /^(spawn|read) (\d+) as ([\w-]+)$/u;
const WORDS: readonly string[] = Array.from({ length: 80 }, (_, i) => `word ${i} of the answer, `);

export function asked(request: ReceivedRequest): Asked {
  const at = request.input.findLastIndex((item) => PROMPT.test(promptIn(item)));
  const [, kind, count = '0', label = ''] = PROMPT.exec(promptIn(request.input[at])) ?? [];
  const outputs = request.input.slice(at).filter((item) => textAt(item, 'type') === 'function_call_output');
  const step = outputs.length;
  if (kind === 'spawn') return { label, step, answer: parent(Number(count), label, step), isWord: false };
  const isWord = step === Number(count);
  return { label, step, isWord, answer: isWord ? { text: WORDS } : reads(label, step) };
}

function parent(children: number, label: string, results: number): Answer {
  if (results > children) return { text: 'All of them have ended.' };
  if (results === children) return { calls: [{ call_id: `${label}-wait`, name: 'wait_agent', args: {} }] };
  return {
    calls: Array.from({ length: children }, (_, i) => {
      const name = childLabel(label, i);
      return { call_id: name, name: 'spawn_agent', args: { task: readPrompt(1, name), agent: 'explorer' } };
    }),
  };
}

function reads(label: string, step: number): Answer {
  return { calls: [{ call_id: `${label}-read-${step}`, name: 'read_file', args: { path: FILE } }] };
}

function promptIn(item: unknown): string {
  if (textAt(item, 'role') !== 'user') return '';
  return textAt(listAt(item, 'content')[0], 'text');
}

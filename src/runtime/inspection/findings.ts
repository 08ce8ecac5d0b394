import { numberOrNull, wordsOrNull } from '../loose-fields.ts';
import type { Check } from './checks.ts';
import { nameInWords } from './log-names.ts';
import { oneLine } from './one-line.ts';
import { joined, sentence, told, type Words } from './spoken-words.ts';

/** The single findings of a check: whichever list its details are, or have. */
export function findingsOf({ details }: Check): readonly object[] {
  const list: unknown =
    typeof details === 'object' && details !== null && 'damage' in details ? details.damage : details;
  if (!Array.isArray(list)) return [];
  const all: readonly unknown[] = list;
  return all.filter((one) => typeof one === 'object' && one !== null);
}

/** A finding in words, from the fields that it has. Long values and objects are left to the log. */
export function findingWords(finding: object): Words {
  const line = numberOrNull(finding, 'line');
  const seq = numberOrNull(finding, 'seq');
  const place = line !== null ? [sentence('line {0}', line)] : seq !== null ? [sentence('seq {0}', seq)] : [];
  // A sentence about a child names it.
  const isNamed = wordsOrNull(finding, 'what') !== null && 'subagent_id' in finding;
  const words = Object.entries(finding).flatMap(([name, value]: [string, unknown]) =>
    isNamed && OF_CHILD.has(name) ? [] : fieldWords(name, value),
  );
  return joined([...place, ...(words.length === 0 ? [] : [joined(words)])], ': ');
}

function fieldWords(name: string, value: unknown): readonly Words[] {
  if (ELSEWHERE.has(name) || value === null || value === '') return [];
  if (typeof value !== 'string' && typeof value !== 'number') return [];
  const text = oneLine(String(value));
  if (NAMING.has(name)) return [nameInWords(text)];
  if (TELLING.has(name)) return [told(text)];
  if (OWN.has(name)) return [text];
  return [joined([nameInWords(name), name === 'status' ? nameInWords(text) : text], ' ')];
}

/** Fields that are told in another place, or mean nothing to a person. */
const ELSEWHERE: ReadonlySet<string> = new Set(['line', 'seq', 'turn_id']);

const OF_CHILD: ReadonlySet<string> = new Set(['subagent_id', 'child_session_id', 'why', 'status']);

/** Fields that speak for themselves: by a name of the log, by a sentence, or by what others called it. */
const NAMING: ReadonlySet<string> = new Set(['state', 'detail', 'kind']);
const TELLING: ReadonlySet<string> = new Set(['reason', 'what']);
const OWN: ReadonlySet<string> = new Set(['type', 'name']);

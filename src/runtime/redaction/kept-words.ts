import { TOOL_NAMES } from '../tool-names.ts';
import type { Rule } from './rules.ts';

/** What is the program's own and says nothing of anybody. */

const LONGEST_WORD = 48;
const WORD = /^[a-z]+(?:[_:-][a-z]+)*(?:_v\d)?$/u;
const TYPE = /^[a-z]+(?:[_/.+-][a-z0-9]+)*$/u;
export const VERSION = /^(?:ll\d{1,3}|\d{1,4}(?:\.\d{1,6}){0,2}(?:-[a-z]{1,8}(?:\.\d{1,4})?)?)$/u;
export const COMMAND = /^ledgerline\.[a-zA-Z]{1,40}$/u;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/u;
export const MODEL = /^[a-z0-9][a-z0-9.-]{0,40}$/u;
/** As `Ids` makes them, or a UUID. */
export const OWN_ID =
  /^(?:(?:ses|evt|turn|run|sus|dec|agent|wf)_[0-9a-z]{8,9}[0-9a-f]{16}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/u;
export const ENDPOINTS: ReadonlySet<string> = new Set(['', 'offline', 'https://api.openai.com/v1']);

export const TOOLS: ReadonlySet<string> = new Set(TOOL_NAMES);

/** Arguments of our tools, of which something may be left where contents go. */
export const ARGUMENTS: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['path', 'path'],
  ['start_line', 'number'],
  ['end_line', 'number'],
  ['timeout_s', 'number'],
  ['timeout_ms', 'number'],
  ['replace_all', 'number'],
  ['regex', 'number'],
  ['agent', 'word'],
  ['id', 'id'],
  ['ids', { list: 'id' }],
  ['status', 'word'],
  ['glob', 'text'],
  ['pattern', 'text'],
  ['content', 'text'],
  ['old_text', 'text'],
  ['new_text', 'text'],
  ['command', 'text'],
  ['question', 'text'],
  ['schema', 'json'],
  ['task', 'text'],
  ['text', 'text'],
  ['reason', 'text'],
  ['summary', 'text'],
  ['workflow', 'json'],
  ['template', 'text'],
  ['parameters', 'json'],
]);

export function isWord(text: string): boolean {
  return text.length <= LONGEST_WORD && WORD.test(text);
}

export function isType(text: string): boolean {
  return text.length <= LONGEST_WORD && TYPE.test(text);
}

export function isTime(text: string): boolean {
  return TIME.test(text);
}

import type { KnownEvent, LogEvent } from '../../src/runtime/events.ts';
import { parseLine } from '../../src/runtime/event-line.ts';
import type { SearchQuery } from '../../src/runtime/search/query.ts';
import { pathsIn } from '../../src/runtime/search/turn-filters.ts';
import { applyToSession, emptySession } from '../../src/runtime/session-state.ts';
import { isTerminal, turnState, type TurnState } from '../../src/runtime/turn.ts';
import { saidIn } from '../../src/storage/said-words.ts';

/**
 * What a search has to find, said as plainly as can be: the whole log in memory, every line parsed, every turn folded
 * from the first event on.
 */

export interface NaiveHit {
  readonly where: string;
  readonly turn_id: string | null;
  readonly seq: number | null;
  readonly state: TurnState | null;
}

interface Stretch {
  readonly prompt: KnownEvent<'user_message'> | null;
  readonly lines: { readonly text: string; readonly event: LogEvent | null }[];
  state: TurnState | null;
}

export interface NaiveLog {
  /** Lines with their bodies in place. */
  readonly lines: readonly string[];
  readonly torn: string;
  readonly written: boolean;
}

export function naiveSearch(log: NaiveLog, query: SearchQuery): readonly NaiveHit[] {
  const stretches = stretchesOf(log);
  return stretches
    .toReversed()
    .flatMap((stretch) => hitsIn(stretch, query, stretch === stretches.at(-1) ? log.torn : '').toReversed());
}

function stretchesOf({ lines, written }: NaiveLog): readonly Stretch[] {
  const stretches: Stretch[] = [{ prompt: null, lines: [], state: null }];
  let session = emptySession('s1');
  for (const text of lines) {
    const parsed = parseLine(text);
    const event = parsed.ok ? parsed.event : null;
    if (event?.type === 'user_message') stretches.push({ prompt: event, lines: [], state: null });
    if (event !== null) session = applyToSession(session, event);
    const stretch = stretches.at(-1);
    if (stretch === undefined) throw new Error('there is always one');
    stretch.lines.push({ text, event });
    if (session.turn !== null) stretch.state = turnState(session.turn);
  }
  for (const one of stretches) {
    if (one.state === null || isTerminal(one.state)) continue;
    if (one !== stretches.at(-1)) one.state = 'interrupted';
    else if (one.state === 'running' && !written) one.state = 'interrupted';
  }
  return stretches;
}

function hitsIn({ prompt, lines, state }: Stretch, query: SearchQuery, torn: string): readonly NaiveHit[] {
  const { terms, states, tools, files, from_ms, to_ms } = query;
  const ofTurns = states.length + tools.length + files.length > 0;
  const inTime = (ts: string): boolean =>
    (from_ms === null && to_ms === null) ||
    (Date.parse(ts) >= (from_ms ?? -Infinity) && Date.parse(ts) < (to_ms ?? Infinity));
  const own = lines.flatMap(({ event }) =>
    event !== null && 'turn_id' in event.data && event.data.turn_id === prompt?.data.turn_id ? [event] : [],
  );
  if (prompt === null && (ofTurns || terms.length === 0)) return [];
  if (prompt !== null) {
    if (!inTime(prompt.ts)) return [];
    if (states.length > 0 && (state === null || !states.includes(state))) return [];
    const called = own.flatMap((one) => (one.type === 'tool_call' ? [one.data.name.toLowerCase()] : []));
    if (tools.length > 0 && !called.some((name) => tools.some((tool) => globbed(tool).test(name)))) return [];
    const paths = own
      .flatMap(pathsIn)
      .map((one) => one.toLowerCase().replaceAll('\\', '/').replace(/^\.\//, ''));
    if (files.length > 0 && !paths.some((one) => files.some((file) => isFile(file, one)))) return [];
  }
  const turn = { turn_id: prompt?.data.turn_id ?? null, state };
  if (terms.length === 0) return [{ where: 'prompt', seq: prompt?.seq ?? null, ...turn }];
  return [
    ...linesWith({ prompt, lines, state }, terms, ofTurns, inTime),
    ...(prompt !== null || inTime('') ? tornWith(torn, query) : []),
  ];
}

function tornWith(torn: string, { terms }: SearchQuery): readonly NaiveHit[] {
  const nowhere = { turn_id: null, seq: null, state: null };
  return torn !== '' && terms.every((term) => has([torn], term)) ? [{ where: 'torn', ...nowhere }] : [];
}

function linesWith(
  { prompt, lines, state }: Stretch,
  terms: readonly string[],
  ofTurns: boolean,
  inTime: (ts: string) => boolean,
): readonly NaiveHit[] {
  const found: NaiveHit[] = [];
  const own = prompt?.data.turn_id ?? null;
  const seen = new Set<string>();
  const elsewhere = new Set<string>();
  let most = 0;
  let best: NaiveHit | null = null;
  for (const { text, event } of lines) {
    const said = event === null ? null : saidIn(event);
    if (event !== null && said === null) continue;
    const texts = said?.texts ?? [text];
    const here = terms.filter((term) => has(texts, term));
    if (said !== null && own !== null && said.turn_id === own) {
      for (const term of here) seen.add(term);
      if (here.length > most) {
        if (best !== null) found.splice(found.indexOf(best), 1);
        best = { where: said.where, turn_id: own, seq: event?.seq ?? null, state };
        found.push(best);
        most = here.length;
      }
      continue;
    }
    if (here.length < terms.length) continue;
    if (event === null || said === null) {
      if (prompt !== null || inTime(''))
        found.push({ where: 'damaged', turn_id: null, seq: null, state: null });
      continue;
    }
    const ofMany = said.turn_id === null;
    if (!ofMany && (ofTurns || elsewhere.has(said.turn_id ?? ''))) continue;
    if (prompt === null && !inTime(event.ts)) continue;
    if (!ofMany) elsewhere.add(said.turn_id ?? '');
    found.push({
      where: said.where,
      turn_id: said.turn_id ?? (said.where === 'unknown' ? null : own),
      seq: event.seq,
      state: null,
    });
  }
  return seen.size === new Set(terms).size ? found : found.filter((one) => one !== best);
}

function has(texts: readonly string[], term: string): boolean {
  return texts.some((text) => small(text).includes(small(term)));
}

/** The small sigma at the end of a word is one, too. */
function small(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}

/** Only for the few globs that the tests have. */
function globbed(glob: string): RegExp {
  const body = glob
    .toLowerCase()
    .replaceAll('.', String.raw`\.`)
    .replaceAll('**', '\u0000')
    .replaceAll('*', '[^/]*')
    .replaceAll('?', '[^/]')
    .replaceAll('\u0000', '.*')
    .replace('{', '(')
    .replace('}', ')')
    .replace(',', '|');
  return new RegExp(`^${body}$`, 'u');
}

function isFile(pattern: string, path: string): boolean {
  const even = pattern.replaceAll('\\', '/');
  if (!/[*?{]/.test(even)) return path.includes(even.toLowerCase());
  if (even.startsWith('/')) return globbed(even).test(path);
  return path.split('/').some((_, at, all) => globbed(even).test(all.slice(at).join('/')));
}

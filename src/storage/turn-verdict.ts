import type { LogEvent } from '../runtime/events.ts';
import type { SearchQuery } from '../runtime/search/query.ts';
import { pathMatcher, pathsIn, toolMatcher } from '../runtime/search/turn-filters.ts';
import { turnAfter } from '../runtime/session-state.ts';
import { beginTurn, isTerminal, turnState, type TurnState } from '../runtime/turn.ts';
import { internalise, namesBody } from './bodies.ts';
import { linesOf, readLine } from './log-scan.ts';
import { markerClue } from './search-clue.ts';
import type { SearchedBodies } from './searched-bodies.ts';
import { eventOn, linesAround, typeIn, type Prompt, type Stretch } from './turn-stretch.ts';

/** Types that change no state of a turn: their lines are not parsed for it. */
const WITHOUT_STATE: ReadonlySet<string> = new Set<LogEvent['type']>([
  'session_started',
  'developer_context',
  'reasoning',
  'permission_decision',
  'file_change',
  'provider_usage',
  'interruption_note',
  'skill_activation',
  'history_compaction',
  'branch_summary',
  'workflow_event',
  'diagnostic',
]);

const CALLS = markerClue(['"tool_call"']);
const CHANGES = markerClue(['"tool_call"', '"file_change"']);

/** What a turn has to be, beside having a text. */
export class TurnFilters {
  private readonly isTool: (name: string) => boolean;
  private readonly isFile: (path: string) => boolean;
  /** Something has to be known of a turn: what belongs to none is not given. */
  readonly ofTurns: boolean;

  constructor(
    private readonly query: Omit<SearchQuery, 'terms'>,
    private readonly blobs: SearchedBodies,
    private readonly signal: AbortSignal,
  ) {
    const { states, tools, files } = query;
    this.isTool = toolMatcher(tools);
    this.isFile = pathMatcher(files);
    this.ofTurns = states.length + tools.length + files.length > 0;
  }

  /** A time that is not known fits no date. */
  fitsTime(ts: string): boolean {
    const { from_ms, to_ms } = this.query;
    if (from_ms === null && to_ms === null) return true;
    const at = Date.parse(ts);
    return at >= (from_ms ?? -Infinity) && at < (to_ms ?? Infinity);
  }

  fitsState(state: TurnState): boolean {
    const { states } = this.query;
    return states.length === 0 || states.includes(state);
  }

  async fitsCalls(stretch: Stretch, prompt: Prompt): Promise<boolean> {
    const { tools, files } = this.query;
    let tool = tools.length === 0;
    let file = files.length === 0 || pathsIn(prompt).some(this.isFile);
    if (tool && file) return true;
    const clue = file ? CALLS : CHANGES;
    for await (const bytes of stretch.pieces(this.signal)) {
      for (const line of linesAround(bytes, clue.places(bytes))) {
        const event = eventOn(line);
        if (event === null || !isOf(event, prompt)) continue;
        tool ||= event.type === 'tool_call' && this.isTool(event.data.name);
        file ||= pathsIn(await this.whole(event)).some(this.isFile);
        if (tool && file) return true;
      }
    }
    return false;
  }

  /** The path of a call can be behind a text that is in a blob. */
  private async whole(event: LogEvent): Promise<LogEvent> {
    if (event.type !== 'tool_call' || this.query.files.length === 0) return event;
    return wholeEvent(event, this.blobs);
  }
}

/** With its bodies; without them where they are missing, which whoever opens the session is told. */
export async function wholeEvent(event: LogEvent, blobs: SearchedBodies): Promise<LogEvent> {
  if (!namesBody(event)) return event;
  const bodied = await internalise(withoutImages(event), blobs);
  return bodied.ok ? bodied.event : event;
}

/** Nobody looks for words in an image: its bytes are not fetched. */
function withoutImages(event: LogEvent): LogEvent {
  if (event.type !== 'user_message') return event;
  const attachments = event.data.attachments.map((one) => {
    const { kind, label, path } = one;
    return kind === 'image' ? { kind, label, path } : one;
  });
  return { ...event, data: { ...event.data, attachments } };
}

export function isOf(event: LogEvent, { data: { turn_id } }: Prompt): boolean {
  return 'turn_id' in event.data && event.data.turn_id === turn_id;
}

/**
 * The state of a turn by its own evidence. One that is not over is over all the same when another came after it, or
 * when nobody is there who could carry it on.
 */
export async function stateIn(
  stretch: Stretch,
  prompt: Prompt,
  options: { readonly hasWriter: () => Promise<boolean>; readonly signal: AbortSignal },
): Promise<TurnState> {
  let turn = beginTurn(prompt);
  let begun = false;
  for await (const bytes of stretch.pieces(options.signal)) {
    for (const { text } of linesOf(bytes)) {
      if (!begun) {
        begun = true;
        continue;
      }
      if (text !== null && WITHOUT_STATE.has(typeIn(text) ?? '')) continue;
      const read = readLine(text);
      if (read.ok) turn = turnAfter(turn, read.event);
    }
  }
  const state = turnState(turn);
  if (isTerminal(state)) return state;
  if (!stretch.last) return 'interrupted';
  if (state === 'waiting') return state;
  return (await options.hasWriter()) ? 'running' : 'interrupted';
}

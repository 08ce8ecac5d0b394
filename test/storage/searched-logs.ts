import * as fc from 'fast-check';
import type { EventData, EventType, KnownEvent } from '../../src/runtime/events.ts';
import { NO_QUERY, type SearchQuery } from '../../src/runtime/search/query.ts';
import { TURN_STATES } from '../../src/runtime/turn.ts';

/** Logs of any kind of turns, with any kind of words, and searches in them. */

/** Characters of one to four bytes, some with capitals of another length, some that are escaped in JSON. */
const WORDS = [
  'clock',
  'Login',
  'KICK',
  'Kelvin \u212aick',
  'İstanbul',
  'Straße ÄÖÜ äöü',
  'ΣΊΣΥΦΟΣ σίσυφος',
  'ПРИВЕТ привет',
  'ĀĒĪ āēī',
  '日本語',
  '😀 𐐀𐐨',
  'say "hi"',
  String.raw`C:\Temp\new`,
  'two\nlines\tand \u001b[31m red',
  'a\u2028b',
  '<b>&amp;</b>',
  'src/login.ts',
  'user_message',
  '"turn_failed"',
] as const;

const TOOLS = ['read_file', 'run_command', 'Mcp_Tool'] as const;
const PATHS = [
  'src/login.ts',
  './src/a/B.tsx',
  '/home/me/src/x.md',
  String.raw`C:\work\src\y.ts`,
  'Größe.txt',
] as const;

const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }).map((all) => all.join(' '));
const path = fc.constantFrom(...PATHS);

type Draft = { readonly [T in EventType]: { readonly type: T; readonly data: EventData[T] } }[EventType];

/** A line of a log: an event, or something that is none. */
export type MadeLine =
  | { readonly kind: 'event'; readonly draft: Draft; readonly later?: boolean }
  | { readonly kind: 'bytes'; readonly text: string };

const ENDS = [
  'answered',
  'failed',
  'partial_failed',
  'interrupted',
  'timed_out',
  'waiting',
  'open',
  'failed_after',
] as const;

interface MadeTurn {
  readonly asks: string;
  readonly attached: string | null;
  readonly calls: readonly {
    readonly tool: string;
    readonly path: string;
    readonly said: string;
    readonly output: string;
    readonly escaped: boolean;
    readonly large: boolean;
    readonly changes: boolean;
    readonly settled: boolean;
  }[];
  readonly says: string;
  readonly thinks: string | null;
  readonly ends: (typeof ENDS)[number];
  readonly beside: readonly (
    | 'checkpoint'
    | 'damaged'
    | 'later'
    | 'other_turn'
    | 'child_ended'
    | 'child_spawned'
  )[];
  readonly aside: string;
}

const turn: fc.Arbitrary<MadeTurn> = fc.record({
  asks: words,
  attached: fc.option(path, { nil: null }),
  calls: fc.array(
    fc.record({
      tool: fc.constantFrom(...TOOLS),
      path,
      said: words,
      output: words,
      escaped: fc.boolean(),
      large: fc.integer({ min: 0, max: 20 }).map((n) => n === 0),
      changes: fc.boolean(),
      settled: fc.integer({ min: 0, max: 5 }).map((n) => n > 0),
    }),
    { maxLength: 3 },
  ),
  says: words,
  thinks: fc.option(words, { nil: null }),
  ends: fc.constantFrom(...ENDS),
  beside: fc.array(
    fc.constantFrom('checkpoint', 'damaged', 'later', 'other_turn', 'child_ended', 'child_spawned'),
    { maxLength: 2 },
  ),
  aside: words,
});

export interface MadeLog {
  readonly lines: readonly MadeLine[];
  readonly torn: string;
}

export const madeLog: fc.Arbitrary<MadeLog> = fc
  .record({
    turns: fc.array(turn, { maxLength: 6 }),
    torn: fc.option(words, { nil: '' }),
    head: fc.boolean(),
  })
  .map(({ turns, torn, head }) => ({
    lines: withOpenChildren([
      ...(head ? [{ kind: 'event', draft: STARTED } as const] : []),
      ...turns.flatMap(turnLines),
    ]),
    torn: torn === '' ? '' : `{"v":1,"text":${JSON.stringify(torn)}`,
  }));

/** An answer names the children that were at work when it was asked for, whichever turn began them. */
function withOpenChildren(lines: readonly MadeLine[]): readonly MadeLine[] {
  let open = false;
  return lines.map((line) => {
    if (line.kind === 'bytes') return line;
    const { draft } = line;
    if (draft.type === 'subagent_event') open = draft.data.status === 'running';
    if (draft.type !== 'assistant_message' || !open) return line;
    return event('assistant_message', { ...draft.data, open_children: ['child_1'] });
  });
}

const STARTED: Draft = {
  type: 'session_started',
  data: {
    workspace: '/w',
    app_version: '0',
    prompt_contract_version: 'll1',
    permission_mode: 'ask',
    fork_root_session_id: 's1',
  },
};

function turnLines(made: MadeTurn, n: number): readonly MadeLine[] {
  const turn_id = `turn_${n}`;
  const attachments = made.attached === null ? [] : [{ kind: 'file', path: made.attached, text: made.aside }];
  const prompt = { turn_id, text: made.asks, client_turn_id: `client_${n}`, attachments };
  return [
    event('user_message', prompt),
    ...made.calls.flatMap((call, at) => callLines(turn_id, call, at)),
    ...made.beside.flatMap((what) => besideLines(turn_id, what, made.aside)),
    ...endLines(turn_id, made),
  ];
}

function event<T extends EventType>(type: T, data: EventData[T]): MadeLine {
  return { kind: 'event', draft: { type, data } as Draft };
}

function callLines(turn_id: string, made: MadeTurn['calls'][number], at: number): readonly MadeLine[] {
  const call_id = `${turn_id}_call_${at}`;
  const of = { turn_id, stream_run_id: `${turn_id}_run_${at}` };
  const content = made.large ? { content: `${'x'.repeat(40_000)} ${made.said}` } : { command: made.said };
  const json = JSON.stringify({ ...content, path: made.path });
  // As some models write it: what is no ASCII is escaped, and slashes are.
  const odd = json.replaceAll(/\P{ASCII}/gu, hex).replaceAll('/', String.raw`\/`);
  const args = made.escaped ? odd : json;
  const done: readonly MadeLine[] = made.settled
    ? [
        event('tool_call_status', { turn_id, call_id, from: 'running', to: 'succeeded' }),
        event('tool_result', { turn_id, call_id, ok: true, output: made.output, duration_ms: 1 }),
      ]
    : [];
  const change = {
    before_sha256: null,
    after_sha256: null,
    before_blob: null,
    created: true,
    deleted: false,
  };
  return [
    event('tool_call', { ...of, call_id, name: made.tool, args, output_index: 0, output_count: 1 }),
    event('tool_call_status', { turn_id, call_id, from: 'new', to: 'running' }),
    ...(made.changes ? [event('file_change', { turn_id, call_id, path: made.path, ...change })] : []),
    ...done,
  ];
}

function hex(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => String.raw`\u${character.charCodeAt(at).toString(16).padStart(4, '0').toUpperCase()}`,
  ).join('');
}

function besideLines(turn_id: string, what: MadeTurn['beside'][number], said: string): readonly MadeLine[] {
  switch (what) {
    case 'checkpoint': {
      const range = { from_seq: 0, to_seq: 1 };
      const data = { range, tail_from_seq: 1, summary: said, limitations: ['Not repeated.'] };
      return [event('history_compaction', data as unknown as EventData['history_compaction'])];
    }
    case 'damaged':
      return [{ kind: 'bytes', text: `{"v":1,"turn_id":"${turn_id}","text":"${said.replaceAll('\n', ' ')}` }];
    case 'later': {
      const data = { turn_id, text: said } as unknown as EventData['diagnostic'];
      return [{ kind: 'event', draft: { type: 'diagnostic', data }, later: true }];
    }
    case 'other_turn': {
      const data = { turn_id: 'turn_elsewhere', decision_id: 'd', target_id: 'c', reason: said };
      return [event('tool_call_decision', { ...data, action: 'cancel', decided_by: 'user' })];
    }
    case 'child_spawned':
    case 'child_ended': {
      const status = what === 'child_ended' ? 'completed' : 'running';
      const data = { turn_id, event: what === 'child_ended' ? 'finished' : 'started', status };
      const child = { subagent_id: 'child_1', child_session_id: 'ses_child' };
      return [event('subagent_event', { ...data, ...child })];
    }
  }
}

function endLines(turn_id: string, made: MadeTurn): readonly MadeLine[] {
  const of = { turn_id, stream_run_id: `${turn_id}_last` };
  const place = { ...of, output_index: 0, output_count: 1 };
  const item = { type: 'reasoning', summary: [{ type: 'summary_text', text: made.thinks }] };
  const thought =
    made.thinks === null ? [] : [event('reasoning', { ...place, item, model: 'm', endpoint: 'e' })];
  const answer = event('assistant_message', { ...of, text: made.says, metadata: { partial: false } });
  const fails = (terminal_status: EventData['turn_failed']['terminal_status']): MadeLine =>
    event('turn_failed', {
      turn_id,
      terminal_status,
      error_kind: 'server_error',
      error_message: made.aside,
      details: {},
      next_actions: [],
    });
  switch (made.ends) {
    case 'answered':
      return [...thought, answer, event('run_status', { turn_id, status: 'done', reason: 'natural_end' })];
    case 'failed_after':
      return [...thought, answer, fails('failed')];
    case 'waiting': {
      const call_id = `${turn_id}_asks`;
      const suspension = {
        id: 'sus',
        reason: 'approval',
        message: '',
        resume_mode: 'replay_tool_call',
      } as const;
      return [
        event('tool_call', { ...place, call_id, name: 'run_command', args: '{}' }),
        event('tool_call_status', { turn_id, call_id, from: 'new', to: 'suspended', suspension }),
        event('run_status', { turn_id, status: 'waiting', reason: 'suspended' }),
      ];
    }
    case 'open':
      return thought;
    case 'failed':
    case 'partial_failed':
    case 'interrupted':
    case 'timed_out':
      return [...thought, fails(made.ends)];
  }
}

/** One a minute: a day has a few hundred turns. */
export function eventOf(line: MadeLine & { kind: 'event' }, seq: number): KnownEvent {
  const { type, data } = line.draft;
  const ts = new Date(Date.UTC(2026, 0, 1) + seq * 4 * 3_600_000).toISOString();
  const made = { v: 1, id: `event_${seq}`, session_id: 's1', seq, ts, type, data };
  return (line.later === true ? { ...made, v: 2 } : made) as KnownEvent;
}

const part = fc
  .tuple(fc.constantFrom(...WORDS), fc.nat(6), fc.integer({ min: 1, max: 6 }), fc.boolean())
  .map(([word, from, length, upper]) => {
    const some =
      Array.from(word)
        .slice(from, from + length)
        .join('') || word;
    return upper ? some.toUpperCase() : some;
  });

const moment = fc.option(
  fc.nat(60).map((n) => Date.UTC(2026, 0, 1) + n * 12 * 3_600_000),
  { nil: null },
);

export const madeQuery: fc.Arbitrary<SearchQuery> = fc
  .record({
    terms: fc.array(part, { maxLength: 2 }),
    states: fc.oneof(
      { arbitrary: fc.constant([]), weight: 2 },
      { arbitrary: fc.uniqueArray(fc.constantFrom(...TURN_STATES), { maxLength: 2 }), weight: 1 },
    ),
    tools: fc.oneof(
      { arbitrary: fc.constant([]), weight: 3 },
      { arbitrary: fc.subarray(['READ_FILE', 'run_*', 'mcp_tool', 'none']), weight: 1 },
    ),
    files: fc.oneof(
      { arbitrary: fc.constant([]), weight: 3 },
      {
        arbitrary: fc.subarray([
          'src/**',
          '*.{ts,md}',
          'LOGIN',
          'größe',
          String.raw`src\y`,
          '?.md',
          '/home/**',
        ]),
        weight: 1,
      },
    ),
    from_ms: moment,
    to_ms: fc.oneof({ arbitrary: fc.constant(null), weight: 2 }, { arbitrary: moment, weight: 1 }),
  })
  .map((query) => ({ ...NO_QUERY, ...query }));

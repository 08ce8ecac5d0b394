import type { Passage } from '../../../src/runtime/call-gate.ts';
import { draft, type Draft, type Suspension } from '../../../src/runtime/events.ts';
import type { ToolOutcome } from '../../../src/runtime/ports.ts';
import { OUTCOME_UNKNOWN } from '../../../src/runtime/turn-calls.ts';
import { isTerminal, turnState, type OpenCall } from '../../../src/runtime/turn.ts';
import { broken } from './evidence.ts';
import type { Play, ResponseOrigin } from './play.ts';
import type { Position, Setting } from './position.ts';

/** One thing that may happen next. */
export interface Input {
  readonly name: string;
  readonly play: (play: Play) => void;
}

export interface Cast extends Setting {
  /** What the first response asks for; a later one may ask for `c`. */
  readonly first: readonly string[];
  readonly suspends: Readonly<Record<string, Suspension['resume_mode']>>;
}

const OK: ToolOutcome = { kind: 'success', output: 'did it', changes: [] };
const FAILED: ToolOutcome = { kind: 'failure', error: { kind: 'failed', message: 'no' }, changes: [] };
const CANCELLED: ToolOutcome = {
  kind: 'failure',
  error: { kind: 'cancelled', message: 'told to stop' },
  changes: [],
};

/** All that may happen at a position, but for a crash, which may come at any time. */
export function inputs(cast: Cast, at: Position): readonly Input[] {
  const { process } = at;
  const ended = isTerminal(turnState(at.turn));
  return [
    ...(process.inferring === null ? [] : responses(cast, at)),
    ...(process.gating.length === 0 ? [] : votes(process.gating)),
    ...process.again.flatMap((id) => votesAgain(at, id)),
    ...process.executing.flatMap((id) => ends(cast, id)),
    ...Object.keys(at.evidence.calls).flatMap((id) => decisions(at, id)),
    ...(at.evidence.decisions.length === 0 ? [] : repeats(at)),
    ...NONSENSE,
    ...at.alive.map((id) => ({ name: `process of ${id} ends`, play: (play: Play) => play.processEnds(id) })),
    ...(ended ? [] : INTERRUPTIONS),
  ];
}

function responses(cast: Cast, { evidence }: Position): readonly Input[] {
  const asked = Object.keys(evidence.calls);
  const next = asked.length === 0 ? cast.first : asked.includes('c') ? [] : ['c'];
  const calls = (origin: ResponseOrigin): readonly Draft[] =>
    next.map((call_id, output_index) => {
      const { turn_id, stream_run_id } = origin;
      const name = cast.tools[call_id]?.name ?? 'read';
      const place = { turn_id, stream_run_id, output_index, output_count: next.length };
      return draft('tool_call', { ...place, call_id, name, args: '{}' });
    });
  return [
    ...(next.length === 0
      ? []
      : [{ name: `calls ${next.join()}`, play: (play: Play) => play.respond(calls) }]),
    { name: 'answers', play: (play) => play.respond(answer) },
    { name: 'provider fails', play: (play) => play.failInference() },
  ];
}

function answer({ turn_id, stream_run_id, pending_calls }: ResponseOrigin): readonly Draft[] {
  const place = { turn_id, stream_run_id, output_index: 0, output_count: 1 };
  const pending = pending_calls.length === 0 ? {} : { pending_calls };
  return [draft('assistant_message', { ...place, text: 'Done.', ...pending, metadata: { partial: false } })];
}

const KINDS: readonly Passage['kind'][] = ['allowed', 'asked', 'refused', 'preset'];

function votes(ids: readonly string[]): readonly Input[] {
  let combined: readonly Readonly<Record<string, Passage['kind']>>[] = [{}];
  for (const id of ids)
    combined = combined.flatMap((votes) => KINDS.map((kind) => ({ ...votes, [id]: kind })));
  return combined.map((votes) => ({
    name: `gate ${Object.entries(votes).join(' ')}`,
    play: (play) => play.gate(votes),
  }));
}

/** Whoever said that it shall run again, its outcome being unknown, is not asked again. */
function votesAgain({ turn }: Position, id: string): readonly Input[] {
  const unknown = turn.open.get(id)?.approved.some(({ reason }) => reason === OUTCOME_UNKNOWN) === true;
  return KINDS.filter((kind) => kind !== 'asked' || !unknown).map((kind) => ({
    name: `gate again ${id} ${kind}`,
    play: (play) => play.gateAgain(id, kind),
  }));
}

function ends({ suspends }: Cast, id: string): readonly Input[] {
  const mode = suspends[id];
  const question = { reason: 'question', message: 'Which?', resume_mode: mode ?? 'replay_tool_call' };
  return [
    { name: `${id} succeeds`, play: (play) => play.end(id, OK) },
    { name: `${id} fails`, play: (play) => play.end(id, FAILED) },
    ...(mode === undefined
      ? []
      : [
          {
            name: `${id} suspends itself`,
            play: (play: Play) => play.end(id, { kind: 'suspended', suspension: question }),
          },
        ]),
  ];
}

/** Each of them by another of its names. */
function decisions({ turn }: Position, id: string): readonly Input[] {
  const call = turn.open.get(id);
  const suspension = call?.suspension?.id ?? id;
  const pending = call?.pending_id ?? id;
  const unknown = call?.suspension?.reason === OUTCOME_UNKNOWN;
  return [
    decided(`resume ${id}`, call, { target_id: suspension, action: 'resume' }),
    decided(`cancel ${id}`, call, { target_id: pending, action: 'cancel' }),
    decided(`resume ${id} with words`, call, {
      target_id: id,
      action: 'resume',
      payload: { result: 'yes' },
    }),
    decided(`resume ${id} with null`, call, { target_id: id, action: 'resume', payload: { result: null } }),
    ...(unknown
      ? [
          decided(`mark ${id} done`, call, {
            target_id: id,
            action: 'resume',
            resume_mode: 'use_decision_as_result',
          }),
        ]
      : []),
  ];
}

type Said = Parameters<Play['decide']>[0];

function decided(name: string, call: OpenCall | undefined, said: Said): Input {
  return {
    name,
    play: (play) => {
      const { kind } = play.decide(said, null);
      if (kind === 'duplicate') broken(`${name} is taken for a duplicate`);
      if (kind === 'record' && call === undefined) broken(`${name} decides about a settled call`);
    },
  };
}

/** A decision that is on record never acts again, whatever it says now. */
function repeats({ evidence }: Position): readonly Input[] {
  return Object.keys(evidence.calls).flatMap((target_id) =>
    ['resume', 'cancel'].map((action) => ({
      name: `repeat, ${action} ${target_id}`,
      play: (play: Play) => {
        const before = play.position.length;
        const verdict = play.decide({ target_id, action }, evidence.decisions.at(-1) ?? null);
        const isKnown =
          verdict.kind === 'duplicate' || (verdict.kind === 'refused' && verdict.code === 'asked_again');
        if (!isKnown || play.position.length !== before) broken(`a repeated decision is ${verdict.kind}`);
      },
    })),
  );
}

const NONSENSE: readonly Input[] = [
  { target_id: 'nothing', action: 'resume' },
  { target_id: 'a', action: '{}' },
  { target_id: 'a', action: 'approve' },
].map((said) => ({
  name: `${said.action} ${said.target_id}`,
  play: (play) => {
    const { kind } = play.decide(said, null);
    if (kind !== 'refused') broken(`${said.action} of ${said.target_id} is ${kind}`);
  },
}));

const INTERRUPTIONS: readonly Input[] = [
  { name: 'stop', play: (play) => play.interrupt('user_cancelled', CANCELLED) },
  { name: 'new message', play: (play) => play.interrupt('superseded', OK) },
];

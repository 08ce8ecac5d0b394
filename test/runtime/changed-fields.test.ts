import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { diagnosisDocument } from '../../src/presenter/diagnosis-document.ts';
import { hostMessageSchema } from '../../src/presenter/protocol.ts';
import { requestDocument } from '../../src/presenter/request-document.ts';
import { snapshotMessage } from '../../src/presenter/snapshot.ts';
import { turnStateMessage } from '../../src/presenter/turn-messages.ts';
import { closing, NOTHING_REMAINS } from '../../src/runtime/closing.ts';
import { parseLine, toLine } from '../../src/runtime/event-line.ts';
import type { Draft, EventType, LogEvent } from '../../src/runtime/events.ts';
import { forkDrafts } from '../../src/runtime/fork.ts';
import { DiagnosisFold, type Diagnosis } from '../../src/runtime/inspection/diagnosis.ts';
import { requestReport } from '../../src/runtime/inspection/request-report.ts';
import { applyToSessionTrace, emptyTrace } from '../../src/runtime/inspection/session-tree.ts';
import { thinned } from '../../src/runtime/inspection/thin-event.ts';
import { inEnglish } from '../../src/runtime/inspection/spoken-words.ts';
import { SessionTreeNodes } from '../../src/runtime/inspection/tree-nodes.ts';
import { opening } from '../../src/runtime/opening.ts';
import { recovery } from '../../src/runtime/recovery.ts';
import { SessionFolds } from '../../src/runtime/session-folds.ts';
import { SOUND } from '../support/log-facts.ts';
import { made, oneOfEach } from '../support/made-events.ts';
import { CountedIds } from '../support/memory-log.ts';
import { SEARCHING, searchCases, searchRuns } from '../support/search-runs.ts';
import { SETTINGS } from '../support/session-bench.ts';
import { WHOLE_STORY } from './whole-story.ts';

/** Hundreds of changed logs take as long as they take, also on a busy machine. */
const GENERATED = { timeout: searchRuns(60_000) };

const ABSENT = Symbol('absent');
const CHANGES: readonly unknown[] = [ABSENT, null, 7, 'x', '', true, false, [], [null], [7], ['x'], [{}], {}];
/** One of each kind that a reader can tell apart: true is as little a text as 7, and `[7]` no more than `[null]`. */
const KINDS = searchCases(CHANGES, [ABSENT, null, 7, 'x', '', [], [null], [{}], {}]);
/** What stands deeper in an event is read by a few functions, which ask for a text, a number, a list or an object. */
const DEEPER_KINDS = searchCases(CHANGES, [ABSENT, null, 7, '', [null], {}]);
/** Below `data` and the field in it. */
const DEEPER = 3;
const TARGET = { model: 'm1', endpoint: 'e1' };

type Path = readonly (string | number)[];

/** Every place in a JSON value, its own first. */
function pathsOf(value: unknown): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [[]];
  const inner = Object.entries(value).flatMap(([key, one]) => pathsOf(one).map((path) => [key, ...path]));
  return [[], ...inner];
}

function changed(value: unknown, [key, ...rest]: Path, to: unknown): unknown {
  if (key === undefined) return to;
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value)
    ? [...(value as unknown[])]
    : { ...(value as object) };
  const fields = copy as Record<string, unknown>;
  if (rest.length === 0 && to === ABSENT) delete fields[key];
  else fields[key] = changed(fields[key], rest, to);
  return copy;
}

const text = z.strictObject({ type: z.enum(['input_text', 'output_text']), text: z.string() });
const image = z.strictObject({
  type: z.literal('input_image'),
  image_url: z.string(),
  detail: z.literal('auto'),
});
/** What the API takes, as far as types go. Reasoning is opaque: it goes back as it came. */
const inputSchema = z.array(
  z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('message'),
      role: z.enum(['developer', 'user', 'assistant']),
      content: z.array(z.union([text, image])),
      phase: z.optional(z.string()),
    }),
    z.strictObject({
      type: z.literal('function_call'),
      call_id: z.string(),
      name: z.string(),
      arguments: z.string(),
    }),
    z.strictObject({
      type: z.literal('function_call_output'),
      call_id: z.string(),
      output: z.union([z.string(), z.array(z.union([text, image]))]),
    }),
    z.looseObject({ type: z.literal('reasoning') }),
  ]),
);
const reportSchema = z.looseObject({
  model: z.string(),
  endpoint: z.string(),
  prompt_contract_version: z.nullable(z.string()),
  prompt_cache_key: z.nullable(z.string()),
});

const MESSAGE = { session_id: 's1', access: { kind: 'writer' as const }, has_more: false, stream: null };

/**
 * Everything that reads a log, at every point from the first changed event on: what is open, and who waits, is
 * different at each. Throws what a reader throws.
 */
function readAll(log: readonly LogEvent[], changedSeqs: readonly number[]): void {
  const from = Math.min(...changedSeqs);
  const folds = new SessionFolds('s1');
  const diagnosis = new DiagnosisFold('s1');
  for (const event of log) {
    folds.push(event);
    diagnosis.push(event);
    if (event.seq < from) continue;
    checkWords(JSON.stringify(inputSchema.parse(folds.input(TARGET).items)));
    writeOn(folds);
  }
  const settings = { provider: 'p', model: 'm', mode: 'ask' };
  hostMessageSchema.parse(snapshotMessage({ title: '', ...MESSAGE, events: log, settings }));
  for (const at of [null, from - 1, from]) {
    const report = requestReport('s1', log, at);
    reportSchema.parse(report);
    checkWords(requestDocument(report, 'past', inEnglish).text);
  }
  const { items: input } = folds.input(TARGET);
  const found = diagnosis.finish({ ...SOUND, input });
  checkWords(JSON.stringify(found));
  checkWords(diagnosisDocument('s1', found, inEnglish).text);
  readTree(log, found);
  for (const seq of changedSeqs) toLine(thinned(log[seq]!));
  checkDrafts(forkDrafts(folds.state, log));
}

/** Everything that the tree shows and proves. */
function readTree(log: readonly LogEvent[], diagnosis: Diagnosis): void {
  const trace = log.reduce((before, event) => applyToSessionTrace(before, event), emptyTrace('s1'));
  for (const live of [true, false]) {
    const nodes = new SessionTreeNodes().build({ trace, earlier: [], diagnosis, live });
    checkWords(JSON.stringify([...nodes.values()].map((node) => ({ ...node, next_actions: [] }))));
  }
}

/** Shows the turn, ends it in each way there is, and begins another: what is written has to be sound too. */
function writeOn({ state }: SessionFolds): void {
  const { turn } = state;
  if (turn === null) return;
  hostMessageSchema.parse(turnStateMessage(turn, null));
  checkDrafts(closing(turn, { kind: 'interrupted', reason: 'disconnect' }, NOTHING_REMAINS));
  checkDrafts(recovery(turn, null, () => 'read', new CountedIds()));
  checkDrafts(recovery(turn, null, () => null, new CountedIds()));
  const prompt = { client_turn_id: 'k2', text: 'Go on.', attachments: [] };
  checkDrafts(opening(state, prompt, SETTINGS, { turn_id: 't2', app_version: '0' }));
}

function checkDrafts(drafts: readonly Draft[]): void {
  for (const { type, data } of drafts) {
    const line = toLine(made(type, 0, data));
    checkWords(line);
    const parsed = parseLine(line);
    if (!parsed.ok) throw new Error(`what was written is damaged: ${parsed.reason}`);
  }
}

/** What is no text must not have been made one on the way. */
function checkWords(written: string): void {
  const [word] = /undefined|NaN|\[object \w+\]/u.exec(written) ?? [];
  if (word !== undefined) throw new Error(`${word} in ${written}`);
}

interface Change {
  readonly path: Path;
  readonly to: unknown;
  readonly event: LogEvent;
}

/** What can be changed in an event so that its line is still taken for one. */
function changesOf(event: LogEvent): readonly Change[] {
  return pathsOf(event).flatMap((path) =>
    (path.length < DEEPER ? KINDS : DEEPER_KINDS).flatMap((to) => {
      if (path.length === 0 && to === ABSENT) return [];
      const parsed = parseLine(JSON.stringify(changed(event, path, to)));
      return parsed.ok && parsed.event.seq === event.seq ? [{ path, to, event: parsed.event }] : [];
    }),
  );
}

/** What is wrong with a log that has these changes, by the change that does it where one alone does. */
function faults(changes: readonly Change[]): readonly string[] {
  const came = outcome(changes);
  if (came === null) return [];
  const alone = changes.length === 1 ? [] : changes.flatMap((change) => faults([change]));
  return alone.length > 0 ? alone : [`${changes.map(changeWords).join(', ')}: ${came}`];
}

function changeWords({ path, to, event }: Change): string {
  const words = to === ABSENT ? 'absent' : JSON.stringify(to);
  return `${event.seq} ${WHOLE_STORY[event.seq]?.type} ${path.join('.')} = ${words}`;
}

/** What a reader throws at a log with these changes; null where all of them take it. */
function outcome(changes: readonly Change[]): string | null {
  const log = changes.reduce((before, { event }) => before.with(event.seq, event), WHOLE_STORY);
  try {
    readAll(
      log,
      changes.map(({ event }) => event.seq),
    );
    return null;
  } catch (error) {
    return String(error);
  }
}

/**
 * Logs with one change in every event that has any left: a reader looks at hundreds of them in the time that thousands
 * with a single change would take. Each change is in several logs, with others beside it each time, so that what one of
 * them hides in one log is seen in another.
 */
function companies(lists: readonly (readonly Change[])[]): readonly (readonly Change[])[] {
  const length = Math.max(...lists.map((list) => list.length));
  return STRIDES.flatMap((stride) =>
    Array.from({ length }, (_, index) =>
      lists.flatMap((list, place) => list[(index + place * stride) % length] ?? []),
    ),
  );
}

/** How much further each next event is in its changes. */
const STRIDES = [37, 101];

describe('a field of another shape', GENERATED, () => {
  it('is tried in a log that has every event there is and that all readers take', () => {
    const types = new Set<string>(WHOLE_STORY.map(({ type }) => type));
    expect([...types].sort()).toEqual(Object.keys(oneOfEach()).sort());
    expect(outcome([{ path: [], to: null, event: WHOLE_STORY[0]! }])).toBeNull();
  });

  it('is damage, or every reader takes it', () => {
    const lists = WHOLE_STORY.map(changesOf);
    const logs = SEARCHING ? lists.flat().map((change) => [change]) : companies(lists);
    expect([...new Set(logs.flatMap(faults))]).toEqual([]);
  });

  it.each([
    ['user_message', ['attachments', 0], null, /^a list, each of it an object with kind \(a string\)/u],
    ['user_message', ['attachments', 0, 'data'], 7, /^a list, each of it an object with /u],
    ['tool_result', ['output'], 7, /^a string$/u],
    ['tool_result', ['error'], null, /^an object with kind \(a string\), message \(a string\)$/u],
    ['tool_result', ['error', 'message'], 7, /^an object with /u],
    ['assistant_message', ['metadata', 'partial'], 'no', /^an object with partial \(a boolean\)$/u],
    ['assistant_message', ['phase'], 7, /^a string$/u],
    ['provider_usage', ['tokens', 'total'], '11', /^an object with total \(a number or null\)$/u],
    ['provider_usage', ['endpoint'], null, /^a string$/u],
    ['turn_failed', ['next_actions'], {}, /^a list, each of it an object with label \(a string\)/u],
    ['turn_failed', ['terminal_status'], 'completed', /^partial_failed, failed, interrupted or timed_out$/u],
    ['tool_call_status', ['suspension'], [], /^an object with id \(a string\)/u],
    ['tool_call_status', ['to'], 'constructor', /^new, running, .* or cancelled$/u],
    ['run_status', ['status'], 'paused', /^running, waiting or done$/u],
    ['history_compaction', ['limitations', 0], 7, /^a list, each of it a string$/u],
    ['interruption_note', ['completed_calls', 0], null, /^a list, each of it a string$/u],
    ['developer_context', ['branch'], 7, /^a string or null$/u],
    ['developer_context', ['workspace'], ABSENT, /^a string or null$/u],
    ['diagnostic', ['turn_id'], 7, /^a string$/u],
  ] as const)('is named: %s %j %j', (type, path, to, wanted) => {
    const reason = reasonOf(type, path, to);
    expect(reason.startsWith(`${type}.${path[0]} is not `)).toBe(true);
    expect(reason.slice(`${type}.${path[0]} is not `.length)).toMatch(wanted);
  });

  it.each([
    ['turn_failed', ['next_actions']],
    ['reasoning', ['endpoint']],
    ['provider_usage', ['endpoint']],
    ['provider_usage', ['prompt_cache_key']],
  ] as const)('may be missing where nobody needs it: %s %j', (type, path) => {
    expect(reasonOf(type, path, ABSENT)).toBe('');
  });
});

function reasonOf(type: EventType, path: Path, to: unknown): string {
  const event = WHOLE_STORY.find((one) => one.type === type);
  const parsed = parseLine(JSON.stringify(changed(event, ['data', ...path], to)));
  return parsed.ok ? '' : parsed.reason;
}

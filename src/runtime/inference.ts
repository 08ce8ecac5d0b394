import { openChildrenOf } from './agents/children.ts';
import type { ContextParts } from './context-events.ts';
import { askedAgain, type Again } from './asked-again.ts';
import { draft, type Draft } from './events.ts';
import { attempt, type AttemptResult } from './attempt.ts';
import { NOTHING_REMAINS, type Remains } from './closing.ts';
import { errorFacts } from './provider-errors.ts';
import type { ModelRequest, ProviderFailure } from './ports.ts';
import { promptCacheKey } from './prompt/contract.ts';
import { responseDrafts } from './response-drafts.ts';
import { retryDelay } from './retry.ts';
import type { RunEnd } from './run-end.ts';
import { phaseView, type TurnContext } from './turn-context.ts';
import { usage, type Asked } from './usage.ts';
import { RoomMaker } from './compaction/making-room.ts';
import { isCritical } from './pressure.ts';
import { runPhase } from './extension.ts';

/** One model step: committed, or an end with what the stream left behind. */
export type InferenceResult =
  | { readonly kind: 'committed' }
  | { readonly kind: 'end'; readonly end: RunEnd | null; readonly remains: Remains };

export async function infer(context: TurnContext): Promise<InferenceResult> {
  const { clock } = context;
  const turn_id = context.turn().turn_id;
  let retries = 0;
  let withoutReasoning = false;
  const { pressure } = context.session();
  const critical = isCritical(pressure, context.settings.context_window);
  const room = new RoomMaker(context, critical);
  const gone: Again[] = [];
  for (let attempts = 1; ; attempts += 1) {
    const prepared = await prepareRequest(context, withoutReasoning);
    context.publish({
      kind: 'status',
      turn_id,
      activity: { kind: 'requesting', attempt: attempts, since: clock.now() },
    });
    const result = await attempt(context, prepared.request);
    if (result.kind === 'completed') return commit(context, prepared, result, attempts);
    if (result.kind === 'halted')
      return { kind: 'end', end: null, remains: remains(context, prepared, result, attempts) };
    const { failure } = result;
    const another = askedAgain(result, gone);
    if (another !== null) {
      gone.push(another.again);
      await context.record([diagnostic(turn_id, result, another.code, another.message)]);
      continue;
    }
    if (failure.kind === 'reasoning_rejected' && !withoutReasoning && !result.output_seen) {
      withoutReasoning = true;
      await context.record([
        diagnostic(
          turn_id,
          result,
          'reasoning_rejected',
          'The provider rejected earlier reasoning; asked again without it.',
        ),
      ]);
      continue;
    }
    if (await room.make(result)) continue;
    const delay = retryDelay(failure, retries, result.output_seen);
    if (delay === null) return failed(failure, remains(context, prepared, result, attempts), room);
    retries += 1;
    await context.record([
      diagnostic(
        turn_id,
        result,
        'provider_retry',
        `${errorFacts(failure.kind).retry} Retry ${retries} in ${delay} ms.`,
        { delay_ms: delay, retry: retries },
      ),
    ]);
    const activity = {
      kind: 'retrying' as const,
      attempt: attempts + 1,
      delay_ms: delay,
      error_kind: failure.kind,
      since: clock.now(),
    };
    context.publish({ kind: 'status', turn_id, activity });
    await clock.sleep(delay, context.signal);
    if (context.signal.aborted)
      return {
        kind: 'end',
        end: null,
        remains: remains(context, prepared, { ...result, text: '' }, attempts),
      };
  }
}

interface Prepared {
  readonly request: ModelRequest;
  /** The last event that it is made of: others may come while the model answers. */
  readonly at_seq: number;
  /** What fills it. */
  readonly parts: ContextParts;
  /** Calls whose output is a placeholder in it. */
  readonly pending: readonly string[];
  /** Children whose ends it does not tell of: they are at work, or have just ended. */
  readonly open_children: readonly string[];
}

async function prepareRequest(context: TurnContext, withoutReasoning: boolean): Promise<Prepared> {
  const { settings, surface, provider, hasher } = context;
  const target = {
    model: settings.model,
    endpoint: provider.endpoint,
    ...(withoutReasoning ? { without_reasoning: true } : {}),
  };
  const { items, repairs } = context.input(target);
  const at_seq = context.session().last_seq;
  const parts = context.compaction(target).parts();
  const pending = [...context.turn().open.values()].filter((call) => call.result === 'none');
  const { children } = context.session();
  const open_children = [...openChildrenOf(children), ...children.untold].map((one) => one.subagent_id);
  if (repairs.length > 0) {
    await context.record([
      draft('diagnostic', {
        turn_id: context.turn().turn_id,
        code: 'request_repaired',
        message: 'The request broke a rule of the API and was repaired before it was sent.',
        details: { repairs },
        next_actions: [{ label: 'Diagnose', command: 'ledgerline.diagnose' }],
      }),
    ]);
  }
  const request = {
    model: settings.model,
    instructions: surface.instructions,
    tools: surface.tools,
    input: items,
    prompt_cache_key: promptCacheKey(
      {
        model: settings.model,
        mode: settings.permission_mode,
        fork_root_session_id: context.session().fork_root_session_id,
        toolset_hash: surface.toolset_hash,
        skill_index_hash: surface.skill_index_hash,
      },
      hasher,
    ),
    reasoning_effort: settings.reasoning_effort,
  };
  return { request, at_seq, parts, pending: pending.map((call) => call.call_id), open_children };
}

async function commit(
  context: TurnContext,
  prepared: Prepared,
  result: Extract<AttemptResult, { kind: 'completed' }>,
  attempts: number,
): Promise<InferenceResult> {
  const turn = context.turn();
  const left = remains(context, prepared, result, attempts);
  const after = afterInference(context);
  if (after instanceof Error) return failed({ kind: 'internal', message: String(after) }, left);
  const verdict = responseDrafts(
    result.items,
    {
      turn_id: turn.turn_id,
      stream_run_id: result.stream_run_id,
      client_turn_id: turn.client_turn_id,
      model: prepared.request.model,
      endpoint: context.provider.endpoint,
      pending_calls: prepared.pending,
      open_children: prepared.open_children,
      thought_ms: result.thought_ms,
    },
    (callId) => context.knowsCall(callId),
  );
  if (verdict.kind === 'failed') return failed(verdict.failure, { ...left, text: verdict.text || left.text });
  const unknown: readonly Draft[] =
    result.unknown_events.length === 0
      ? []
      : [
          diagnostic(
            turn.turn_id,
            result,
            'unknown_provider_events',
            'The provider sent events this version does not know. They were ignored.',
            { types: result.unknown_events },
          ),
        ];
  await context.record([
    ...verdict.drafts,
    ...(left.usage === null ? [] : [draft('provider_usage', left.usage)]),
    ...unknown,
    ...after.record,
  ]);
  await context.log.clearStream();
  return after.end === null
    ? { kind: 'committed' }
    : { kind: 'end', end: after.end, remains: NOTHING_REMAINS };
}

/** An extension that fails here must not take the text with it that has been shown. */
function afterInference(context: TurnContext): ReturnType<typeof runPhase> | Error {
  try {
    return runPhase(context.extensions, 'after_inference', phaseView(context));
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function failed(
  failure: ProviderFailure,
  left: Remains,
  room: Pick<RoomMaker, 'attempts' | 'isHeld'> = { attempts: [], isHeld: false },
): InferenceResult {
  const facts = errorFacts(failure.kind);
  const { kind: error_kind, message, ...details } = failure;
  const { attempts: compactions } = room;
  const end: RunEnd = {
    kind: 'error',
    error_kind,
    message: sentenceOf(failure, facts.sentence, room),
    details: {
      ...details,
      provider_message: message,
      ...(compactions.length === 0 ? {} : { compactions }),
    },
    next_actions: facts.next_actions,
  };
  return { kind: 'end', end, remains: left };
}

function sentenceOf(
  { kind, message }: ProviderFailure,
  sentence: string,
  { isHeld }: Pick<RoomMaker, 'isHeld'>,
): string {
  if (kind === 'refusal') return `${sentence} ${message}`;
  return kind === 'context_overflow' && isHeld
    ? `${sentence} A call that waited for your decision kept it from being compacted.`
    : sentence;
}

function diagnostic(
  turn_id: string,
  result: AttemptResult,
  code: string,
  message: string,
  details: Record<string, unknown> = {},
): Draft {
  const failure = result.kind === 'failed' ? { failure: result.failure } : {};
  return draft('diagnostic', {
    turn_id,
    stream_run_id: result.stream_run_id,
    code,
    message,
    details: { ...details, ...failure },
    next_actions: [],
  });
}

function remains(context: TurnContext, prepared: Prepared, result: AttemptResult, attempts: number): Remains {
  return {
    ...NOTHING_REMAINS,
    text: result.text,
    stream_run_id: result.stream_run_id,
    usage: usage(context, asked(context, prepared, attempts), result),
  };
}

function asked(context: TurnContext, { request, at_seq, parts }: Prepared, attempts: number): Asked {
  const { turn_id, responses, told_index } = context.turn();
  const { skill_index, skill_index_hash } = context.surface;
  const tells_skills = skill_index !== '' && told_index !== skill_index_hash;
  return { turn_id, iteration: responses + 1, attempts, request, at_seq, parts, tells_skills };
}

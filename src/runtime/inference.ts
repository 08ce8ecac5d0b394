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
import { usage } from './usage.ts';
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
  for (let attempts = 1; ; attempts += 1) {
    const { request, pending } = await prepareRequest(context, withoutReasoning);
    context.publish({
      kind: 'status',
      turn_id,
      activity: { kind: 'requesting', attempt: attempts, since: clock.now() },
    });
    const result = await attempt(context, request);
    if (result.kind === 'completed') return commit(context, request, { ...result, pending }, attempts);
    if (result.kind === 'halted')
      return { kind: 'end', end: null, remains: remains(context, request, result, attempts) };
    const { failure } = result;
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
    const delay = retryDelay(failure, retries, result.output_seen);
    if (delay === null) return failed(failure, remains(context, request, result, attempts));
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
        remains: remains(context, request, { ...result, text: '' }, attempts),
      };
  }
}

/** `pending` are the calls whose output is a placeholder in the request. */
async function prepareRequest(
  context: TurnContext,
  withoutReasoning: boolean,
): Promise<{ readonly request: ModelRequest; readonly pending: readonly string[] }> {
  const { settings, surface, provider, hasher } = context;
  const target = {
    model: settings.model,
    endpoint: provider.endpoint,
    ...(withoutReasoning ? { without_reasoning: true } : {}),
  };
  const { items, repairs } = context.input(target);
  const pending = [...context.turn().open.values()].filter((call) => call.result === 'none');
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
  return { request, pending: pending.map((call) => call.call_id) };
}

type Completed = Extract<AttemptResult, { kind: 'completed' }> & { readonly pending: readonly string[] };

async function commit(
  context: TurnContext,
  request: ModelRequest,
  result: Completed,
  attempts: number,
): Promise<InferenceResult> {
  const turn = context.turn();
  const left = remains(context, request, result, attempts);
  const after = afterInference(context);
  if (after instanceof Error) return failed({ kind: 'internal', message: String(after) }, left);
  const verdict = responseDrafts(
    result.items,
    {
      turn_id: turn.turn_id,
      stream_run_id: result.stream_run_id,
      client_turn_id: turn.client_turn_id,
      model: request.model,
      endpoint: context.provider.endpoint,
      pending_calls: result.pending,
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

function failed(failure: ProviderFailure, left: Remains): InferenceResult {
  const facts = errorFacts(failure.kind);
  const { kind: error_kind, message, ...details } = failure;
  const end: RunEnd = {
    kind: 'error',
    error_kind,
    message: error_kind === 'refusal' ? `${facts.sentence} ${message}` : facts.sentence,
    details: { ...details, provider_message: message },
    next_actions: facts.next_actions,
  };
  return { kind: 'end', end, remains: left };
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

function remains(
  context: TurnContext,
  request: ModelRequest,
  result: AttemptResult,
  attempts: number,
): Remains {
  return {
    ...NOTHING_REMAINS,
    text: result.text,
    stream_run_id: result.stream_run_id,
    usage: usage(context, request, result, attempts),
  };
}

import type { AttemptResult } from './attempt.ts';
import type { EventData, TokenCounts } from './events.ts';
import type { ModelRequest } from './ports.ts';
import { PROMPT_CONTRACT_VERSION, sessionFamilyHash } from './prompt/contract.ts';
import type { TurnContext } from './turn-context.ts';

const UNKNOWN_TOKENS: TokenCounts = { input: null, cached: null, output: null, reasoning: null, total: null };

/** The evidence of one model call. What the provider did not say is null, never 0. */
export function usage(
  context: TurnContext,
  request: ModelRequest,
  result: AttemptResult,
  attempts: number,
): EventData['provider_usage'] {
  const { settings, surface, hasher } = context;
  const turn = context.turn();
  const tokens = result.kind === 'halted' ? UNKNOWN_TOKENS : (result.tokens ?? UNKNOWN_TOKENS);
  const window_tokens = settings.context_window;
  const ratio = tokens.input === null || window_tokens === null ? null : tokens.input / window_tokens;
  const truncated = result.kind === 'failed' && result.failure.kind === 'output_limit';
  return {
    turn_id: turn.turn_id,
    stream_run_id: result.stream_run_id,
    model: request.model,
    endpoint: context.provider.endpoint,
    transport: context.provider.transport,
    iteration: turn.responses + 1,
    tokens,
    cache_hit_rate:
      tokens.input === null || tokens.cached === null || tokens.input === 0
        ? null
        : tokens.cached / tokens.input,
    prompt_contract_version: PROMPT_CONTRACT_VERSION,
    prompt_cache_key: request.prompt_cache_key,
    toolset_hash: surface.toolset_hash,
    skill_index_hash: surface.skill_index_hash,
    session_family_hash: sessionFamilyHash(context.session().fork_root_session_id, hasher),
    continuation: { attempted: false, used: false, reset_reason: null },
    context: { window_tokens, ratio, tier: tierOf(ratio) },
    output_truncation: truncated ? 'truncated' : result.kind === 'completed' ? 'not_truncated' : 'unknown',
    time_to_first_token_ms: result.first_token_ms,
    total_ms: result.total_ms,
    // Without a key no request leaves.
    attempts: result.kind === 'failed' && result.failure.kind === 'missing_key' ? attempts - 1 : attempts,
    response_id: result.kind === 'completed' ? result.response_id : null,
  };
}

/** Where the last input stands in the window; an unknown window has no tier. */
export function tierOf(ratio: number | null): string {
  if (ratio === null) return 'unknown';
  if (ratio < 0.7) return 'none';
  if (ratio < 0.8) return 'advisory';
  return ratio < 0.9 ? 'warning' : 'critical';
}

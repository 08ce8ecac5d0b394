import type { AttemptResult } from './attempt.ts';
import type { ContextParts, ProviderUsage, TokenCounts } from './context-events.ts';
import type { RunSettings } from './extension.ts';
import type { Hasher, ModelRequest, Provider } from './ports.ts';
import { tierOf } from './pressure.ts';
import { PROMPT_CONTRACT_VERSION, sessionFamilyHash, type PromptSurface } from './prompt/contract.ts';
import type { SessionState } from './session-state.ts';

const UNKNOWN_TOKENS: TokenCounts = { input: null, cached: null, output: null, reasoning: null, total: null };

/** Who asked, and with what. */
export interface Asking {
  readonly settings: RunSettings;
  readonly surface: PromptSurface;
  readonly hasher: Hasher;
  readonly provider: Provider;
  readonly session: () => SessionState;
}

/** What was asked: how often, as the how-manieth call of its turn, and what filled it. */
export interface Asked {
  readonly turn_id: string | null;
  readonly iteration: number;
  readonly attempts: number;
  readonly request: ModelRequest;
  /** The last event that the request was made of; null where it is not made of the log alone. */
  readonly at_seq: number | null;
  readonly parts: ContextParts | null;
  /** The text of the index goes on record with it. */
  readonly tells_skills: boolean;
}

/** The evidence of one model call. What the provider did not say is null, never 0. */
export function usage(
  { settings, surface, hasher, provider, session }: Asking,
  { turn_id, iteration, attempts, request, at_seq, parts, tells_skills }: Asked,
  result: AttemptResult,
): ProviderUsage {
  const tokens = result.kind === 'halted' ? UNKNOWN_TOKENS : (result.tokens ?? UNKNOWN_TOKENS);
  const window_tokens = settings.context_window;
  const ratio = tokens.input === null || window_tokens === null ? null : tokens.input / window_tokens;
  const truncated = result.kind === 'failed' && result.failure.kind === 'output_limit';
  return {
    ...(turn_id === null ? {} : { turn_id }),
    stream_run_id: result.stream_run_id,
    ...(request.purpose === undefined ? {} : { purpose: request.purpose }),
    model: request.model,
    endpoint: provider.endpoint,
    transport: result.transport,
    iteration,
    ...(at_seq === null ? {} : { at_seq }),
    tokens,
    cache_hit_rate:
      tokens.input === null || tokens.cached === null || tokens.input === 0
        ? null
        : tokens.cached / tokens.input,
    prompt_contract_version: PROMPT_CONTRACT_VERSION,
    prompt_cache_key: request.prompt_cache_key,
    toolset_hash: surface.toolset_hash,
    skill_index_hash: surface.skill_index_hash,
    ...(tells_skills ? { skill_index: surface.skill_index } : {}),
    session_family_hash: sessionFamilyHash(session().fork_root_session_id, hasher),
    continuation: result.continuation,
    context: { window_tokens, ratio, tier: tierOf(ratio), ...(parts === null ? {} : { parts }) },
    output_truncation: truncated ? 'truncated' : result.kind === 'completed' ? 'not_truncated' : 'unknown',
    time_to_first_token_ms: result.first_token_ms,
    total_ms: result.total_ms,
    attempts: result.kind === 'failed' && result.failure.unsent === true ? attempts - 1 : attempts,
    response_id: result.kind === 'completed' ? result.response_id : null,
    ...(result.kind === 'completed' && result.cache_diagnostics !== undefined
      ? { cache_diagnostics: result.cache_diagnostics }
      : {}),
  };
}

/** What the log says of context: what a call used of it, and what took the place of earlier history. */

export type OutputTruncation = 'not_truncated' | 'truncated' | 'unknown';

export interface TokenCounts {
  readonly input: number | null;
  readonly cached: number | null;
  readonly output: number | null;
  readonly reasoning: number | null;
  readonly total: number | null;
  /** Written to the prompt cache, where the endpoint says so. */
  readonly cache_write?: number | null;
}

export type Transport = 'http_sse' | 'websocket' | 'offline';

/** Where the last input stands in the window; an unknown window has no tier. */
export type Tier = 'unknown' | 'none' | 'advisory' | 'warning' | 'critical';

/** Whether a request went out as the continuation of another, and if not, why not. */
export interface Continuation {
  readonly attempted: boolean;
  readonly used: boolean;
  readonly reset_reason: string | null;
}

/** What fills a request, in tokens. Estimates, each made alike: only their shares mean something. */
export interface ContextParts {
  readonly instructions: number;
  readonly tools: number;
  readonly skills: number;
  readonly history: number;
  readonly tool_output: number;
}

/** How full the window was at the last call, as far as it is known. */
export interface Gauge {
  /** The last call, or the checkpoint after it, which says what the next one will have. */
  readonly of: 'call' | 'checkpoint';
  readonly input_tokens: number;
  readonly cached_tokens: number | null;
  /** False for what is estimated: the provider did not count, or history was compacted since. */
  readonly measured: boolean;
  readonly parts: ContextParts | null;
}

/** How full the window was where a fork begins, by its parent, and what the provider counts there for each estimated token. */
export interface ForkContext extends Gauge {
  readonly scale: number | null;
}

/** Why a prefix was not found in the prompt cache, in the endpoint's words. */
export interface CacheDiagnostics {
  readonly type: string;
  readonly reason?: string;
  readonly missed_tokens?: number;
}

export interface ProviderUsage {
  /** Absent for a call that belongs to no turn, such as the one of a compaction that a person asked for. */
  readonly turn_id?: string;
  readonly client_turn_id?: string;
  readonly stream_run_id: string;
  /** Set on calls beside the conversation: what was asked is no part of it. */
  readonly purpose?: 'compaction';
  readonly model: string;
  /** Where the request went, without secrets. The first logs do not say. */
  readonly endpoint?: string;
  readonly transport: Transport;
  readonly iteration: number;
  /** The last event that the request was made of: others may come while the model answers. The first logs do not say. */
  readonly at_seq?: number;
  readonly tokens: TokenCounts;
  readonly cache_hit_rate: number | null;
  readonly prompt_contract_version: string;
  readonly prompt_cache_key: string;
  readonly toolset_hash: string;
  readonly skill_index_hash: string;
  /** What the instructions told of skills: on the first call of a turn, and where it changed since. */
  readonly skill_index?: string;
  readonly session_family_hash: string;
  readonly continuation: Continuation;
  readonly context: {
    readonly window_tokens: number | null;
    readonly ratio: number | null;
    readonly tier: string;
    readonly parts?: ContextParts;
  };
  readonly cache_diagnostics?: CacheDiagnostics;
  readonly output_truncation: OutputTruncation;
  readonly time_to_first_token_ms: number | null;
  readonly total_ms: number;
  readonly attempts: number;
  readonly response_id: string | null;
}

export type CompactionTrigger =
  | 'manual'
  | 'critical_pressure_preflight'
  | 'websocket_critical_recovery'
  | 'overflow_recovery';

export type CompactionStrategy = 'deterministic_v1' | 'model_assisted_v1';

/** A call of the range. Its output is not repeated: `seq` says where the log has it, `blob` where all of it is. */
export interface CompactedCall {
  readonly seq: number;
  readonly name: string;
  readonly subject: string;
  readonly ok: boolean;
  readonly output_bytes: number;
  readonly blob?: string;
}

export interface CompactedCalls {
  readonly total: number;
  readonly failed: number;
  readonly by_name: Readonly<Record<string, number>>;
  /** The last of them. */
  readonly last: readonly CompactedCall[];
}

/** What a person or a rule decided about a call. */
export interface CompactedDecision {
  readonly name: string;
  readonly subject: string;
  readonly action: string;
  readonly decided_by: string;
  readonly reason?: string;
}

/** An image that is not sent any more, and how to look at it again. */
export interface CompactedImage {
  readonly sha256: string;
  readonly label: string;
  readonly mime: string;
  /** Null where nobody said. */
  readonly bytes: number | null;
  readonly width: number | null;
  readonly height: number | null;
  /** The last turn that it was sent with, and the beginning of what was asked there. */
  readonly turn_id: string;
  readonly asked: string;
}

/** As it is read. What only people and later checkpoints use is read loosely: see `compaction/record.ts`. */
export interface HistoryCompaction {
  /** Of a compaction inside a run. */
  readonly turn_id?: string;
  readonly client_turn_id?: string;
  readonly trigger: string;
  readonly strategy: string;
  readonly range: { readonly from_seq: number; readonly to_seq: number };
  readonly tail_from_seq: number;
  /** Events of the range that stay: the prompt of a turn that was cut between its rounds, and its skills. */
  readonly keeps?: readonly number[];
  readonly summary: string;
  readonly limitations: readonly string[];
  readonly event_counts?: unknown;
  readonly tool_calls?: unknown;
  readonly files_touched?: unknown;
  readonly open_tasks?: unknown;
  readonly decisions?: unknown;
  readonly skills_dropped?: unknown;
  readonly images?: unknown;
  readonly tokens_before?: unknown;
  readonly tokens_after?: unknown;
  readonly tokens_basis?: unknown;
  readonly parts_after?: unknown;
  readonly fallback?: unknown;
  readonly blob?: string;
}

/** As this version writes it. */
export interface CompactionRecord extends HistoryCompaction {
  readonly trigger: CompactionTrigger;
  readonly strategy: CompactionStrategy;
  readonly event_counts: Readonly<Record<string, number>>;
  readonly tool_calls: CompactedCalls;
  readonly files_touched: readonly string[];
  readonly open_tasks: readonly string[];
  readonly decisions: readonly CompactedDecision[];
  readonly skills_dropped: readonly string[];
  /** Images of the range, and of earlier ones, that are not sent any more; absent where there are none. */
  readonly images?: readonly CompactedImage[];
  readonly tokens_before: number;
  readonly tokens_after: number;
  /** Both counts are estimates of one kind; `measured` ones are scaled by what the provider last counted. */
  readonly tokens_basis: 'measured' | 'estimated';
  /** What fills the next request then. */
  readonly parts_after: ContextParts;
  /** Set where another strategy was asked for and could not be carried out. */
  readonly fallback?: {
    readonly from: CompactionStrategy;
    readonly kind: string;
    readonly message: string;
    /** The provider's own words, where it was asked and failed. */
    readonly provider_message?: string;
  };
}

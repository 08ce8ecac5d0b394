import type {
  Artifact,
  Checkpoint,
  ChildQuestion,
  Delivery,
  PastAttempt,
  StepResult,
  StepSpec,
  WorkflowSpec,
} from '../agent-events.ts';
import type {
  CacheDiagnostics,
  CompactedCall,
  CompactedCalls,
  CompactedDecision,
  CompactedImage,
  CompactionRecord,
  ContextParts,
  Continuation,
  ForkContext,
  ProviderUsage,
  TokenCounts,
} from '../context-events.ts';
import type {
  Attachment,
  CommandProcess,
  MessageMetadata,
  NextAction,
  Suspension,
  ToolError,
} from '../events.ts';
import { list, object, type Rule } from './rules.ts';

/** Rules for what is inside of the fields of events. */

/** A button of a log is nobody's to press elsewhere: its words and what it was about stay behind. */
const nextAction = object<NextAction>({ label: 'text', command: 'command', args: 'none' });
export const nextActions = list(nextAction);

export const attachments = list(
  object<Attachment>({
    kind: 'word',
    label: 'path',
    path: 'path',
    text: 'text',
    mime: 'type',
    data: 'image',
    start_line: 'number',
    end_line: 'number',
    sha256: 'hash',
    bytes: 'number',
    lines: 'number',
    width: 'number',
    height: 'number',
    truncated: 'number',
    unsaved: 'number',
  }),
);

export const metadata = object<MessageMetadata>({
  partial: 'number',
  interrupted: 'number',
  interrupted_reason: 'word',
  client_turn_id: 'id',
  finished_reason: 'word',
  token_estimate: 'number',
  terminal_status: 'word',
  error_kind: 'word',
  output_truncation: 'word',
});

export const toolError = object<ToolError>({ kind: 'word', message: 'text', details: 'json' });

export const suspension = object<Suspension>({
  id: 'id',
  reason: 'word',
  message: 'text',
  parameters: 'json',
  response_schema: 'json',
  resume_mode: 'word',
  resume_modes: list('word'),
});

export const process = object<CommandProcess>({ pid: 'number', group: 'number', started_at: 'time' });

export const deliveries = list(object<Delivery>({ subagent_id: 'id', seq: 'number' }));

export const tokenCounts = object<TokenCounts>({
  input: 'number',
  cached: 'number',
  output: 'number',
  reasoning: 'number',
  total: 'number',
  cache_write: 'number',
});

const parts = object<ContextParts>({
  instructions: 'number',
  tools: 'number',
  skills: 'number',
  history: 'number',
  tool_output: 'number',
});

export const contextParts = parts;

export const forkContext = object<ForkContext>({
  of: 'word',
  input_tokens: 'number',
  cached_tokens: 'number',
  measured: 'number',
  parts,
  scale: 'number',
});

export const continuation = object<Continuation>({
  attempted: 'number',
  used: 'number',
  reset_reason: 'word',
});

export const usageContext = object<ProviderUsage['context']>({
  window_tokens: 'number',
  ratio: 'number',
  tier: 'word',
  parts,
});

export const cacheDiagnostics = object<CacheDiagnostics>({
  type: 'word',
  reason: 'text',
  missed_tokens: 'number',
});

const artifacts = list(object<Artifact>({ path: 'path', sha256: 'hash', bytes: 'number', problem: 'text' }));

export const checkpoint = object<Checkpoint>({
  status: 'word',
  summary: 'text',
  limitations: list('text'),
  verification: list('text'),
  artifacts,
});

export const retryHistory = list(
  object<PastAttempt>({
    attempt: 'number',
    child_session_id: 'id',
    error_kind: 'word',
    reason: 'text',
    elapsed_ms: 'number',
  }),
);

export const questions = list(object<ChildQuestion>({ call_id: 'id', name: 'name', suspension }));

export const workflowSpec = object<WorkflowSpec>({
  id: 'id',
  name: 'text',
  max_concurrency: 'number',
  timeout_ms: 'number',
  steps: list(
    object<StepSpec>({
      id: 'id',
      task: 'text',
      agent: 'word',
      depends_on: list('id'),
      permission_mode: 'word',
      read_set: list('path'),
      write_set: list('path'),
      timeout_ms: 'number',
      required: 'number',
    }),
  ),
});

export const stepResult = object<StepResult>({
  id: 'id',
  status: 'word',
  required: 'number',
  summary: 'text',
  limitations: list('text'),
  verification: list('text'),
  artifacts,
  reason: 'text',
  subagent_id: 'id',
  child_session_id: 'id',
  elapsed_ms: 'number',
  next_actions: nextActions,
});

export const range = object<CompactionRecord['range']>({ from_seq: 'number', to_seq: 'number' });

export const compactedCalls = object<CompactedCalls>({
  total: 'number',
  failed: 'number',
  by_name: { counts: 'name' },
  last: list(
    object<CompactedCall>({
      seq: 'number',
      name: 'name',
      subject: 'text',
      ok: 'number',
      output_bytes: 'number',
      blob: 'blob',
    }),
  ),
});

export const compactedDecisions = list(
  object<CompactedDecision>({
    name: 'name',
    subject: 'text',
    action: 'word',
    decided_by: 'word',
    reason: 'text',
  }),
);

export const fallback: Rule = object<NonNullable<CompactionRecord['fallback']>>({
  from: 'word',
  kind: 'word',
  message: 'text',
  provider_message: 'text',
});

export const compactedImages = list(
  object<CompactedImage>({
    sha256: 'hash',
    label: 'path',
    mime: 'type',
    bytes: 'number',
    width: 'number',
    height: 'number',
    turn_id: 'id',
    asked: 'text',
  }),
);

import type { HostMessage } from '../../src/presenter/protocol.ts';
import type { State } from '../state.ts';

/** How full the context window is; what the host does not say is not known. */
export function pressureOf(message: Extract<HostMessage, { type: 'context_pressure' }>): State['pressure'] {
  const { tier, ratio, input_tokens = null, cached_tokens = null, window_tokens = null } = message;
  const { parts = null, estimated = false, after_compaction = false } = message;
  return { tier, ratio, input_tokens, cached_tokens, window_tokens, parts, estimated, after_compaction };
}

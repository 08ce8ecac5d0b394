import { PENDING_OUTPUT } from '../../../src/runtime/replay/labels.ts';
import { isObject } from '../responses-server/refusals.ts';
import type { Asked } from './play.ts';

/** How the input of a request relates to that of the request before it. */
export type Prefix =
  | 'first'
  /** It begins with all of it, byte for byte. */
  | 'extended'
  /** It is the same up to an output that was a placeholder then. */
  | 'pending_call_decided'
  /** A checkpoint took the place of earlier history. */
  | 'compacted'
  | 'broken';

export function prefixOf({ request, after }: Asked): Prefix {
  if (after === null) return 'first';
  const [before, now] = [after.request.input, request.input];
  const at = before.findIndex((item, index) => !isSame(item, now[index]));
  if (at === -1) return 'extended';
  if (isPending(before[at]) && isOutput(now[at])) return 'pending_call_decided';
  return now.some(isCheckpoint) && !before.some(isCheckpoint) ? 'compacted' : 'broken';
}

/** What was sent again with the same bytes is mostly the same value here, so that a glance is enough. */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function isCheckpoint(item: unknown): boolean {
  return JSON.stringify(item).includes('[Ledgerline history checkpoint (lossy)]');
}

function isOutput(item: unknown): boolean {
  return isObject(item) && item.type === 'function_call_output' && item.output !== PENDING_OUTPUT;
}

function isPending(item: unknown): boolean {
  return isObject(item) && item.type === 'function_call_output' && item.output === PENDING_OUTPUT;
}

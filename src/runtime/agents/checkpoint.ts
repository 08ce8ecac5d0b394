import type { Checkpoint } from '../agent-events.ts';
import { parsed } from '../loose-fields.ts';
import { parseCheckpoint } from '../workflows/checkpoint.ts';

/** What a report said, from the arguments of its call. Null for what the tool would have refused. */
export function checkpointOf(args: string): Checkpoint | null {
  const read = parseCheckpoint(parsed(args));
  return read.ok ? read.checkpoint : null;
}

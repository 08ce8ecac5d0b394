import type { OpenedSession } from './open-session.ts';
import { readTurn } from './turn-log.ts';

/** What a turn was given of a skill; or why it cannot be shown. */
export type SentSkill =
  | { readonly kind: 'text'; readonly name: string; readonly text: string }
  | { readonly kind: 'refused'; readonly message: string };

/** From the log, whatever has become of the file since. */
export async function sentSkill(
  opened: OpenedSession,
  { turn_id, seq }: { readonly turn_id: string; readonly seq: number },
): Promise<SentSkill> {
  const log = await readTurn(opened, turn_id);
  const found = log?.own.find((event) => event.seq === seq);
  if (found?.type !== 'skill_activation')
    return { kind: 'refused', message: 'The log has no such skill in this turn.' };
  return { kind: 'text', name: found.data.name, text: found.data.content };
}

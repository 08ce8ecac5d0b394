import type { Stage } from '../lifecycle/window.ts';

/** What a session was asked, turn by turn. */
export async function turnsWith(on: Stage, session: string): Promise<readonly string[]> {
  const events = await on.events(session);
  return events.flatMap((event) => (event.type === 'user_message' ? [event.data.text] : []));
}

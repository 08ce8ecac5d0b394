import { channelOf } from './channels.ts';
import { draft, redraft, type Draft, type LogEvent } from './events.ts';

/** Pure: the log of a fork: where it comes from, then what the model has seen up to there. */
export function forkDrafts(
  parent: { readonly session_id: string; readonly fork_root_session_id: string },
  events: readonly LogEvent[],
): readonly Draft[] {
  const replayed = events.flatMap((event) =>
    event.type !== 'unknown' && channelOf(event) === 'replayed' ? [event] : [],
  );
  return [
    draft('session_fork', {
      parent_session_id: parent.session_id,
      fork_root_session_id: parent.fork_root_session_id,
      forked_to_seq: events.at(-1)?.seq ?? -1,
      replay_event_count: replayed.length,
    }),
    ...replayed.map(redraft),
  ];
}

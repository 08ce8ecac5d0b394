import type { LogEvent } from '../runtime/events.ts';
import type { FeedStream } from './feed.ts';
import { project } from './projection.ts';
import type { Access, HostMessage } from './protocol.ts';

/** Pure: a session as a presenter sees it on arrival: a bounded window, and what is streaming in. */
export function snapshotMessage(view: {
  readonly session_id: string;
  readonly title: string;
  /** Of a child: whose it is. */
  readonly parent?: Extract<HostMessage, { type: 'snapshot' }>['parent'] | null;
  /** Of a fork: which session it was made of. */
  readonly fork?: Extract<HostMessage, { type: 'snapshot' }>['fork'] | null;
  readonly access: Access;
  readonly events: readonly LogEvent[];
  readonly has_more: boolean;
  readonly stream: FeedStream | null;
  readonly settings: { readonly provider: string; readonly model: string; readonly mode: string };
}): HostMessage {
  const { session_id, title, parent, fork, access, events, has_more, stream, settings } = view;
  return {
    v: 1,
    type: 'snapshot',
    session_id,
    title,
    ...(parent === null || parent === undefined ? {} : { parent }),
    ...(fork === null || fork === undefined ? {} : { fork }),
    access,
    items: events.map(project),
    first_seq: events[0]?.seq ?? null,
    last_seq: events.at(-1)?.seq ?? null,
    has_more,
    stream,
    settings,
  };
}

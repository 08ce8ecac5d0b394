import type * as vscode from 'vscode';
import type { HostMessage, Place } from '../presenter/protocol.ts';
import { PLACES } from './contribution-ids.ts';

const MOST = 20;

/** Where one was reading, by session: a page that is thrown away, or a window that is, comes back there. */
export class KeptPlaces {
  private readonly places: Map<string, Place>;

  constructor(
    private readonly memory: vscode.Memento,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.places = new Map(placesIn(memory.get<unknown>(PLACES)));
  }

  keep(sessionId: string, place: Place): void {
    this.places.delete(sessionId);
    this.places.set(sessionId, place);
    const last = [...this.places].slice(-MOST);
    this.memory.update(PLACES, last).then(undefined, (error: unknown) => {
      this.log.error(`remembering the place: ${String(error)}`);
    });
  }

  /** A snapshot with the place of its session; any other message as it is. */
  addedTo(message: HostMessage): HostMessage {
    const place = message.type === 'snapshot' ? this.places.get(message.session_id) : undefined;
    return message.type === 'snapshot' && place !== undefined ? { ...message, place } : message;
  }
}

/** What was kept may be of another version. */
function placesIn(value: unknown): readonly (readonly [string, Place])[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.flatMap((one) => {
    const [id, place]: readonly unknown[] = Array.isArray(one) ? one : [];
    return typeof id === 'string' && isPlace(place) ? [[id, place] as const] : [];
  });
}

function isPlace(value: unknown): value is Place {
  if (typeof value !== 'object' || value === null) return false;
  if (!('turn_id' in value && 'seq' in value && 'offset' in value && 'at_bottom' in value)) return false;
  return (
    typeof value.turn_id === 'string' &&
    typeof value.seq === 'number' &&
    typeof value.offset === 'number' &&
    typeof value.at_bottom === 'boolean'
  );
}

import type { Attachment, EventData, EventType, LogEvent } from '../../../src/runtime/events.ts';
import { made, unknown } from '../../support/made-events.ts';

/** Words of people, models and tools all carry this mark: it must never be found in a developer item. */
export const FOREIGN = '§';

/** Writes events one after the other, with facts between them that belong to the audit only. */
export class EventTeller {
  readonly events: LogEvent[] = [];
  protected turn_id = '';
  private counter = 0;
  private silent = false;

  constructor(private readonly noise: readonly number[]) {}

  protected add<T extends EventType>(type: T, data: EventData[T]): void {
    this.events.push(made<EventType>(type, this.events.length, data));
    if (!this.silent) this.disturb();
  }

  protected withoutNoise(tell: () => void): void {
    this.silent = true;
    tell();
    this.silent = false;
  }

  protected name(kind: string): string {
    this.counter += 1;
    return `${kind}_${this.counter}`;
  }

  protected words(kind: string): string {
    return `${FOREIGN} ${this.name(kind)}`;
  }

  /** One that can be called by its hash. */
  protected image(): Attachment {
    const data = this.name('image');
    const sha256 = String(this.counter).padStart(64, '0');
    return { kind: 'image', label: this.words('label'), mime: 'image/png', data, sha256, bytes: 3 };
  }

  private disturb(): void {
    const seq = this.events.length;
    const fact = this.fact(this.noise[seq % this.noise.length] ?? 0, seq);
    if (fact !== null) this.events.push(fact);
  }

  private fact(odd: number, seq: number): LogEvent | null {
    const { turn_id } = this;
    switch (odd) {
      case 1: {
        const message = this.words('note');
        return made('diagnostic', seq, { turn_id, code: 'odd', message, details: {}, next_actions: [] });
      }
      case 2:
        return unknown(seq, 'telepathy', { turn_id, text: this.words('thought') });
      case 3:
        return unknown(seq, 'text_delta', { turn_id, text: this.words('delta') });
      case 4:
        return made('workflow_event', seq, { event: this.words('step'), workflow_id: 'w1' });
      case 5: {
        const child = {
          subagent_id: this.name('child'),
          child_session_id: 's8',
          workflow_id: 'w1',
          status: 'completed',
        };
        return made('subagent_event', seq, { event: 'finished', ...child });
      }
      default:
        return null;
    }
  }
}

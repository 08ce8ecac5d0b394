import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { events, stream, wait, type Reply, type Step } from '../../support/responses-server/reply.ts';
import {
  responseEvents,
  type Answer,
  type ResponseEvent,
} from '../../support/responses-server/response-events.ts';
import { startResponsesServer } from '../../support/responses-server/server.ts';
import { asked } from './model-script.ts';

/** The model, in a process of its own: neither its memory nor its time is ours. */

/** How the last words of children come. */
export type Manner =
  | { readonly kind: 'at_once' }
  /** Half of them, and the rest when they are released. `told` when so many wait. */
  | { readonly kind: 'held'; readonly until: number }
  | { readonly kind: 'slow'; readonly every_ms: number };

/** When a request was there, by the clock of the wall. */
export interface Arrival {
  readonly label: string;
  readonly step: number;
  readonly at: number;
  readonly body: string;
}

type Order = { readonly do: 'manner'; readonly manner: Manner } | { readonly do: 'release' | 'tell' };
type News =
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'held' }
  | { readonly kind: 'manner' }
  | { readonly kind: 'arrivals'; readonly arrivals: readonly Arrival[] };

export const MODEL_ARGUMENT = '--children-model';

/** The process of the model: carries out orders until whoever started it is gone. */
export async function beTheModel(): Promise<void> {
  const arrivals: Arrival[] = [];
  let manner: Manner = { kind: 'at_once' };
  let held = 0;
  let released = Promise.withResolvers<void>();
  const { url } = await startResponsesServer({
    check: null,
    handler: (request, index) => {
      const { label, step, answer, isWord } = asked(request);
      arrivals.push({ label, step, at: Date.now(), body: request.raw });
      if (!isWord || manner.kind === 'at_once') return whole(answer, index);
      if (manner.kind === 'slow') return slow(answer, index, manner.every_ms);
      held += 1;
      if (held === manner.until) tell({ kind: 'held' });
      return inTwo(answer, index, released.promise);
    },
  });
  process.on('message', (order: Order) => {
    if (order.do === 'manner') {
      manner = order.manner;
      held = 0;
      tell({ kind: 'manner' });
    }
    if (order.do === 'tell') tell({ kind: 'arrivals', arrivals: arrivals.splice(0) });
    if (order.do === 'release') {
      released.resolve();
      released = Promise.withResolvers();
    }
  });
  process.once('disconnect', () => process.exit());
  tell({ kind: 'listening', url });
}

function tell(news: News): void {
  process.send?.(news);
}

function eventsOf(answer: Answer, index: number): readonly ResponseEvent[] {
  return responseEvents({ id: `resp_${index}`, ...answer });
}

function whole(answer: Answer, index: number): Reply {
  return stream([events(eventsOf(answer, index))]);
}

function inTwo(answer: Answer, index: number, until: Promise<unknown>): Reply {
  const all = eventsOf(answer, index);
  const half = Math.floor(all.length / 2);
  return stream([events(all.slice(0, half)), wait(until), events(all.slice(half))]);
}

function slow(answer: Answer, index: number, every_ms: number): Reply {
  const steps = eventsOf(answer, index).flatMap((event, at): Step[] => [
    wait(delay(at * every_ms)),
    events([event]),
  ]);
  return stream(steps);
}

/** The other end: for whoever is measured. */
export class Model {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async start(): Promise<Model> {
    const child = fork(process.argv[1] ?? '', [MODEL_ARGUMENT], { execArgv: [] });
    const { url } = await heard(child, 'listening');
    return new Model(child, url);
  }

  async answer(manner: Manner): Promise<void> {
    const known = heard(this.child, 'manner');
    this.order({ do: 'manner', manner });
    await known;
  }

  /** Resolves when as many answers are held as there were to be. */
  async held(): Promise<void> {
    await heard(this.child, 'held');
  }

  release(): void {
    this.order({ do: 'release' });
  }

  /** All that came since it was last asked. */
  async arrivals(): Promise<readonly Arrival[]> {
    const told = heard(this.child, 'arrivals');
    this.order({ do: 'tell' });
    return (await told).arrivals;
  }

  async end(): Promise<void> {
    const exited = once(this.child, 'exit');
    this.child.disconnect();
    await exited;
  }

  private order(order: Order): void {
    this.child.send(order);
  }
}

function heard<K extends News['kind']>(
  child: ChildProcess,
  kind: K,
): Promise<Extract<News, { readonly kind: K }>> {
  return new Promise((resolve) => {
    const listen = (news: News): void => {
      if (!isOf(news, kind)) return;
      child.off('message', listen);
      resolve(news);
    };
    child.on('message', listen);
  });
}

function isOf<K extends News['kind']>(news: News, kind: K): news is Extract<News, { readonly kind: K }> {
  return news.kind === kind;
}

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ProviderUsage } from '../../../src/runtime/context-events.ts';
import type { LogEvent } from '../../../src/runtime/events.ts';
import { unreachable } from '../../../src/runtime/unreachable.ts';
import { Window } from '../chat-window.ts';
import type { Place } from '../headless.ts';
import type { Said } from '../responses-server/answering.ts';
import { type CacheUse, type Prompt, PromptCache } from '../responses-server/prompt-cache.ts';
import {
  type ReceivedRequest,
  type ResponsesServer,
  startResponsesServer,
} from '../responses-server/server.ts';
import { PARTS, partPath, partText } from './prose.ts';
import {
  ALL_TURNS,
  FIRST_BRANCH,
  type Happening,
  longSession,
  type ScriptedTurn,
  STOPPED_AT,
} from './script.ts';

const ROOT = 's1';

/** Where in the script something was. */
interface Moment {
  readonly session_id: string;
  readonly turn: number;
}

export interface Asked extends Moment {
  readonly request: ReceivedRequest;
  /** The request before it in its session; of a fork's first, the last that it has in common with its parent. */
  readonly after: Asked | null;
}

/** A prompt that was read, and what of it the cache had. */
export interface Reading extends Moment {
  readonly key: string;
  readonly prompt: Prompt;
  readonly found: CacheUse;
  /** Whether the answer came to its end, where the tokens are told. */
  readonly told: boolean;
}

type Found = Pick<Reading, 'key' | 'prompt' | 'found'>;

export interface Played {
  readonly asked: readonly Asked[];
  readonly readings: readonly Reading[];
  /** What the server did not take. */
  readonly refused: readonly ReceivedRequest[];
  /** Of the session, then of its fork. */
  readonly logs: readonly (readonly LogEvent[])[];
  /** By these logs, in the order of the script. */
  readonly usages: readonly ProviderUsage[];
  readonly sockets: number;
}

/** The long session through the real conversation: real log, real tools in a real folder, a real connection. */
export async function playLongSession(
  place: Place,
  transport: 'sse' | 'websocket',
  turns: readonly number[] = ALL_TURNS,
): Promise<Played> {
  await furnish(place.workspace);
  const stagehand = new Stagehand();
  const cache = new NotingCache((found) => stagehand.noteReading(found));
  const model = (request: ReceivedRequest): Said => stagehand.answer(request);
  const server = await startResponsesServer({ model, cache, reasoning: 'issued' });
  const settings = { baseUrl: server.url, transport, permissionMode: 'ask' };
  const window = new Window(place, settings, ROOT, { trusted: true });
  try {
    await window.ready();
    for (const turn of longSession(turns)) {
      if (turn.before !== null) await happen(turn.before, { window, place, stagehand });
      stagehand.begin(turn, window.conversation.sessionId);
      const state = await playTurn(turn, window);
      stagehand.end(turn, state);
    }
    return await whole({ place, stagehand, server });
  } finally {
    await window.close();
    await server.close();
  }
}

async function whole(scene: {
  readonly place: Place;
  readonly stagehand: Stagehand;
  readonly server: ResponsesServer;
}): Promise<Played> {
  const { asked, readings } = scene.stagehand;
  const sessions = [...new Set(asked.map(({ session_id }) => session_id))];
  const logs = await Promise.all(sessions.map((id) => eventsOf(scene.place, id)));
  const usages = logs
    .flat()
    .flatMap((event) => (event.type === 'provider_usage' ? [{ ts: event.ts, usage: event.data }] : []))
    .toSorted((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0))
    .map(({ usage }) => usage);
  const { requests, sockets } = scene.server;
  const refused = requests.filter(({ refusal }) => refusal !== null);
  return { asked, readings, refused, logs, usages, sockets: sockets.length };
}

async function playTurn(scripted: ScriptedTurn, window: Window): Promise<string | null> {
  const { turn, prompt, decisions, ends } = scripted;
  await window.send(prompt, clientTurn(turn));
  if (ends === 'interrupted') {
    await window.until((message) => message.type === 'delta' && message.text.includes(STOPPED_AT));
    await window.stop();
  }
  let state = await window.rests();
  for (const together of decisions) {
    if (state !== 'waiting') break;
    for (const [call, action] of together) await window.decide(call, action);
    state = await window.rests();
  }
  return state;
}

async function happen(
  happening: Happening,
  {
    window,
    place,
    stagehand,
  }: { readonly window: Window; readonly place: Place; readonly stagehand: Stagehand },
): Promise<void> {
  switch (happening.kind) {
    case 'branch':
      return switchBranch(place.workspace, happening.name);
    case 'mode':
      return window.receive({ type: 'set', mode: happening.mode });
    case 'fork': {
      const parent = window.conversation.sessionId;
      const { after_turn } = happening;
      await window.receive({ type: 'fork', at_seq: await endOf(place, parent, after_turn) });
      return stagehand.forked(window.conversation.sessionId, { session_id: parent, turn: after_turn });
    }
    case 'return':
      return window.receive({ type: 'open_session', session_id: ROOT });
    case 'compact':
      await window.receive({ type: 'compact' });
      return window.conversation.settled();
    default:
      return unreachable(happening);
  }
}

/** Gives the model its words, and keeps the book of what was asked when. */
class Stagehand {
  readonly asked: Asked[] = [];
  readonly readings: Reading[] = [];
  private now: Moment = { session_id: ROOT, turn: 0 };
  private next: readonly Said[] = [];
  private told = true;
  private readonly last = new Map<string, Asked>();

  begin({ turn, says }: ScriptedTurn, session_id: string): void {
    this.now = { session_id, turn };
    this.next = says;
  }

  /** A session that does not go as it is written would measure something else. */
  end({ turn, ends }: ScriptedTurn, state: string | null): void {
    if (state !== ends || this.next.length > 0)
      throw new Error(
        `turn ${turn} is ${state}, not ${ends}; ${this.next.length} replies were not asked for`,
      );
  }

  forked(session_id: string, from: Moment): void {
    const shared = this.asked.findLast((one) => one.session_id === from.session_id && one.turn <= from.turn);
    if (shared !== undefined) this.last.set(session_id, shared);
  }

  answer(request: ReceivedRequest): Said {
    const [said, ...rest] = this.next;
    if (said === undefined) throw new Error(`turn ${this.now.turn} asks more often than the script says`);
    this.next = rest;
    this.told = !('kind' in said);
    const asked = { ...this.now, request, after: this.last.get(this.now.session_id) ?? null };
    this.asked.push(asked);
    this.last.set(asked.session_id, asked);
    return said;
  }

  noteReading(found: Found): void {
    this.readings.push({ ...this.now, ...found, told: this.told });
  }
}

class NotingCache extends PromptCache {
  constructor(private readonly note: (found: Found) => void) {
    super();
  }

  override use(key: string, prompt: Prompt): CacheUse {
    const found = super.use(key, prompt);
    this.note({ key, prompt, found });
    return found;
  }
}

function clientTurn(turn: number): string {
  return `turn_${turn}`;
}

async function furnish(workspace: string): Promise<void> {
  await switchBranch(workspace, FIRST_BRANCH);
  for (let part = 0; part < PARTS; part += 1) await put(join(workspace, partPath(part)), partText(part));
}

function switchBranch(workspace: string, name: string): Promise<void> {
  return put(join(workspace, '.git', 'HEAD'), `ref: refs/heads/${name}\n`);
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

async function eventsOf({ storage }: Place, session: string): Promise<readonly LogEvent[]> {
  const text = await readFile(join(storage, 'sessions', `${session}.jsonl`), 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as LogEvent]));
}

/** The seq of the last event of a turn. */
async function endOf(place: Place, session: string, turn: number): Promise<number> {
  const events = await eventsOf(place, session);
  const asked = events.find(
    (event) => event.type === 'user_message' && event.data.client_turn_id === clientTurn(turn),
  );
  const last = events.findLast(({ data }) => turnOf(data) === turnOf(asked?.data));
  if (last === undefined) throw new Error(`there is no turn ${turn} in ${session}`);
  return last.seq;
}

function turnOf(data: unknown): unknown {
  return typeof data === 'object' && data !== null && 'turn_id' in data ? data.turn_id : null;
}

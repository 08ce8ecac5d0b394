import type { HostMessage } from '../../src/presenter/protocol.ts';
import type { KnownEvent, LogEvent } from '../../src/runtime/events.ts';
import type { HeldReply } from '../lifecycle/held-replies.ts';
import { asks, says, stage, type Stage, type Window } from '../lifecycle/window.ts';
import { type Answer } from '../support/responses-server/response-events.ts';
import type { Replier } from '../support/responses-server/server.ts';
import { responds } from '../support/responses-server/whole-replies.ts';

export { asks, says, stage, type Window } from '../lifecycle/window.ts';

export type Ask = readonly [call_id: string, name: string, args: object];
export type ChildEvent = KnownEvent<'subagent_event'>['data'];
export type Settings = Readonly<Record<string, unknown>>;
type Roles = Parameters<Stage['cast']>[0];
type Children = Extract<HostMessage, { type: 'children' }>;
type Question = Children['items'][number]['questions'][number];

export function spawn(call_id: string, task: string, more: object = {}): Ask {
  return [call_id, 'spawn_agent', { task, ...more }];
}

export function wait(call_id: string, more: object = {}): Ask {
  return [call_id, 'wait_agent', more];
}

/** A role that hands a task to one child, waits for its end and says something then, or nothing. */
export function delegates(task: string, last: string | null = null, more: object = {}): readonly Answer[] {
  const waits = [asks(spawn('1', task, more)), asks(wait('w'))];
  return last === null ? waits : [...waits, says(last)];
}

/** A call that a person has to allow where the mode is ask; the file says which call wrote it. */
export function write(call_id: string, path: string): Ask {
  return [call_id, 'write_file', { path, content: `by ${call_id}` }];
}

/** What an answer to a question names. */
export function suspensionId({ suspension }: Question): string {
  const { id } = (suspension ?? {}) as { readonly id?: string };
  if (id === undefined) throw new Error('nothing waits for an answer');
  return id;
}

/** A stage with sessions that have children: what a person and a model do about them, and what became of them. */
export interface AgentStage extends Stage {
  /** A window in which the turn of these roles, asked to go, is under way. */
  begin(roles: Roles, settings?: Settings): Promise<{ window: Window; turn: Promise<string | null> }>;
  /** A window in which the turn of these roles, asked to go, has come to where it rests. */
  play(roles: Roles, settings?: Settings): Promise<Window>;
  /** A window whose turn goes as far as the reply that is held, and that is closed then. */
  closedOver(held: Pick<HeldReply, 'arrived'>): Promise<void>;
  /** A window whose turn has an answer begun when the reply that is held is asked for, and is stopped then. */
  stoppedOver(held: Pick<HeldReply, 'arrived'>, settings?: Settings): Promise<Window>;
  /** Where a turn rests whose child asks a person, and is allowed what it asks after that much time. */
  answersLate(settings: Settings, passes: () => Promise<void>): Promise<string | null>;
  /** A reply that names the child with that task, which has its id only once it is spawned; it comes after a promise. */
  naming(task: string, answer: (id: string) => Answer, after?: Promise<unknown>): Replier;
  /** A person does something about the child with that task: stopAgent, resumeAgent, discardAgent. */
  act(window: Window, command: string, task: string): Promise<void>;
  /** Resolves when the window was told of such an event of a child, which is on record then. */
  childEvent(window: Window, event: ChildEvent['event']): Promise<unknown>;
  /** The first question of a child that fits, once it is asked. */
  question(window: Window, fits?: (question: Question) => boolean): Promise<Question>;
  /** What became of each child, by its task, in the order in which it was recorded. */
  lives(session?: string): Promise<Readonly<Record<string, readonly string[]>>>;
  childEvents(session?: string): Promise<readonly ChildEvent[]>;
  /** What the model was told of ends by themselves, and not in results. */
  delivered(): Promise<readonly ChildEvent[]>;
  /** The last event of the child with that task. */
  childOf(task: string): Promise<ChildEvent>;
  /** The events in the own log of the child with that task. */
  logOf(task: string): Promise<readonly LogEvent[]>;
  /** What the child with that task was asked, turn by turn. */
  promptsOf(task: string): Promise<readonly string[]>;
  /** The output of a call of the first session, parsed. */
  outputOf(callId: string): Promise<unknown>;
}

export function agentStage(): AgentStage {
  const on = stage();
  const facts = childFacts(on);
  return Object.assign(on, facts, childDriver(on, facts));
}

type Facts = 'lives' | 'childEvents' | 'delivered' | 'childOf' | 'logOf' | 'promptsOf' | 'outputOf';

/** What is on record of children. */
function childFacts(on: Stage): Pick<AgentStage, Facts> {
  const childEvents: AgentStage['childEvents'] = async (session) => {
    const events = await on.events(session);
    return events.flatMap((event) => (event.type === 'subagent_event' ? [event.data] : []));
  };
  const childOf: AgentStage['childOf'] = async (task) => {
    const events = await childEvents();
    const id = events.find((event) => event.task === task)?.subagent_id;
    const last = events.findLast((event) => event.subagent_id === id && event.event !== 'delivered');
    if (last === undefined) throw new Error(`no child for ${task}`);
    return last;
  };
  const logOf: AgentStage['logOf'] = async (task) => on.events((await childOf(task)).child_session_id);
  return {
    childEvents,
    childOf,
    logOf,
    async lives(session) {
      const told = await childEvents(session);
      const tasks = new Map(
        told.flatMap(({ subagent_id, task }) => (task === undefined ? [] : [[subagent_id, task]])),
      );
      const found: Record<string, string[]> = {};
      for (const { subagent_id, event, status } of told) {
        const task = tasks.get(subagent_id) ?? subagent_id;
        (found[task] ??= []).push(event === 'finished' ? status : event);
      }
      return found;
    },
    async delivered() {
      return (await childEvents()).filter(({ event }) => event === 'delivered');
    },
    async promptsOf(task) {
      const events = await logOf(task);
      return events.flatMap((event) => (event.type === 'user_message' ? [event.data.text] : []));
    },
    async outputOf(callId) {
      const results = await on.of('tool_result');
      const found = results.find(({ call_id }) => call_id === callId);
      return found?.output === undefined ? (found?.error ?? null) : JSON.parse(found.output);
    },
  };
}

const question: AgentStage['question'] = async (window, fits = () => true) => {
  const asked = (message: HostMessage): readonly Question[] =>
    message.type === 'children' ? message.items.flatMap(({ questions }) => questions).filter(fits) : [];
  const [first] = asked(await window.until((message) => asked(message).length > 0));
  if (first === undefined) throw new Error('nobody asks');
  return first;
};
const childEvent: AgentStage['childEvent'] = (window, event) =>
  window.until(
    (message) =>
      message.type === 'append' &&
      message.items.some((item) => item.type === 'subagent_event' && item.data['event'] === event),
  );

/** What a person and a model do about children. */
function childDriver(on: Stage, { childOf }: Pick<AgentStage, Facts>): Omit<AgentStage, keyof Stage | Facts> {
  return {
    question,
    childEvent,
    async begin(roles, settings) {
      await on.cast(roles);
      const window = await on.open(settings);
      return { window, turn: window.turn('Go') };
    },
    async play(roles, settings) {
      await on.cast(roles);
      const window = await on.open(settings);
      await window.turn('Go');
      return window;
    },
    async closedOver({ arrived }) {
      const window = await on.open();
      await window.send('Go');
      await arrived;
      await window.close();
    },
    async stoppedOver({ arrived }, settings) {
      const window = await on.open(settings);
      await window.send('Go');
      await arrived;
      await window.until((message) => message.type === 'delta');
      await window.stop();
      await window.rests();
      return window;
    },
    async answersLate(settings, passes) {
      const window = await on.open(settings);
      const turn = window.turn('Go');
      const asked = await question(window);
      await childEvent(window, 'waiting');
      await passes();
      await window.decide(suspensionId(asked), 'resume');
      return turn;
    },
    naming: (task, answer, after) => async () => {
      await after;
      return responds(answer((await childOf(task)).subagent_id));
    },
    async act(window, command, task) {
      const { subagent_id } = await childOf(task);
      const args = [{ session_id: 's1', subagent_id }];
      await window.receive({ type: 'run_action', command: `ledgerline.${command}`, args });
    },
  };
}

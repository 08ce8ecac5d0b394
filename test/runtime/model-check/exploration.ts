import { isTerminal, pendingCalls, turnState } from '../../../src/runtime/turn.ts';
import { broken, Broken, isSettled, stateOf } from './evidence.ts';
import { inputs, type Cast } from './inputs.ts';
import { Play, type Position } from './play.ts';

export interface Found {
  readonly states: number;
  readonly moves: number;
  /** Sequences of at most so many inputs, all of them covered. */
  readonly sequences: number;
  /** The shortest sequence that breaks something, with what it breaks. */
  readonly broken: string | null;
}

interface Node {
  readonly position: Position;
  readonly path: readonly string[];
  /** Where each of its inputs leads. */
  readonly next: number[];
}

/**
 * Breadth first over every sequence of inputs. Positions that differ only in the names of ids are one, so what
 * is seen of one sequence holds for all that lead to the same position.
 */
export class Exploration {
  private readonly nodes: Node[] = [];
  private readonly known = new Map<string, number>();
  private readonly recovered = new Map<string, readonly Position[]>();

  constructor(private readonly cast: Cast) {}

  run(depth: number): Found {
    let failure: string | null = null;
    try {
      const first = new Play(this.cast, null);
      first.goOn();
      this.reach(first.position, []);
      for (let at = 0; at < this.nodes.length; at += 1) {
        const node = this.nodes[at];
        if (node !== undefined && node.path.length < depth) this.expand(node);
      }
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failure = error.message;
    }
    const moves = this.nodes.reduce((sum, { next }) => sum + next.length, 0);
    return { states: this.nodes.length, moves, sequences: this.sequences(depth), broken: failure };
  }

  private expand(node: Node): void {
    const { position, path } = node;
    for (const input of inputs(this.cast, position)) {
      const played = new Play(this.cast, position);
      const here = [...path, input.name];
      blaming(here, () => {
        input.play(played);
        holds(played.position);
      });
      node.next.push(this.reach(played.position, here));
      // Cut off in the middle of it: each of its events may be the last.
      for (const [at, passed] of played.passed.slice(0, -1).entries())
        this.crash(node, passed, [...path, `${input.name}, cut off after ${at + 1}`]);
      if (played.passed.length > 0) this.crash(node, position, [...path, `${input.name}, cut off at once`]);
    }
    this.crash(node, position, [...path, 'crash']);
  }

  private crash(node: Node, position: Position, path: readonly string[]): void {
    const running = position.process.executing.length > 0;
    for (const happened of running ? [true, false] : [false]) {
      for (const outlives of running && happened ? [true, false] : [false]) {
        const how = `${happened ? ' after the effect' : ''}${outlives ? ', the process lives' : ''}`;
        const here = [...path.slice(0, -1), `${path.at(-1) ?? ''}${how}`];
        blaming(here, () => {
          for (const open of this.reopen(position, { happened, outlives }))
            node.next.push(this.reach(open, here));
        });
      }
    }
  }

  private reopen(
    position: Position,
    how: { readonly happened: boolean; readonly outlives: boolean },
  ): readonly Position[] {
    const play = new Play(this.cast, position);
    const scratch = play.crash(how);
    return this.recover(play.position, scratch, position);
  }

  /** What recovery makes of it, also when it is cut off itself. */
  private recover(
    crashed: Position,
    scratch: ReturnType<Play['crash']>,
    before: Position,
  ): readonly Position[] {
    const key = `${canonical(crashed)}${JSON.stringify(scratch)}`;
    const known = this.recovered.get(key);
    if (known !== undefined) return known;
    // Cut off before it had changed anything that counts, it is the same recovery again.
    this.recovered.set(key, []);
    const play = new Play(this.cast, crashed);
    play.recover(scratch);
    const whole = play.position;
    holds(whole);
    isRecovered(before, whole);
    const cut = play.passed.slice(0, -1).flatMap((passed) => this.recover(passed, scratch, before));
    if (new Play(this.cast, whole).recover(scratch) > 0) broken('recovering again adds something');
    const all = [whole, ...cut];
    this.recovered.set(key, all);
    return all;
  }

  private reach(position: Position, path: readonly string[]): number {
    const key = canonical(position);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    this.known.set(key, this.nodes.length);
    return this.nodes.push({ position, path, next: [] }) - 1;
  }

  private sequences(depth: number): number {
    let ways = new Map([[0, 1]]);
    let sum = 0;
    for (let length = 1; length <= depth; length += 1) {
      const longer = new Map<number, number>();
      for (const [at, count] of ways)
        for (const to of this.nodes[at]?.next ?? []) longer.set(to, (longer.get(to) ?? 0) + count);
      ways = longer;
      for (const count of ways.values()) sum += count;
    }
    return sum;
  }
}

class Failure extends Error {}

function blaming(path: readonly string[], work: () => void): void {
  try {
    work();
  } catch (error) {
    if (error instanceof Failure || !(error instanceof Error)) throw error;
    const how = error instanceof Broken || error.name === 'IllegalMove' ? error.message : error.stack;
    throw new Failure(`${path.join(' | ')}: ${how}`, { cause: error });
  }
}

/** Held after every input. */
function holds({ turn, evidence, process }: Position): void {
  const [violation] = turn.violations;
  if (violation !== undefined) broken(`the fold finds ${violation}`);
  const state = turnState(turn);
  if (state !== stateOf(evidence)) broken(`the turn is ${state}, its evidence says ${stateOf(evidence)}`);
  const open = Object.entries(evidence.calls).filter(([, call]) => !isSettled(call));
  const lost = open.find(([id, call]) => turn.open.get(id)?.state !== call.state);
  if (lost !== undefined || open.length !== turn.open.size) broken(`a call is lost: ${lost?.[0]}`);
  if (isTerminal(state) && (open.length > 0 || turn.run !== 'done'))
    broken(`${state} with ${open.length} open calls and the run ${turn.run}`);
  if (!process.active && !isTerminal(state) && state !== 'waiting') broken(`nothing runs, and it is ${state}`);
}

function isRecovered(before: Position, { turn, evidence }: Position): void {
  const busy = Object.entries(evidence.calls).find(([, { state }]) =>
    ['new', 'running', 'resuming'].includes(state),
  );
  if (busy !== undefined) broken(`${busy[0]} is ${busy[1].state} after recovery`);
  if (turnState(before.turn) !== 'waiting') return;
  for (const { call_id, decision, suspension } of pendingCalls(before.turn))
    if (decision === null && evidence.calls[call_id]?.suspension_id !== suspension?.id)
      broken(`the question about ${call_id} is gone after a crash`);
}

/** All that matters of a position; ids by the order in which they appear. */
function canonical({ turn, evidence, process, alive }: Position): string {
  const names = new Map<string, string>();
  const { open, rounds, answered, waited, run, partial_text, failure, spoken, violations } = turn;
  const told = failure === null ? null : failure.terminal_status;
  const { decisions, ...facts } = evidence;
  const text = JSON.stringify([
    [...open.values()],
    rounds,
    [answered, waited, run, partial_text, told, spoken, violations],
    facts,
    decisions.length > 0,
    process,
    alive,
  ]);
  return text.replaceAll(/(suspension|event|decision)_\d+(_\d+)?/g, (id, kind: string) => {
    const name = names.get(id) ?? `${kind}-${names.size}`;
    names.set(id, name);
    return name;
  });
}

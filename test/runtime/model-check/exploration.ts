import { OUTCOME_UNKNOWN } from '../../../src/runtime/turn-calls.ts';
import { isTerminal, turnState } from '../../../src/runtime/turn.ts';
import { broken, Broken, isSettled, stateOf } from './evidence.ts';
import { inputs, type Cast } from './inputs.ts';
import { Play } from './play.ts';
import type { Position } from './position.ts';
import { canonical } from './canonical.ts';

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
  private readonly crashed = new Map<string, readonly number[]>();
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
    }
    this.crash(node, position, [...path, 'crash']);
  }

  /** All that a crash here may lead to. */
  private crash(node: Node, position: Position, path: readonly string[]): void {
    const key = canonical(position);
    const known = this.crashed.get(key) ?? this.reopened(position, path);
    this.crashed.set(key, known);
    for (const to of known) node.next.push(to);
  }

  private reopened(position: Position, path: readonly string[]): readonly number[] {
    const effects = position.process.executing.map((id) => this.cast.tools[id]?.effect);
    const acting = effects.includes('write') || effects.includes('execute');
    const found = new Set<number>();
    for (const happened of acting ? [true, false] : [false]) {
      for (const outlives of effects.includes('execute') ? [true, false] : [false]) {
        const how = `${happened ? ' after the effect' : ''}${outlives ? ', the process lives' : ''}`;
        const here = [...path.slice(0, -1), `${path.at(-1) ?? ''}${how}`];
        blaming(here, () => {
          for (const open of this.reopen(position, { happened, outlives })) found.add(this.reach(open, here));
        });
      }
    }
    return [...found];
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
    this.isRecovered(before, whole);
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

  /** Held after every opening: nothing is under way, nothing asked is lost, and no effect is guessed at. */
  private isRecovered(before: Position, { turn, evidence }: Position): void {
    for (const [id, { state, suspension_id }] of Object.entries(evidence.calls)) {
      if (['new', 'running', 'resuming'].includes(state)) broken(`${id} is ${state} after recovery`);
      const was = before.evidence.calls[id];
      const effect = this.cast.tools[id]?.effect;
      const cutOff = was?.state === 'running' && was.results === 0;
      const unknown = turn.open.get(id)?.suspension?.reason === OUTCOME_UNKNOWN;
      if (cutOff && (effect === 'write' || effect === 'execute') && !unknown)
        broken(`${id} was cut off, and is ${state}`);
      const asked = before.turn.open.get(id);
      const undecided = asked?.state === 'suspended' && asked.result === 'none' && asked.decision === null;
      if (!survives(before) || !undecided) continue;
      if (state !== 'suspended' || suspension_id !== asked.suspension?.id)
        broken(`the question about ${id} is gone after a crash`);
    }
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
  const lost = open.find(([id, call]) => {
    const known = turn.open.get(id);
    const asked = known?.state === 'suspended' ? known.suspension?.id : call.suspension_id;
    return known?.state !== call.state || asked !== call.suspension_id;
  });
  if (lost !== undefined || open.length !== turn.open.size) broken(`a call is lost: ${lost?.[0]}`);
  if (isTerminal(state) && (open.length > 0 || turn.run !== 'done'))
    broken(`${state} with ${open.length} open calls and the run ${turn.run}`);
  if (!process.active && !isTerminal(state) && state !== 'waiting')
    broken(`nothing runs, and it is ${state}`);
}

/** It surely asked no model: it waited, or a round was under way. */
function survives({ turn, evidence, process }: Position): boolean {
  const round = Object.values(evidence.calls).some(
    ({ state, results }) => ['new', 'running', 'resuming'].includes(state) && results === 0,
  );
  return turnState(turn) === 'waiting' || (round && process.inferring === null);
}

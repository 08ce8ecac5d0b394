import type { Extension } from '../../src/runtime/extension.ts';
import type {
  Effect,
  PreparedCall,
  PreviewResult,
  ToolBox,
  ToolContext,
  ToolOutcome,
} from '../../src/runtime/ports.ts';
import { ruled } from '../support/tool-stubs.ts';
import type { Random } from './random.ts';
import type { Owner, Scheduler } from './scheduler.ts';
import { DEEDS, type Deed } from './temperament.ts';
import type { World } from './world.ts';

const EFFECTS = {
  sim_ask: 'interact',
  sim_execute: 'execute',
  sim_read: 'read',
  sim_write: 'write',
} as const satisfies Record<string, Effect>;

export const TOOL_NAMES = Object.keys(EFFECTS) as (keyof typeof EFFECTS)[];

/** Whether a call may change the world. */
export function hasEffects(toolName: string): boolean {
  return toolName === 'sim_write' || toolName === 'sim_execute';
}

const GATES = ['allow', 'suspend', 'preset', 'block'] as const;

/** How a call goes is in its arguments, so that it goes the same way whoever runs it. */
interface Scripted {
  readonly deed: Deed;
  readonly on: string;
  readonly gate: (typeof GATES)[number];
  /** A command whose process outlives the one that started it. */
  readonly outlives: boolean;
}

export function scriptedArgs(random: Random, deed: Deed): string {
  const gate = random.chance(0.85) ? 'allow' : random.pick(GATES);
  const scripted: Scripted = { deed, on: random.pick(['a', 'b']), gate, outlives: random.chance(0.3) };
  return JSON.stringify(scripted);
}

export interface SimToolsParts {
  readonly scheduler: Scheduler;
  readonly owner: Owner;
  readonly world: World;
}

/** Tools whose effects are recorded outside the process that runs them. */
export class SimTools implements ToolBox {
  readonly specs = TOOL_NAMES.map((name) => ({
    name,
    description: `Simulated ${EFFECTS[name]}.`,
    parameters: { type: 'object' },
    effect: EFFECTS[name],
  }));

  constructor(private readonly parts: SimToolsParts) {}

  prepare(call: {
    readonly call_id: string;
    readonly name: string;
    readonly args: string;
  }): ReturnType<ToolBox['prepare']> {
    const { call_id } = call;
    const name = TOOL_NAMES.find((known) => known === call.name);
    if (name === undefined) return refused('unknown_tool', `There is no tool ${call.name}.`);
    const input = parse(call.args);
    if (input === null) return refused('invalid_arguments', 'The arguments are not valid.');
    const effect = EFFECTS[name];
    const writes = effect === 'write' ? [input.on] : [];
    return { ok: true, call: { call_id, name, effect, input, writes, subject: input.on } };
  }

  async preview(): Promise<PreviewResult> {
    return { ok: true, preview: null };
  }

  async run(call: PreparedCall, context: ToolContext): Promise<ToolOutcome> {
    const { deed } = scripted(call);
    const deaf = deed === 'stubborn' || deed === 'late';
    const halted = (): boolean => context.signal.aborted && !deaf;
    if (halted()) return CANCELLED;
    if (call.effect === 'execute') {
      await this.step(call, 'spawn');
      if (halted() || deed === 'suspend') return halted() ? CANCELLED : SUSPENDED;
      await context.started({ pid: 1, group: 1, started_at: '2030-01-01T00:00:00.000Z' });
      if (halted()) return CANCELLED;
    }
    context.progress(deed);
    switch (deed) {
      case 'succeed':
        await this.affect(call);
        break;
      case 'fail':
        await this.step(call, 'work');
        return FAILED;
      case 'fail_after_effect':
        await this.affect(call);
        await this.step(call, 'work');
        return FAILED;
      case 'suspend':
        await this.step(call, 'work');
        return SUSPENDED;
      case 'hang':
        await aborted(context.signal);
        return CANCELLED;
      case 'stubborn':
        await this.affect(call);
        return new Promise(() => undefined);
      case 'late':
        await aborted(context.signal);
        await this.step(call, 'work');
        await this.affect(call);
        break;
      case 'bug':
        await this.step(call, 'work');
        throw new Error('simulated bug in a tool');
    }
    await this.step(call, 'end');
    return { kind: 'success', output: `${call.call_id} did ${call.name}`, changes: [] };
  }

  private async affect(call: PreparedCall): Promise<void> {
    if (!hasEffects(call.name)) return;
    const { scheduler, world, owner } = this.parts;
    const { outlives } = scripted(call);
    const actor = call.effect === 'execute' && outlives ? null : owner;
    await scheduler.perform(actor, `effect ${call.call_id}`, () => world.affected(call.call_id));
  }

  private step(call: PreparedCall, what: string): Promise<void> {
    return this.parts.scheduler.perform(this.parts.owner, `${what} ${call.call_id}`, () => undefined);
  }
}

/** Votes as the call's own arguments say. */
export const scriptedGate: Extension = {
  name: 'scripted_gate',
  before_tool: (_view, call) => {
    const { gate } = scripted(call);
    switch (gate) {
      case 'allow':
        return { kind: 'allow', by: null };
      case 'preset':
        return { kind: 'preset', output: 'preset' };
      case 'block':
        return { kind: 'block', by: ruled('sim'), error: { kind: 'permission_denied', message: 'blocked' } };
      case 'suspend':
        return { kind: 'suspend', by: ruled('sim'), suspension: SUSPENDED.suspension };
    }
  },
};

const CANCELLED: ToolOutcome = {
  kind: 'failure',
  error: { kind: 'cancelled', message: 'told to stop' },
  changes: [],
};
const FAILED: ToolOutcome = {
  kind: 'failure',
  error: { kind: 'failed', message: 'simulated failure' },
  output: 'some output',
  changes: [],
};
const SUSPENDED = {
  kind: 'suspended',
  suspension: { reason: 'question', message: 'May I?', resume_mode: 'use_decision_as_result' },
} as const satisfies ToolOutcome;

function refused(kind: string, message: string): ReturnType<ToolBox['prepare']> {
  return { ok: false, error: { kind, message } };
}

function scripted(call: PreparedCall): Scripted {
  return call.input as Scripted;
}

function parse(args: string): Scripted | null {
  if (!args.startsWith('{"deed"')) return null;
  const value = JSON.parse(args) as Scripted;
  return value.deed in DEEDS ? value : null;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

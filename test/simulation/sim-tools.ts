import type {
  Effect,
  FileChange,
  PreparedCall,
  PreviewResult,
  ToolBox,
  ToolContext,
  ToolOutcome,
} from '../../src/runtime/ports.ts';
import type { Scheduler } from './scheduler.ts';
import { parseScript, scriptOf, SUSPENDED } from './scripted-call.ts';
import type { Command } from './sim-commands.ts';
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

export interface SimToolsParts {
  readonly scheduler: Scheduler;
  readonly owner: Command['owner'];
  readonly world: World;
}

type Did = 'did' | 'nothing' | 'changed';

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
    const input = parseScript(call.args);
    if (input === null) return refused('invalid_arguments', 'The arguments are not valid.');
    const effect = EFFECTS[name];
    const writes = effect === 'write' ? [input.on] : [];
    return { ok: true, call: { call_id, name, effect, input, writes, subject: input.on } };
  }

  async preview(call: PreparedCall): Promise<PreviewResult> {
    if (call.effect !== 'write') return { ok: true, preview: null };
    await this.step(call, 'look at');
    const path = call.subject;
    return {
      ok: true,
      preview: { parameters: {}, basis: { path, sha256: this.parts.world.files.sha(path) } },
    };
  }

  async run(call: PreparedCall, context: ToolContext): Promise<ToolOutcome> {
    if (call.effect !== 'execute') return this.perform(call, context, null);
    const { deed } = scriptOf(call);
    await this.step(call, 'spawn');
    if (context.signal.aborted && !isDeaf(call)) return CANCELLED;
    if (deed === 'suspend' && context.decision === undefined) return SUSPENDED[scriptOf(call).asks];
    const command = this.parts.world.commands.begin(call, this.parts.owner, scriptOf(call));
    try {
      await context.started(command.process);
      command.released = true;
      return await this.perform(call, context, command);
    } finally {
      // A process that is dead does not end what it has started.
      if (this.parts.owner.alive) this.parts.world.commands.end(command);
    }
  }

  private async perform(
    call: PreparedCall,
    context: ToolContext,
    command: Command | null,
  ): Promise<ToolOutcome> {
    const { deed, asks } = scriptOf(call);
    if (context.signal.aborted && !isDeaf(call)) return CANCELLED;
    context.progress(deed);
    const changes: FileChange[] = [];
    switch (deed) {
      case 'suspend':
        await this.step(call, 'work');
        if (context.decision === undefined) return SUSPENDED[asks];
        if ((await this.affect(call, context, command, changes)) === 'changed') return CHANGED;
        break;
      case 'succeed':
        if ((await this.affect(call, context, command, changes)) === 'changed') return CHANGED;
        break;
      case 'fail':
        await this.step(call, 'work');
        return FAILED;
      case 'fail_after_effect':
        if ((await this.affect(call, context, command, changes)) === 'changed') return CHANGED;
        await this.step(call, 'work');
        return { ...FAILED, changes };
      case 'hang':
        await aborted(context.signal);
        return CANCELLED;
      case 'stubborn':
        await this.affect(call, context, command, changes);
        return new Promise(() => undefined);
      case 'late':
        await aborted(context.signal);
        await this.step(call, 'work');
        if ((await this.affect(call, context, command, changes)) === 'changed') return CHANGED;
        break;
      case 'bug':
        await this.step(call, 'work');
        throw new Error('simulated bug in a tool');
    }
    await this.step(call, 'end');
    return { kind: 'success', output: `${call.call_id} did ${call.name}`, changes };
  }

  private async affect(
    call: PreparedCall,
    { basis }: ToolContext,
    command: Command | null,
    changes: FileChange[],
  ): Promise<Did> {
    if (!hasEffects(call.name)) return 'nothing';
    const { scheduler, world, owner } = this.parts;
    const actor = command?.outlives === true ? null : owner;
    if (command !== null) command.busy = true;
    return scheduler.perform(actor, `effect ${call.call_id}`, () => {
      if (command !== null) command.busy = false;
      if (basis !== undefined && world.files.sha(basis.path) !== basis.sha256) return 'changed';
      world.affected(call);
      if (call.effect === 'write') changes.push(world.files.write(call.subject, call.call_id));
      return 'did';
    });
  }

  private step(call: PreparedCall, what: string): Promise<void> {
    return this.parts.scheduler.perform(this.parts.owner, `${what} ${call.call_id}`, () => undefined);
  }
}

const CANCELLED: ToolOutcome = {
  kind: 'failure',
  error: { kind: 'cancelled', message: 'told to stop' },
  changes: [],
};
const CHANGED: ToolOutcome = {
  kind: 'failure',
  error: { kind: 'changed', message: 'the file is another by now' },
  changes: [],
};
const FAILED = {
  kind: 'failure',
  error: { kind: 'failed', message: 'simulated failure' },
  output: 'some output',
  changes: [],
} as const satisfies ToolOutcome;

function isDeaf(call: PreparedCall): boolean {
  const { deed } = scriptOf(call);
  return deed === 'stubborn' || deed === 'late';
}

function refused(kind: string, message: string): ReturnType<ToolBox['prepare']> {
  return { ok: false, error: { kind, message } };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

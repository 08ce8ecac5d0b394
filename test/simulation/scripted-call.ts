import type { ResumeMode } from '../../src/runtime/events.ts';
import type { Extension } from '../../src/runtime/extension.ts';
import type { PreparedCall, ToolOutcome } from '../../src/runtime/ports.ts';
import { ruled } from '../support/tool-stubs.ts';
import type { Random } from './random.ts';
import { DEEDS, type Deed, type Gate, type Temperament } from './temperament.ts';

/** How a call goes is in its arguments, so that it goes the same way whoever runs it. */
interface Scripted {
  readonly deed: Deed;
  readonly on: string;
  readonly gate: Gate;
  /** A command whose process outlives the one that started it. */
  readonly outlives: boolean;
  /** How it wants to go on, when it suspends itself. */
  readonly asks: ResumeMode;
}

const MODES: readonly ResumeMode[] = [
  'use_decision_as_result',
  'use_decision_as_result',
  'pass_decision_to_tool',
  'pass_decision_to_tool',
  'replay_tool_call',
];

export function scriptedArgs(random: Random, deed: Deed, { gates }: Pick<Temperament, 'gates'>): string {
  const gate = random.weighted(gates);
  const outlives = random.chance(0.6);
  const scripted: Scripted = {
    deed,
    on: random.pick(['a', 'b']),
    gate,
    outlives,
    asks: random.pick(MODES),
  };
  return JSON.stringify(scripted);
}

export function scriptOf(call: PreparedCall): Scripted {
  return call.input as Scripted;
}

export function parseScript(args: string): Scripted | null {
  if (!args.startsWith('{"deed"')) return null;
  const value = JSON.parse(args) as Scripted;
  return value.deed in DEEDS ? value : null;
}

/** A tool that needs an answer. */
export const SUSPENDED: Readonly<Record<ResumeMode, ToolOutcome & { readonly kind: 'suspended' }>> = {
  use_decision_as_result: suspends('use_decision_as_result'),
  pass_decision_to_tool: suspends('pass_decision_to_tool'),
  replay_tool_call: suspends('replay_tool_call'),
};

function suspends(resume_mode: ResumeMode): ToolOutcome & { readonly kind: 'suspended' } {
  return { kind: 'suspended', suspension: { reason: 'question', message: 'Which one?', resume_mode } };
}

/** Votes as the call's own arguments say. */
export const scriptedGate: Extension = {
  name: 'scripted_gate',
  before_tool: (_view, call) => {
    const { gate } = scriptOf(call);
    switch (gate) {
      case 'allow':
        return { kind: 'allow', by: null };
      case 'preset':
        return { kind: 'preset', output: 'preset' };
      case 'block':
        return { kind: 'block', by: ruled('sim'), error: { kind: 'permission_denied', message: 'blocked' } };
      case 'suspend':
        return {
          kind: 'suspend',
          by: ruled('sim'),
          suspension: { reason: 'approval', message: 'May I?', resume_mode: 'replay_tool_call' },
        };
    }
  },
};

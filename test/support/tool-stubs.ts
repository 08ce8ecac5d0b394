import type { Authority } from '../../src/runtime/extension.ts';
import type {
  Effect,
  PreparedCall,
  PreviewResult,
  ToolBox,
  ToolContext,
  ToolOutcome,
} from '../../src/runtime/ports.ts';

/** A tool in a few words. Its arguments are any JSON object; `path` names what it acts on. */
export interface ToolStub {
  readonly effect: Effect;
  readonly run: (call: PreparedCall, context: ToolContext) => Promise<ToolOutcome> | ToolOutcome;
  /** What it would do, for who is asked; nothing to show when left out. */
  readonly preview?: (call: PreparedCall) => PreviewResult;
}

export function succeed(output: string): ToolOutcome {
  return { kind: 'success', output, changes: [] };
}

export function fail(kind: string, message = `it failed: ${kind}`): ToolOutcome {
  return { kind: 'failure', error: { kind, message }, changes: [] };
}

export const PROCESS = { pid: 7, group: 7, started_at: '2026-01-01T00:00:00.000Z' };

export const READ: ToolStub = { effect: 'read', run: ({ subject }) => succeed(`content of ${subject}`) };

export const WRITE: ToolStub = { effect: 'write', run: ({ subject }) => succeed(`wrote ${subject}`) };

export const COMMAND: ToolStub = {
  effect: 'execute',
  run: async ({ subject }, context) => {
    await context.started(PROCESS);
    return succeed(`ran ${subject}`);
  },
};

/** Asks a person, whose answer is its result. */
export const ASKS: ToolStub = {
  effect: 'interact',
  run: () => ({
    kind: 'suspended',
    suspension: { reason: 'question', message: 'Which?', resume_mode: 'use_decision_as_result' },
  }),
};

export const TOOLS = { read: READ, write: WRITE, run: COMMAND } as const;

export function toolBox(stubs: Readonly<Record<string, ToolStub>>): ToolBox {
  return {
    specs: Object.entries(stubs)
      .map(([name, { effect }]) => ({ name, effect, description: `Does ${name}.`, parameters: {} }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    prepare({ call_id, name, args }) {
      const stub = stubs[name];
      if (stub === undefined) {
        return { ok: false, error: { kind: 'unknown_tool', message: `There is no tool ${name}.` } };
      }
      const input = parsed(args);
      if (input === null) {
        return { ok: false, error: { kind: 'invalid_arguments', message: 'The arguments are no object.' } };
      }
      const subject = typeof input['path'] === 'string' ? input['path'] : '';
      const writes = stub.effect === 'write' ? [subject] : [];
      return { ok: true, call: { call_id, name, effect: stub.effect, input, writes, subject } };
    },
    async preview(call) {
      return stubs[call.name]?.preview?.(call) ?? { ok: true, preview: null };
    },
    async run(call, context) {
      const stub = stubs[call.name];
      if (stub === undefined) throw new Error(`no stub ${call.name}`);
      return await stub.run(call, context);
    },
  };
}

function parsed(args: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(args);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** A vote's authority: a rule of that text. */
export function ruled(rule: string): Authority {
  return { decided_by: 'rule', rule, scope: 'call', sub_commands: [] };
}

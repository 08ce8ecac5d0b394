import type { Passage } from '../../../src/runtime/call-gate.ts';
import type { CommandProcess } from '../../../src/runtime/events.ts';
import type { Effect } from '../../../src/runtime/ports.ts';
import type { Turn } from '../../../src/runtime/turn.ts';
import type { Core } from './core.ts';
import type { Evidence } from './evidence.ts';

/** What the process does at the moment: all of it is lost in a crash. */
export interface Process {
  /** A run is under way. */
  readonly active: boolean;
  /** The calls that were pending when the request left; null when none is out. */
  readonly inferring: readonly string[] | null;
  readonly gating: readonly string[];
  /** Decided, and at the gate again. */
  readonly again: readonly string[];
  readonly executing: readonly string[];
  /** Somebody has decided in this process: it knows what to go on with. */
  readonly ports: boolean;
}

export const IDLE: Process = {
  active: false,
  inferring: null,
  gating: [],
  again: [],
  executing: [],
  ports: false,
};

export interface Position {
  readonly turn: Turn;
  readonly evidence: Evidence;
  readonly process: Process;
  /** Commands whose process outlived the crash. */
  readonly alive: readonly string[];
  /** Events in the log: what the next ids are made of. */
  readonly length: number;
  /** Requests that have left. */
  readonly requests: number;
}

export interface Setting {
  readonly core: Core;
  readonly batch: boolean;
  readonly tools: Readonly<Record<string, { readonly effect: Effect; readonly name: string }>>;
}

/** What the gate says. */
export function passageOf({ tools }: Setting, id: string, kind: Passage['kind']): Passage {
  switch (kind) {
    case 'allowed': {
      const { name, effect } = tools[id] ?? { name: 'read', effect: 'read' as const };
      const prepared = { call_id: id, name, effect, input: {}, writes: [], subject: id };
      return { kind, by: null, prepared };
    }
    case 'asked':
      return {
        kind,
        by: null,
        suspension: { reason: 'approval', message: `Allow ${id}?`, resume_mode: 'replay_tool_call' },
      };
    case 'preset':
      return { kind, output: 'preset' };
    case 'refused':
      return { kind, by: null, error: { kind: 'permission_denied', message: 'blocked' } };
  }
}

export function processOf(id: string): CommandProcess {
  const pid = id.charCodeAt(0);
  return { pid, group: pid, started_at: '2026-01-01T00:00:00.000Z' };
}

import { stricter } from '../agents/child-policy.ts';
import { draft, type Draft, type PermissionMode } from '../events.ts';
import type { Authority, Extension, GateVote } from '../extension.ts';
import { permissionFor, type Permission, type PermissionContext } from '../permissions/permission.ts';
import type { RuleProblem } from '../permissions/rules.ts';
import type { PreparedCall } from '../ports.ts';
import { APPROVAL } from '../turn-calls.ts';

/** Rules as they are now: "always" counts from the next call on. */
export type PermissionRules = () => Omit<PermissionContext, 'mode'>;

/** Asks, allows or denies each call by the mode and the rules. With a limit, by the stricter of the two as they are now. */
export function permissions(rules: PermissionRules, limit: (() => PermissionMode) | null = null): Extension {
  return {
    name: 'permissions',
    on: {
      run_start: ({ turn }) => {
        const { rules: set, remembered } = rules();
        return { record: [...set.problems, ...remembered.problems].map((one) => problem(turn.turn_id, one)) };
      },
    },
    before_tool: ({ settings: { permission_mode } }, call) => {
      const mode = limit === null ? permission_mode : stricter(permission_mode, limit());
      return voteOf(permissionFor(call, { ...rules(), mode }), call);
    },
  };
}

function voteOf(permission: Permission, call: PreparedCall): GateVote {
  const { decision, decided_by, rule, why, sub_commands, always, never } = permission;
  const by: Authority = { decided_by, rule, scope: 'call', sub_commands };
  switch (decision) {
    case 'allow':
      return { kind: 'allow', by };
    case 'deny':
      return { kind: 'block', by, error: { kind: 'permission_denied', message: why, details: { rule } } };
    case 'ask':
      return {
        kind: 'suspend',
        by,
        suspension: {
          reason: APPROVAL,
          message: questionOf(call),
          parameters: { why, rule, sub_commands, always, never },
          resume_mode: 'replay_tool_call',
        },
      };
  }
}

const LONGEST = 200;

function questionOf({ name, effect, subject }: PreparedCall): string {
  const what = subject.length > LONGEST ? `${subject.slice(0, LONGEST)}…` : subject;
  return effect === 'execute' ? `Run ${what}?` : `Allow ${name} on ${what}?`;
}

/** A rule that cannot be read is in force in its strictest reading, and the log says so. */
function problem(turn_id: string, { text, list, message }: RuleProblem): Draft {
  return draft('diagnostic', {
    turn_id,
    code: 'permission_rule_invalid',
    message,
    details: { rule: text, list },
    next_actions: [
      {
        label: 'Open settings',
        command: 'workbench.action.openSettings',
        args: ['ledgerline.permissions'],
      },
    ],
  });
}

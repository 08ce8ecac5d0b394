import type { PermissionMode } from '../events.ts';
import type { Extension, GateVote } from '../extension.ts';
import type { Effect, PreparedCall } from '../ports.ts';

/** What a mode says to a call by its effect. Deny by default: an effect that no mode names is blocked. */
export function modeVote(
  mode: PermissionMode,
  effect: Effect,
  call: Pick<PreparedCall, 'name' | 'subject'>,
): GateVote {
  const rule = `mode:${mode}`;
  if (effect === 'write' && isSettingOfOurs(call.subject))
    return blocked(call, 'policy:protected_path', ASKED_ALWAYS, { effect });
  if (effect === 'read' || effect === 'interact' || mode === 'auto') return { kind: 'allow', rule };
  const why = mode === 'read_only' ? 'is not allowed: the permission mode is read_only' : CANNOT_ASK;
  return blocked(call, rule, why, { mode, effect });
}

const CANNOT_ASK =
  'needs an approval, and this version cannot ask for one yet. The user can set ledgerline.permissionMode to auto';
const ASKED_ALWAYS =
  'changes how editors and agents behave here, so it needs an approval in every mode, and this version cannot ask for one yet';

function blocked(
  call: Pick<PreparedCall, 'name' | 'subject'>,
  rule: string,
  why: string,
  details: object,
): GateVote {
  const message = `${call.name} on ${call.subject} ${why}.`;
  return { kind: 'block', rule, error: { kind: 'permission_denied', message, details } };
}

/** Files that direct this agent, other agents or the editor. */
function isSettingOfOurs(path: string): boolean {
  const parts = path.toLowerCase().split('/');
  return (
    parts.at(-1) === 'agents.md' || parts.some((part) => ['.vscode', '.ledgerline', '.agents'].includes(part))
  );
}

export const permissionMode: Extension = {
  name: 'permission_mode',
  before_tool: ({ settings }, call) => modeVote(settings.permission_mode, call.effect, call),
};

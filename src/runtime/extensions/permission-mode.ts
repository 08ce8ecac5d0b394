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
  if (effect === 'read' || effect === 'interact' || mode === 'auto') return { kind: 'allow', rule };
  const what = `${call.name} on ${call.subject}`;
  const message =
    mode === 'read_only'
      ? `${what} is not allowed: the permission mode is read_only.`
      : `${what} needs an approval, and this version cannot ask for one yet. The user can set ledgerline.permissionMode to auto.`;
  return { kind: 'block', rule, error: { kind: 'permission_denied', message, details: { mode, effect } } };
}

export const permissionMode: Extension = {
  name: 'permission_mode',
  before_tool: ({ settings }, call) => modeVote(settings.permission_mode, call.effect, call),
};

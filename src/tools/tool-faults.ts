import type { ToolError } from '../runtime/events.ts';

/** Everything a workspace tool can say went wrong. Each message says what to do next. */
export type ToolFaultKind =
  | 'binary_file'
  | 'cancelled'
  | 'denied_path'
  | 'exit_code'
  | 'file_changed'
  | 'file_gone'
  | 'invalid_arguments'
  | 'invalid_path'
  | 'io_error'
  | 'is_directory'
  | 'many_matches'
  | 'no_match'
  | 'not_a_file'
  | 'not_found'
  | 'outside_workspace'
  | 'search_failed'
  | 'skill_not_for_model'
  | 'skill_unusable'
  | 'spawn_failed'
  | 'timeout'
  | 'too_large'
  | 'unknown_skill'
  | 'unknown_tool';

export interface ToolFault extends ToolError {
  readonly kind: ToolFaultKind;
}

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ToolFault };

export function ok<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function fault(
  kind: ToolFaultKind,
  message: string,
  details?: unknown,
): { readonly ok: false; readonly error: ToolFault } {
  return { ok: false, error: details === undefined ? { kind, message } : { kind, message, details } };
}

export const CANCELLED: ToolFault = {
  kind: 'cancelled',
  message: 'The call was stopped before it finished.',
};

/** The code of an error that the operating system reported, or undefined for any other error (a bug). */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && 'syscall' in error
    ? error.code
    : undefined;
}

/** What an operating system error means for the model. Errors that are not the system's are thrown on. */
export function systemFault(error: unknown, path: string): ToolFault {
  const code = systemCode(error);
  switch (code) {
    case undefined:
      throw error;
    case 'ENOENT':
      return {
        kind: 'not_found',
        message: `${path} does not exist. Use list_files to see what is there.`,
      };
    case 'ENOTDIR':
      return {
        kind: 'not_found',
        message: `${path} does not exist: a part of the path is a file, not a folder.`,
      };
    case 'EISDIR':
      return { kind: 'is_directory', message: `${path} is a folder. Use list_files to look inside.` };
    case 'ELOOP':
      return { kind: 'invalid_path', message: `${path} is a link that leads back to itself.` };
    case 'ENAMETOOLONG':
      return { kind: 'invalid_path', message: `${path.slice(0, 80)}... is too long for the file system.` };
    case 'EACCES':
    case 'EPERM':
      return {
        kind: 'io_error',
        message: `Permission denied: ${path}. The user has to change its permissions.`,
        details: { code },
      };
    case 'EROFS':
      return {
        kind: 'io_error',
        message: `${path} is on a read-only file system; it cannot be written.`,
        details: { code },
      };
    case 'ENOSPC':
    case 'EDQUOT':
      return {
        kind: 'io_error',
        message: `The disk is full: ${path} was not written. The user has to free space.`,
        details: { code },
      };
    default:
      return {
        kind: 'io_error',
        message: `The file system refused ${path}: ${code}.`,
        details: { code },
      };
  }
}

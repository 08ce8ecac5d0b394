import type { HostMessage } from '../presenter/protocol.ts';
import type { Settings } from './settings.ts';

/** A folder of the workspace. */
export interface WorkspaceRoot {
  readonly name: string;
  readonly path: string;
}

export interface Logger {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export interface Problem {
  /** Absolute. */
  readonly path: string;
  readonly line: number;
  readonly severity: 'error' | 'warning' | 'info' | 'hint';
  readonly message: string;
}

/** What only an editor knows about files. */
export interface EditorSource {
  /** The text of the open document at one of these paths, where it has changes that are not saved; else null. */
  unsaved(paths: readonly string[]): string | null;
  /** The paths of all files with changes that are not saved. */
  edited(): readonly string[];
  problems(): readonly Problem[];
}

/** What a presenter's host gives to the conversation it shows. */
export interface ConversationOptions {
  readonly storage: string;
  /** The session to open; a new one when there is none. */
  readonly session_id?: string;
  readonly roots: readonly WorkspaceRoot[];
  /** The person's own folder, which may have skills; null where none is to be looked at. */
  readonly home: string | null;
  /** Read anew for every turn. */
  readonly settings: () => Settings;
  readonly api_key: () => Promise<string | null>;
  /** Whether tools may run here; history is readable either way. */
  readonly trusted: () => boolean;
  readonly app_version: string;
  /** Where VS Code keeps its own ripgrep; null outside of it. */
  readonly app_root: string | null;
  readonly logger: Logger;
  /** Where there is one. */
  readonly editor?: EditorSource;
  /**
   * Where other conversations of this process may have a child's log open, as a window with its transcript does: they let go
   * of it while it is taken, and look on from then. Without it, it is just taken.
   */
  readonly borrow?: (sessionId: string, take: () => Promise<void>) => Promise<void>;
  /** Gets every message for the presenter. */
  readonly emit: (message: HostMessage) => void;
}

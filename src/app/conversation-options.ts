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

/** What a presenter's host gives to the conversation it shows. */
export interface ConversationOptions {
  readonly storage: string;
  /** The session to open; a new one when there is none. */
  readonly session_id?: string;
  readonly roots: readonly WorkspaceRoot[];
  /** Read anew for every turn. */
  readonly settings: () => Settings;
  readonly api_key: () => Promise<string | null>;
  /** Whether tools may run here; history is readable either way. */
  readonly trusted: () => boolean;
  readonly app_version: string;
  /** Where VS Code keeps its own ripgrep; null outside of it. */
  readonly app_root: string | null;
  readonly logger: Logger;
  /** Gets every message for the presenter. */
  readonly emit: (message: HostMessage) => void;
}

import type { HiddenPaths } from '../runtime/permissions/hidden-paths.ts';
import type { PathMatcher } from './glob.ts';
import type { ToolFault } from './tool-faults.ts';
import type { ToolLimits } from './tool-limits.ts';
import type { Workspace, WorkspacePath } from './workspace-paths.ts';

/** What ripgrep and the plain search have in common. The same tree gives the same matches from both. */

export interface SearchRequest {
  readonly workspace: Workspace;
  /** An existing folder. */
  readonly start: WorkspacePath;
  readonly pattern: string;
  readonly regex: boolean;
  readonly glob: { readonly text: string; readonly matches: PathMatcher } | undefined;
  readonly hidden: HiddenPaths;
  readonly limits: ToolLimits;
  readonly signal: AbortSignal;
}

export interface LineMatch {
  readonly line: number;
  readonly text: string;
  /** Where the first match begins in `text`. */
  readonly column: number;
}

export interface FileMatches {
  readonly path: WorkspacePath;
  readonly matches: readonly LineMatch[];
}

export type SearchEnd =
  | { readonly kind: 'complete' }
  /** The receiver had enough. */
  | { readonly kind: 'enough' }
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly error: ToolFault };

/** Called for each file in order; answers whether to go on. */
export type FileReceiver = (found: FileMatches) => 'more' | 'enough';

export type SearchEngine = (request: SearchRequest, receive: FileReceiver) => Promise<SearchEnd>;

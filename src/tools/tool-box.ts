import type {
  FileChange,
  PreparedCall,
  PreviewResult,
  ToolBox,
  ToolContext,
  ToolOutcome,
} from '../runtime/ports.ts';
import type { HiddenPaths } from '../runtime/permissions/hidden-paths.ts';
import { askUserTool } from './ask-user.ts';
import { distinctRoots, type WorkspaceRoot } from './distinct-roots.ts';
import { editFileTool } from './edit-file.ts';
import type { BlobStore } from './file-replacement.ts';
import { listFilesTool } from './list-files.ts';
import type { Platform } from './path-syntax.ts';
import {
  currentContent,
  planUndo,
  previewOf,
  removeEmptyFolders,
  undoChange,
  type ChangeOptions,
  type PlannedUndo,
} from './planned-change.ts';
import { readFileTool } from './read-file.ts';
import { findRipgrep, type RipgrepPlace } from './ripgrep-binary.ts';
import { ripgrepEngine } from './ripgrep-search.ts';
import { runCommandTool } from './run-command.ts';
import type { SearchEngine } from './search-engine.ts';
import { searchTextTool } from './search-text.ts';
import { Secrets } from './secret-filter.ts';
import { fault, ok, systemCode, systemFault, type Result } from './tool-faults.ts';
import { TOOL_LIMITS, type ToolLimits } from './tool-limits.ts';
import { failed, type ProposedChange, type Tool } from './tool.ts';
import type { Workspace } from './workspace-paths.ts';
import { updatePlanTool } from './update-plan.ts';
import { viewImageTool, type ImageStore } from './view-image.ts';
import { writeFileTool } from './write-file.ts';

export interface ToolBoxOptions {
  /** Folders of the workspace. With none, no workspace tool is offered. */
  readonly roots: readonly WorkspaceRoot[];
  /** Whether somebody is there to answer and to look: then they can be asked and shown a plan, also without a folder. Default: false. */
  readonly asks?: boolean;
  /** Where the images of sessions are kept: then they can be looked at again, also without a folder. */
  readonly images?: ImageStore;
  /** Tools that are not of the workspace, such as those for handing work to others. */
  readonly others?: readonly Tool[];
  /** Where the extension keeps its own files: never touched by a tool. */
  readonly storageDir: string;
  readonly blobs: BlobStore;
  readonly ripgrep?: RipgrepPlace;
  /** A shell chosen by the user instead of the platform's. */
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly platform?: Platform;
  /** Removed from what commands say: they can read the environment of our process. */
  readonly secrets?: readonly string[];
  readonly limits?: Partial<ToolLimits>;
  /**
   * What rules hide from a call that goes through folders, asked when it runs. Paths are those that rules see.
   * Default: nothing.
   */
  readonly hidden?: (call: { readonly tool: string; readonly start: string }) => HiddenPaths;
}

export interface WorkspaceToolBox extends ToolBox {
  /** The same as `preview`, with the whole text before and after, for a diff editor. */
  changeOf(call: PreparedCall, signal: AbortSignal): Promise<Result<ProposedChange> | undefined>;
  /** Takes a recorded change back, given the bytes of its `before_blob`; refuses if the file changed since. */
  undo(change: FileChange, before: Uint8Array | null, signal: AbortSignal): Promise<Result<FileChange>>;
  /** What that would make of the file; refuses in the same way, and changes nothing. */
  undoPlan(change: FileChange, before: Uint8Array | null, signal: AbortSignal): Promise<Result<PlannedUndo>>;
  /** Removes those of these folders that are empty, given from the outermost. Answers with those that are gone. */
  removeEmptyFolders(folders: readonly string[]): Promise<readonly string[]>;
  /** The file as it is now, for people: only what tools may read. Undefined when there is none. */
  contentOf(path: string, signal: AbortSignal): Promise<Result<Buffer | undefined>>;
  /** What a call makes of given bytes; refuses what it cannot be applied to. Reads and writes nothing. */
  outcomeOn(call: PreparedCall, before: Buffer | undefined): Result<Buffer> | undefined;
}

export function createToolBox(options: ToolBoxOptions): WorkspaceToolBox {
  const platform = options.platform ?? process.platform;
  const workspace: Workspace = {
    roots: distinctRoots(options.roots, platform),
    storageDir: options.storageDir,
    platform,
  };
  const limits: ToolLimits = { ...TOOL_LIMITS, ...options.limits };
  const change = { workspace, limits, blobs: options.blobs };
  const offer = [
    ...(options.asks === true ? [askUserTool(), updatePlanTool()] : []),
    ...(options.images === undefined
      ? []
      : [viewImageTool(options.images, hiddenFrom(options, 'view_image'))]),
    ...workspaceTools(options, change),
    ...(options.others ?? []),
  ];
  const tools = new Map(offer.map((tool) => [tool.spec.name, tool]));
  const specs = [...tools.values()]
    .map((tool) => tool.spec)
    .sort((left, right) => (left.name < right.name ? -1 : 1));

  const find = (name: string): Result<Tool> => {
    const tool = tools.get(name);
    if (tool !== undefined) return ok(tool);
    const none = workspace.roots.length === 0 ? ': no folder is open, so no workspace tool is offered' : '';
    const offered = specs.map((spec) => spec.name).join(', ');
    const others = offered === '' ? '' : ` The tools are: ${offered}.`;
    return fault('unknown_tool', `There is no tool ${name}${none}.${others}`);
  };
  const changeOf: WorkspaceToolBox['changeOf'] = async (call, signal) => {
    const tool = find(call.name);
    return tool.ok ? await changeBy(tool.value, call, signal) : tool;
  };

  return {
    specs,
    prepare({ call_id, name, args }) {
      const tool = find(name);
      if (!tool.ok) return tool;
      const parsed = parseJson(name, args);
      if (!parsed.ok) return parsed;
      const prepared = tool.value.prepare(parsed.value);
      if (!prepared.ok) return prepared;
      return { ok: true, call: { call_id, name, effect: tool.value.spec.effect, ...prepared.value } };
    },
    async run(call, context) {
      const tool = find(call.name);
      return tool.ok ? await runTool(tool.value, call, context) : failed(tool.error);
    },
    async preview(call, signal): Promise<PreviewResult> {
      const proposed = await changeOf(call, signal);
      if (proposed === undefined) return { ok: true, preview: null };
      return proposed.ok ? { ok: true, preview: previewOf(proposed.value, limits) } : proposed;
    },
    changeOf,
    undo: async (done, before, signal) => await undoChange(done, before, change, signal),
    undoPlan: async (done, before, signal) => await planUndo(done, before, change, signal),
    removeEmptyFolders: async (folders) => await removeEmptyFolders(folders, change),
    contentOf: async (path, signal) => await currentContent(path, change, signal),
    outcomeOn(call, before) {
      const tool = find(call.name);
      return tool.ok ? tool.value.outcomeOn(call.input, before) : tool;
    },
  };
}

const NOTHING_HIDDEN: HiddenPaths = { any: false, hides: () => false };

function hiddenFrom({ hidden }: ToolBoxOptions, tool: string): (start: string) => HiddenPaths {
  return (start) => hidden?.({ tool, start }) ?? NOTHING_HIDDEN;
}

function workspaceTools(options: ToolBoxOptions, change: ChangeOptions): readonly Tool[] {
  const { workspace, limits } = change;
  if (workspace.roots.length === 0) return [];
  const engine = ripgrepOnce(options.ripgrep ?? {}, workspace.platform);
  return [
    readFileTool(workspace, limits),
    listFilesTool({ workspace, limits, hidden: hiddenFrom(options, 'list_files') }),
    searchTextTool({ workspace, limits, hidden: hiddenFrom(options, 'search_text'), engine }),
    writeFileTool(change),
    editFileTool(change),
    runCommandTool({
      ...change,
      shell: options.shell,
      env: options.env ?? process.env,
      secrets: new Secrets(options.secrets ?? []),
    }),
  ];
}

function ripgrepOnce(place: RipgrepPlace, platform: Platform): () => Promise<SearchEngine | undefined> {
  let found: Promise<SearchEngine | undefined> | undefined;
  const find = async () => {
    const binary = await findRipgrep(place, { platform, arch: process.arch });
    return binary === undefined ? undefined : ripgrepEngine(binary);
  };
  return () => (found ??= find());
}

function parseJson(name: string, args: string): Result<unknown> {
  try {
    const parsed: unknown = JSON.parse(args);
    return ok(parsed);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return fault('invalid_arguments', `The arguments of ${name} are not valid JSON: ${error.message}.`);
  }
}

/** What the system refuses anywhere in a tool is an outcome; any other error is a bug and is thrown. */
async function runTool(tool: Tool, call: PreparedCall, context: ToolContext): Promise<ToolOutcome> {
  try {
    return await tool.run(call.input, context, call.subject);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return failed(systemFault(error, call.subject));
  }
}

/** Looking fails in the same way as running would. */
async function changeBy(
  tool: Tool,
  call: PreparedCall,
  signal: AbortSignal,
): Promise<Result<ProposedChange> | undefined> {
  try {
    return await tool.change(call.input, signal, call.subject);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return { ok: false, error: systemFault(error, call.subject) };
  }
}

import { childEnds } from '../runtime/extensions/child-ends.ts';
import { permissions, type PermissionRules } from '../runtime/extensions/permissions.ts';
import { pressure } from '../runtime/extensions/pressure.ts';
import { stopConditions } from '../runtime/extensions/stop-conditions.ts';
import type { RunSettings } from '../runtime/extension.ts';
import type { PermissionMode } from '../runtime/events.ts';
import { hiddenPaths } from '../runtime/permissions/hidden-paths.ts';
import { isOffered } from '../runtime/permissions/permission.ts';
import type { Provider } from '../runtime/ports.ts';
import type { RunPorts } from '../runtime/session-ports.ts';
import type { Blobs } from '../storage/blobs.ts';
import { distinctRoots } from '../tools/distinct-roots.ts';
import type { WorkspaceToolBox } from '../tools/tool-box.ts';
import type { Tool } from '../tools/tool.ts';
import { windowOf } from './context-window.ts';
import type { ConversationOptions, WorkspaceRoot } from './conversation-options.ts';
import { gitBranch } from './git-branch.ts';
import type { ModelConnection } from './model-connection.ts';
import type { Settings } from './settings.ts';
import type { WorkspaceRules } from './workspace-rules.ts';

/** What a conversation keeps from run to run. */
export interface Kept {
  readonly blobs: Blobs;
  readonly rules: WorkspaceRules;
  readonly connection: ModelConnection;
  /** Tools beside those of the workspace. */
  readonly others?: () => Promise<readonly Tool[]>;
  /** What a run may at most, as it is when it asks. */
  readonly limit?: () => PermissionMode;
}

/** What one run uses, made of the settings as they are now. SDK and schemas are loaded on first use. */
export async function runPorts(
  options: ConversationOptions,
  settings: Settings,
  kept: Kept,
): Promise<RunPorts> {
  const roots = options.trusted() ? options.roots : [];
  const rules = await kept.rules.of(settings, roots.length);
  const [provider, tools, branch] = await Promise.all([
    makeProvider(options, settings, kept.connection),
    makeTools(options, roots, kept.blobs, { rules, others: await kept.others?.() }),
    roots[0] === undefined ? null : gitBranch(roots[0].path),
  ]);
  const mode = settings.permissionMode;
  return {
    provider,
    tools,
    offered: tools.specs.filter((spec) => isOffered(spec, { ...rules(), mode })),
    extensions: [stopConditions, childEnds, pressure, permissions(rules, kept.limit)],
    settings: runSettings(settings, workspaceWords(roots), branch),
    app_version: options.app_version,
  };
}

/** Where there are several folders, with the names that paths begin with. */
function workspaceWords(roots: readonly WorkspaceRoot[]): string | null {
  const [only, ...others] = roots;
  if (only === undefined) return null;
  if (others.length === 0) return only.path;
  return distinctRoots(roots, process.platform)
    .map(({ name, path }) => `${name}/ is ${path}`)
    .join(', ');
}

/** Without rules, nothing is hidden from the tools: for recovery, which calls none that goes through folders. */
export async function makeTools(
  options: ConversationOptions,
  roots: readonly WorkspaceRoot[],
  blobs: Blobs,
  { rules, others }: { readonly rules?: PermissionRules; readonly others?: readonly Tool[] | undefined } = {},
): Promise<WorkspaceToolBox> {
  const { createToolBox } = await import('../tools/all-tools.ts');
  const apiKey = await options.api_key();
  return createToolBox({
    roots,
    asks: options.trusted(),
    storageDir: options.storage,
    blobs,
    ripgrep: options.app_root === null ? {} : { appRoot: options.app_root },
    secrets: apiKey === null ? [] : [apiKey],
    ...(others === undefined ? {} : { others }),
    ...(rules === undefined ? {} : { hidden: (call) => hiddenPaths(call, rules()) }),
  });
}

async function makeProvider(
  options: ConversationOptions,
  settings: Settings,
  connection: ModelConnection,
): Promise<Provider> {
  if (settings.provider === 'offline') {
    const { createOfflineProvider } = await import('../provider/offline/offline-provider.ts');
    return createOfflineProvider();
  }
  const { createOpenAiProvider } = await import('../provider/openai-provider.ts');
  return createOpenAiProvider({
    apiKey: await options.api_key(),
    baseUrl: settings.baseUrl,
    connection: await connection.get(),
    transport: settings.transport,
  });
}

export function runSettings(
  settings: Settings,
  workspace: string | null,
  branch: string | null,
): RunSettings {
  return {
    model: settings.provider === 'offline' ? 'offline' : settings.model,
    reasoning_effort: settings.reasoningEffort === 'default' ? null : settings.reasoningEffort,
    permission_mode: settings.permissionMode,
    workspace,
    branch,
    context_window: windowOf(settings),
    turn_timeout_ms: settings.turnTimeout * 1000,
    stream_idle_ms: settings.streamIdleTimeout * 1000,
    max_rounds: settings.maxRounds,
    token_budget: settings.tokenBudget === 0 ? null : settings.tokenBudget,
    compaction_strategy: settings['compaction.strategy'],
    batch_approvals: settings['approvals.batch'],
  };
}

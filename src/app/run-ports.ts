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
import type { SkillShelf } from '../tools/activate-skill.ts';
import type { WorkspaceToolBox } from '../tools/tool-box.ts';
import type { Tool } from '../tools/tool.ts';
import { windowOf } from './context-window.ts';
import type { ConversationOptions, WorkspaceRoot } from './conversation-options.ts';
import { picturesIn } from './sent-attachment.ts';
import { gitBranch } from './git-branch.ts';
import type { ModelConnection } from './model-connection.ts';
import type { Settings } from './settings.ts';
import { SkillReading } from './skill-reading.ts';
import { NOTHING_TOLD, type ToldSkills } from './told-skills.ts';
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
  /** Hears which skills a run knows of. */
  readonly skills?: (told: ToldSkills) => void;
}

/** What one run uses, made of the settings as they are now. SDK and schemas are loaded on first use. */
export async function runPorts(
  options: ConversationOptions,
  settings: Settings,
  kept: Kept,
): Promise<RunPorts> {
  const roots = options.trusted() ? options.roots : [];
  const rules = await kept.rules.of(settings, roots.length);
  const mode = settings.permissionMode;
  const skills = new SkillReading(options, rules, mode);
  const [provider, tools, branch, told] = await Promise.all([
    makeProvider(options, settings, kept.connection),
    makeTools(options, roots, kept.blobs, { rules, skills, others: await kept.others?.() }),
    roots[0] === undefined ? null : gitBranch(roots[0].path),
    // Where no tool runs, the model can activate none.
    options.trusted() ? skills.told() : NOTHING_TOLD,
  ]);
  kept.skills?.(told);
  const skill_index = told.index.text;
  return {
    provider,
    tools,
    // Without skills nobody is told how to activate one. Both are ahead of the input, and come and go together.
    offered: tools.specs.filter(
      (spec) =>
        isOffered(spec, { ...rules(), mode }) && (spec.name !== 'activate_skill' || skill_index !== ''),
    ),
    skill_index,
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

interface ToolParts {
  readonly rules?: PermissionRules;
  readonly skills?: SkillShelf;
  readonly others?: readonly Tool[] | undefined;
}

/** For those who run no tool. */
const NO_SHELF: SkillShelf = { activate: async () => ({ kind: 'unknown', names: [] }) };

/** Without rules, nothing is hidden from the tools: for recovery, which calls none that goes through folders. */
export async function makeTools(
  options: ConversationOptions,
  roots: readonly WorkspaceRoot[],
  blobs: Blobs,
  { rules, skills = NO_SHELF, others = [] }: ToolParts = {},
): Promise<WorkspaceToolBox> {
  const { activateSkillTool, createToolBox } = await import('../tools/all-tools.ts');
  const apiKey = await options.api_key();
  return createToolBox({
    roots,
    asks: options.trusted(),
    storageDir: options.storage,
    blobs,
    ...(options.trusted() ? { images: picturesIn(blobs) } : {}),
    ripgrep: options.app_root === null ? {} : { appRoot: options.app_root },
    secrets: apiKey === null ? [] : [apiKey],
    others: [...(options.trusted() ? [activateSkillTool(skills)] : []), ...others],
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

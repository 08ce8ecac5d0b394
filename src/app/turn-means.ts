import type { Attachment } from '../runtime/events.ts';
import type { Extension } from '../runtime/extension.ts';
import { NO_SKILLS } from '../runtime/prompt/skill-index.ts';
import type { RunPorts } from '../runtime/session-ports.ts';
import type { Blobs } from '../storage/blobs.ts';
import { NO_TOOLS } from '../tools/no-tools.ts';
import type { WorkspaceToolBox } from '../tools/tool-box.ts';
import { distinctRoots } from '../tools/distinct-roots.ts';
import type { Tool } from '../tools/tool.ts';
import type { Workspace } from '../tools/workspace-paths.ts';
import type { AttachmentPorts, Resolved } from './attachments.ts';
import type { AttachmentStanding, Unfit } from './attachment-standing.ts';
import type { AgentLimits, ChildRunMeans } from './agents/child-means.ts';
import type { ConversationOptions } from './conversation-options.ts';
import { AgentDesk } from './agents/agent-desk.ts';
import { childTools } from './agents/offered-tools.ts';
import { workflowRuns, type WorkflowMeans } from './agents/workflow-runs.ts';
import { ModelConnection } from './model-connection.ts';
import { makeTools, runPorts } from './run-ports.ts';
import type { Settings } from './settings.ts';
import { SkillNews } from './skill-news.ts';
import { lookingPorts, SkillReading } from './skill-reading.ts';
import type { SkillPorts } from './skill-shelves.ts';
import type { FoundSkill } from './skills.ts';
import type { ToldSkills } from './told-skills.ts';
import type { FoundTemplate } from './workflow-templates.ts';
import { isUnsaved } from './unsaved-files.ts';
import type { WorkspaceRules } from './workspace-rules.ts';

interface Choice {
  readonly model?: string | undefined;
  readonly mode?: Settings['permissionMode'] | undefined;
}

/** What a message may forbid to its own turn. */
export interface TurnLimits {
  readonly tools?: 'none' | undefined;
}

/** What a turn works with, as it is when it is asked for: settings change, folders come and go. */
export class TurnMeans {
  private readonly connection = new ModelConnection();
  private skillsTold = new SkillNews();
  private overrides: { readonly model?: string; readonly permissionMode?: Settings['permissionMode'] } = {};

  constructor(
    private readonly options: ConversationOptions,
    private readonly blobs: Blobs,
    private readonly rules: WorkspaceRules,
    /** Tools beside those of the workspace, of the session that is open. */
    private readonly others: () => Promise<readonly Tool[]>,
  ) {}

  /** For this conversation alone, from the next turn on; a stricter mode counts at once. */
  choose({ model, mode }: Choice): void {
    this.overrides = {
      ...this.overrides,
      ...(model === undefined ? {} : { model }),
      ...(mode === undefined ? {} : { permissionMode: mode }),
    };
  }

  /** All that there are, for those who ask what a tool does to things. */
  async tools(): Promise<WorkspaceToolBox> {
    return makeTools(this.options, this.options.roots, this.blobs, { others: await this.others() });
  }

  settings(): Settings {
    return { ...this.options.settings(), ...this.overrides };
  }

  /** Another session is opened, or none. */
  leave(): Promise<void> {
    this.skillsTold = new SkillNews();
    return this.connection.leave();
  }

  async runPorts({ tools }: TurnLimits = {}): Promise<RunPorts> {
    const { options, blobs, rules, connection } = this;
    const others = async (): Promise<readonly Tool[]> => (options.trusted() ? this.others() : []);
    const limit = (): Settings['permissionMode'] => this.settings().permissionMode;
    const skills = (told: ToldSkills): void => this.skillsTold.found(told);
    const run = await runPorts(options, this.settings(), { blobs, rules, connection, others, limit, skills });
    return tools === 'none'
      ? { ...run, tools: NO_TOOLS, offered: NO_TOOLS.specs, skill_index: NO_SKILLS.text }
      : run;
  }

  /** What a turn that begins now says of skills: once, until it is another. */
  skillNews(): Extension | null {
    return this.skillsTold.take();
  }

  /** What a run of a child uses: the same settings, as far as its parent and its role allow. */
  async childPorts({ mode, timeout_ms, connection, agents }: ChildRunMeans): Promise<RunPorts> {
    const { options, blobs, rules } = this;
    const settings = { ...this.settings(), permissionMode: mode(), turnTimeout: timeout_ms / 1000 };
    const own =
      agents === null
        ? null
        : { agents: new AgentDesk(agents), workflows: workflowRuns(agents, this.workflowMeans()) };
    const others = (): Promise<readonly Tool[]> => childTools(this.workspace(), own);
    return runPorts(options, settings, { blobs, rules, connection, others, limit: mode });
  }

  /** What workflows need of the workspace. */
  workflowMeans(): WorkflowMeans {
    return {
      artifact: async (path, signal) => {
        const { artifactIn } = await import('./workspace-lookup.ts');
        return artifactIn(await this.lookingPorts(), path, signal);
      },
      template: async (asked) => {
        const { specOfTemplate } = await import('./workspace-lookup.ts');
        return specOfTemplate(await this.templates(), asked);
      },
    };
  }

  agentLimits(): AgentLimits {
    const settings = this.settings();
    return {
      max_running: settings['subagents.maxRunning'],
      max_depth: settings['subagents.maxDepth'],
      timeout_ms: settings['subagents.timeout'] * 1000,
    };
  }

  /** What a person can begin a message with. */
  async skills(): Promise<readonly FoundSkill[]> {
    return (await this.skillReading()).find();
  }

  /** The same, with what the model is told of them. */
  async toldSkills(): Promise<ToldSkills> {
    return (await this.skillReading()).told();
  }

  private async skillReading(): Promise<SkillReading> {
    const settings = this.settings();
    const rules = await this.rules.of(settings, this.options.roots.length);
    return new SkillReading(this.options, rules, settings.permissionMode);
  }

  /** The workflows that can be started by their names, and the files that should be one. */
  async templates(): Promise<readonly FoundTemplate[]> {
    const { findTemplates } = await import('./workspace-lookup.ts');
    return findTemplates(await this.lookingPorts());
  }

  private async lookingPorts(): Promise<SkillPorts> {
    const settings = this.settings();
    const rules = await this.rules.of(settings, this.options.roots.length);
    return lookingPorts(this.options, rules, settings.permissionMode);
  }

  /** Whether an editor has changes of a file that are not saved. */
  unsaved(path: string): boolean {
    const { roots, editor } = this.options;
    const workspace = { ...this.workspace(), roots: distinctRoots(roots, process.platform) };
    return isUnsaved(path, editor?.edited() ?? [], workspace);
  }

  private workspace(): Workspace {
    const { roots, storage, trusted } = this.options;
    const { platform } = process;
    return { roots: distinctRoots(trusted() ? roots : [], platform), storageDir: storage, platform };
  }

  async attach(given: readonly Attachment[], { tools }: RunPorts): Promise<Resolved<readonly Attachment[]>> {
    if (given.length === 0) return { ok: true, value: given };
    const { resolveAttachments } = await import('./workspace-lookup.ts');
    const { editor = null } = this.options;
    const reading = await this.reading();
    // A turn without tools is asked about attachments all the same.
    const { options, blobs } = this;
    const looking =
      tools === NO_TOOLS ? await makeTools(options, options.roots, blobs, { rules: reading.rules }) : tools;
    return resolveAttachments(given, { ...reading, editor, tools: looking });
  }

  /** What each of these would carry, as it is on the disk, for whoever prepares a message. Nothing is sent. */
  async lookUp(given: readonly Attachment[]): Promise<readonly Resolved<Attachment>[]> {
    const { resolveAttachment } = await import('./workspace-lookup.ts');
    const ports = { ...(await this.reading()), editor: null, tools: await this.tools() };
    const found: Resolved<Attachment>[] = [];
    for (const attachment of given) found.push(await resolveAttachment(attachment, ports));
    return found;
  }

  /** Whether what was sent would be found the same now. */
  async standingOf(sent: Attachment): Promise<AttachmentStanding> {
    const { standingOf } = await import('./workspace-lookup.ts');
    return standingOf(sent, await this.lookingAround());
  }

  /** What could not be sent of what has just been attached to a draft. */
  async unfit(
    chosen: readonly (Attachment & { readonly id: string })[],
    fresh: readonly string[],
  ): Promise<readonly Unfit[]> {
    const { unfitAttachments } = await import('./workspace-lookup.ts');
    return unfitAttachments(chosen, new Set(fresh), await this.lookingAround());
  }

  private async lookingAround(): Promise<AttachmentPorts> {
    const { options, blobs } = this;
    const reading = await this.reading();
    const tools = await makeTools(options, options.roots, blobs, { rules: reading.rules });
    return { ...reading, editor: options.editor ?? null, tools };
  }

  private async reading(): Promise<Omit<AttachmentPorts, 'editor' | 'tools'>> {
    const settings = this.settings();
    return {
      workspace: this.workspace(),
      rules: await this.rules.of(settings, this.options.roots.length),
      mode: settings.permissionMode,
      signal: new AbortController().signal,
    };
  }
}

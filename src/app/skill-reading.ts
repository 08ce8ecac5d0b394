import type { PermissionRules } from '../runtime/extensions/permissions.ts';
import { permissionFor } from '../runtime/permissions/permission.ts';
import type { Effect } from '../runtime/ports.ts';
import type { PermissionMode } from '../runtime/events.ts';
import type { Activation, SkillShelf } from '../tools/activate-skill.ts';
import { distinctRoots } from '../tools/distinct-roots.ts';
import type { ConversationOptions } from './conversation-options.ts';
import type { SkillPorts } from './skill-shelves.ts';
import type { FoundSkill } from './skills.ts';
import type { ToldSkills } from './told-skills.ts';

type Options = Pick<ConversationOptions, 'roots' | 'home' | 'storage' | 'trusted' | 'logger'>;

/** How skills and templates are looked for: under the rules that hold for tools, and not in a workspace that nobody trusts. */
export function lookingPorts(options: Options, rules: PermissionRules, mode: PermissionMode): SkillPorts {
  const { roots, storage, trusted, logger, home } = options;
  const { platform } = process;
  return {
    workspace: { roots: distinctRoots(trusted() ? roots : [], platform), storageDir: storage, platform },
    home,
    warn: (message) => logger.warn(message),
    mayRead: (path) => !isDenied({ name: 'read_file', effect: 'read', subject: path }, rules, mode),
  };
}

function isDenied(
  call: { readonly name: string; readonly effect: Effect; readonly subject: string },
  rules: PermissionRules,
  mode: PermissionMode,
): boolean {
  return permissionFor(call, { mode, ...rules() }).decision === 'deny';
}

/** The skills of one run, as they are when somebody asks. */
export class SkillReading implements SkillShelf {
  constructor(
    private readonly options: Options,
    private readonly rules: PermissionRules,
    private readonly mode: PermissionMode,
  ) {}

  async find(): Promise<readonly FoundSkill[]> {
    const { findSkills } = await import('./workspace-lookup.ts');
    return findSkills(lookingPorts(this.options, this.rules, this.mode));
  }

  async told(): Promise<ToldSkills> {
    const { toldSkills } = await import('./workspace-lookup.ts');
    return toldSkills(await this.find(), (name) => this.denies(name));
  }

  /** As it is now: it may have changed since the model was told of it. */
  async activate(name: string): Promise<Activation> {
    const { skillOf } = await import('./workspace-lookup.ts');
    const found = await this.find();
    const skill = skillOf(found, name);
    const names = found.flatMap((one) =>
      one.ok && one.for_model && !this.denies(one.name) ? [one.name] : [],
    );
    if (skill === undefined) return { kind: 'unknown', names };
    if (!skill.ok) return { kind: 'unusable', reason: skill.reason, names };
    if (!skill.for_model) return { kind: 'person_only', names };
    const { path, content, content_hash } = skill;
    return { kind: 'found', skill: { name, path, content, content_hash } };
  }

  private denies(name: string): boolean {
    return isDenied({ name: 'activate_skill', effect: 'read', subject: name }, this.rules, this.mode);
  }
}

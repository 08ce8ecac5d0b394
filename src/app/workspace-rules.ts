import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, relative } from 'node:path';
import type { Remembered } from '../runtime/decisions.ts';
import type { PermissionRules } from '../runtime/extensions/permissions.ts';
import { inEveryFolder } from '../runtime/permissions/folder-rules.ts';
import { parseRules, type RuleProblem, type RuleSet } from '../runtime/permissions/rules.ts';
import { RememberedRules, type RememberedTexts } from '../storage/remembered-rules.ts';
import type { Disk } from '../storage/disk.ts';
import { TOOL_NAMES } from '../runtime/tool-names.ts';
import { nodeClock } from './node-ports.ts';
import type { Settings } from './settings.ts';

/** What is wrong with the rules of the settings, and what they mean meanwhile. */
export function ruleProblems({ permissions }: Pick<Settings, 'permissions'>): readonly RuleProblem[] {
  return parseRules(permissions, TOOL_NAMES).problems;
}

/** The rules of a workspace: those of the settings, and those a person had remembered. */
export class WorkspaceRules {
  private readonly remembered: RememberedRules;
  private parsed: { readonly from: RememberedTexts; readonly set: RuleSet } | null = null;

  constructor(
    disk: Disk,
    private readonly storage: string,
    private readonly failed: (reason: string) => void,
  ) {
    this.remembered = new RememberedRules(disk, nodeClock, `${storage}/permissions.jsonl`);
  }

  async remember(rules: Remembered): Promise<void> {
    try {
      await this.remembered.add(rules);
    } catch (error) {
      this.failed(error instanceof Error ? error.message : String(error));
    }
  }

  /** The rules for one run, in a workspace of so many folders. What is remembered meanwhile counts at once. */
  async of(settings: Pick<Settings, 'permissions'>, folders: number): Promise<PermissionRules> {
    await this.remembered.load();
    const written = parseRules(settings.permissions, TOOL_NAMES);
    const rules = folders > 1 ? inEveryFolder(written) : written;
    const shell = process.platform === 'win32' ? 'powershell' : 'posix';
    const storage = spellings(this.storage);
    return () => ({ rules, remembered: this.rememberedSet(), shell, storage });
  }

  private rememberedSet(): RuleSet {
    const { texts: from, path } = this.remembered;
    if (this.parsed?.from === from) return this.parsed.set;
    const set = withUnreadable(
      parseRules({ allow: from.allow, ask: [], deny: from.deny }, TOOL_NAMES),
      from,
      path,
    );
    this.parsed = { from, set };
    return set;
  }
}

/** As it is given, where links lead, and from the person's own folder. */
function spellings(storage: string): readonly string[] {
  const places = new Set([storage, existsSync(storage) ? realpathSync.native(storage) : storage]);
  const fromHome = [...places]
    .map((place) => relative(homedir(), place))
    .filter((path) => path !== '' && !path.startsWith('..') && !isAbsolute(path))
    .map((path) => `~/${path}`);
  return [...places, ...fromHome].map((place) => place.replaceAll('\\', '/'));
}

function withUnreadable(set: RuleSet, { unreadable }: RememberedTexts, path: string): RuleSet {
  return {
    ...set,
    ask: [...set.ask, ...unreadable.map(({ text }) => ({ text, tool: null, glob: null }))],
    problems: [
      ...set.problems,
      ...unreadable.map(({ line, text }) => ({
        text,
        list: 'ask' as const,
        message: `Line ${line} of ${path} cannot be read, so every call is asked. Correct or remove the line.`,
      })),
    ],
  };
}

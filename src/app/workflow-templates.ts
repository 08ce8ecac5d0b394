import { readdir } from 'node:fs/promises';
import type { Mistake } from '../runtime/workflows/fields.ts';
import { quoted } from '../runtime/workflows/fields.ts';
import type { ParsedSpec } from '../runtime/workflows/spec.ts';
import { parseTemplate, specFrom, type WorkflowTemplate } from '../runtime/workflows/template.ts';
import { readWhole } from '../tools/opened-files.ts';
import { pathsOf } from '../tools/path-syntax.ts';
import { systemCode } from '../tools/tool-faults.ts';
import { resolvePath, type Workspace } from '../tools/workspace-paths.ts';
import { foldersIn, shelvesOf, type SkillPorts } from './skill-shelves.ts';

const FOLDER = 'workflows';
const OWN = ['.ledgerline', FOLDER] as const;
const ENDING = '.json';

export const TEMPLATE_LIMITS = { count: 200, bytes: 512 * 1024 } as const;

/** A file that should be a template. What is wrong with one is told, and it is not left out. */
export type FoundTemplate = {
  /** What it is called by: the name of its file, after that of its skill if it is in one. */
  readonly name: string;
  /** Where it is, as people and rules know it. */
  readonly path: string;
  /** Where to look at it. */
  readonly file: string;
  readonly skill: string | null;
} & (
  | { readonly ok: true; readonly template: WorkflowTemplate }
  | { readonly ok: false; readonly mistakes: readonly Mistake[] }
);

/**
 * The templates there are: those of the workspace first, then those in skills, the person's own before others. They are read,
 * and nothing in them runs.
 */
export async function findTemplates(ports: SkillPorts): Promise<readonly FoundTemplate[]> {
  const found = new Map<string, FoundTemplate>();
  const doubles: FoundTemplate[] = [];
  for (const place of await placesIn(ports))
    for (const file of await filesIn(place, ports.warn)) {
      const template = await templateIn(file, place, ports.mayRead);
      const other = found.get(template.name);
      if (other === undefined) found.set(template.name, template);
      else doubles.push(doubleOf(template, other));
    }
  return [...found.values(), ...doubles].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Pure: the workflow that is asked for by the name of a template. */
export function specOfTemplate(
  templates: readonly FoundTemplate[],
  {
    template,
    parameters,
  }: { readonly template: string; readonly parameters: Readonly<Record<string, unknown>> },
): ParsedSpec {
  const found = templates.find(({ name }) => name === template) ?? meantBy(templates, template);
  if (found?.ok === true) return specFrom(found.template, parameters);
  if (found?.ok === false)
    return { ok: false, mistakes: [{ at: 'template', message: 'cannot be used' }, ...found.mistakes] };
  const names = templates.filter(({ ok }) => ok).map(({ name }) => name);
  const message =
    names.length === 0
      ? `is ${quoted(template)}, and there are no templates here`
      : `is ${quoted(template)}, and the templates are ${names.join(', ')}`;
  return { ok: false, mistakes: [{ at: 'template', message }] };
}

/** Pure: the one template that a name can mean which is not quite its own: of its file, or what is written in it. */
function meantBy(templates: readonly FoundTemplate[], wanted: string): FoundTemplate | undefined {
  const [only, ...others] = templates.filter((one) => {
    const { name, path } = one;
    const written = one.ok ? [one.template.title, one.template.body['id']] : [];
    return [name.split('/').at(-1), `${name}${ENDING}`, path, ...written].includes(wanted);
  });
  return others.length === 0 ? only : undefined;
}

interface Place {
  readonly folder: string;
  readonly skill: string | null;
  /** Where links may lead. */
  readonly within: Workspace;
  readonly display: (inside: string) => string;
}

async function placesIn(ports: SkillPorts): Promise<readonly Place[]> {
  const { workspace } = ports;
  const paths = pathsOf(workspace.platform);
  const places: Place[] = workspace.roots.map(({ path }) => ({
    folder: paths.join(path, ...OWN),
    skill: null,
    within: workspace,
    display: (file) => file,
  }));
  for (const shelf of await shelvesOf(ports)) {
    const { within, display } = shelf;
    for (const { name, path } of (await foldersIn(shelf)).folders)
      places.push({ folder: paths.join(path, FOLDER), skill: name, within, display });
  }
  return places;
}

interface TemplateFile {
  readonly name: string;
  readonly file: string;
  readonly skill: string | null;
}

async function filesIn({ folder, skill }: Place, warn: SkillPorts['warn']): Promise<readonly TemplateFile[]> {
  try {
    const names = (await readdir(folder)).filter((name) => name.endsWith(ENDING)).toSorted();
    const { count } = TEMPLATE_LIMITS;
    if (names.length > count)
      warn(`${folder} has ${names.length} files: only the first ${count} by name are looked at`);
    return names.slice(0, count).map((file) => {
      const base = file.slice(0, -ENDING.length);
      return { name: skill === null ? base : `${skill}/${base}`, file: `${folder}/${file}`, skill };
    });
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    // Most folders have none; one that cannot be read keeps nobody from what else there is.
    if (code !== 'ENOENT' && code !== 'ENOTDIR') warn(`workflows could not be looked for: ${String(error)}`);
    return [];
  }
}

async function templateIn(
  { name, file, skill }: TemplateFile,
  { within, display }: Place,
  mayRead: SkillPorts['mayRead'],
): Promise<FoundTemplate> {
  const place = resolvePath(within, file);
  if (!place.ok) return unusable({ name, path: file, file, skill }, place.error.message);
  const known = { name, path: display(place.value.display), file, skill };
  if (!mayRead(known.path)) return unusable(known, 'A rule keeps it from being read.');
  const { platform } = within;
  const { signal } = new AbortController();
  const read = await readWhole(place.value, { platform, limit: TEMPLATE_LIMITS.bytes, signal });
  if (!read.ok) return unusable(known, read.error.message);
  try {
    const value: unknown = JSON.parse(read.value.bytes.toString('utf8').replace(/^\uFEFF/u, ''));
    return { ...known, ...parseTemplate(value) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return unusable(known, `is not JSON: ${error.message}`);
  }
}

function unusable(
  known: Pick<FoundTemplate, 'name' | 'path' | 'file' | 'skill'>,
  message: string,
): FoundTemplate {
  return { ...known, ok: false, mistakes: [{ at: 'file', message }] };
}

function doubleOf({ name, path, file, skill }: FoundTemplate, other: FoundTemplate): FoundTemplate {
  return unusable({ name, path, file, skill }, `has the name of another template: ${other.path}`);
}

import * as z from 'zod';
import type { ActiveSkill } from '../runtime/ports.ts';
import { fault, ok, type ToolFault } from './tool-faults.ts';
import { defineTool, failed, type Tool } from './tool.ts';

/** What comes of a name, with the names that would do where it does not. */
export type Activation =
  | { readonly kind: 'found'; readonly skill: ActiveSkill }
  | { readonly kind: 'unknown' | 'person_only'; readonly names: readonly string[] }
  | { readonly kind: 'unusable'; readonly reason: string; readonly names: readonly string[] };

/** Where skills are read. */
export interface SkillShelf {
  activate(name: string): Promise<Activation>;
}

const NAMES_TOLD = 50;

const ActivateSkill = z.strictObject({
  name: z.string().min(1).max(65).describe('Name of the skill, as it is listed.'),
});

/** Gives the turn a skill. Its text goes on record beside the output, and reaches the model from there, once. */
export function activateSkillTool(shelf: SkillShelf): Tool {
  return defineTool({
    name: 'activate_skill',
    description:
      'Brings the whole text of a skill into this turn. Use it when the listed use of a skill fits the request, before ' +
      'you begin. The skill counts for this turn alone; activate it again in a later turn that needs it.',
    effect: 'read',
    schema: ActivateSkill,
    // Two calls for one skill run one after the other: the second has to know that it is active.
    target: ({ name }) => ok({ subject: nameIn(name), writes: [`skill:${nameIn(name)}`] }),
    async run({ name: given }) {
      const name = nameIn(given);
      const activation = await shelf.activate(name);
      if (activation.kind !== 'found') return failed(refusal(name, activation));
      const output = `The skill ${name} is active for this turn. Its text follows as a note.`;
      return { kind: 'success', output, changes: [], activates: activation.skill };
    },
  });
}

/** People call it with a slash, and so may a model that read them. */
function nameIn(given: string): string {
  return given.replace(/^\//u, '');
}

function refusal(name: string, activation: Exclude<Activation, { kind: 'found' }>): ToolFault {
  const { error } = fault(
    KINDS[activation.kind],
    `${reasonOf(name, activation)} ${namesText(activation.names)}`,
  );
  return error;
}

const KINDS = {
  unknown: 'unknown_skill',
  unusable: 'skill_unusable',
  person_only: 'skill_not_for_model',
} as const;

function reasonOf(name: string, activation: Exclude<Activation, { kind: 'found' }>): string {
  switch (activation.kind) {
    case 'unknown':
      return `There is no skill ${JSON.stringify(name)}.`;
    case 'unusable':
      return `The skill ${name} cannot be used. ${activation.reason}`;
    case 'person_only':
      return `Only the person can call the skill ${name}, by beginning a message with /${name}.`;
  }
}

function namesText(names: readonly string[]): string {
  if (names.length === 0) return 'There are no skills that you can activate.';
  const rest = names.length - NAMES_TOLD;
  const more = rest > 0 ? ` and ${rest} more` : '';
  return `The skills that you can activate are: ${names.slice(0, NAMES_TOLD).join(', ')}${more}.`;
}

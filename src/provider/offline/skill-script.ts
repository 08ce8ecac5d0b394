import { resultOf } from './call-round.ts';
import { inline, quoted } from './quotes.ts';
import { call, say, type ScriptStep } from './script-step.ts';
import type { TurnView } from './turn-view.ts';

/** Answers from the text of a skill, and activates it first where the turn does not have it. */
export function skillStep(name: string, { calls, skills }: TurnView): ScriptStep {
  const words = skills.get(name);
  if (words !== undefined) return say(`The skill \`${inline(name)}\` says:\n${quoted(bodyOf(words))}`);
  const [made] = calls;
  if (made === undefined)
    return call(`I will activate the skill \`${inline(name)}\`.`, { name: 'activate_skill', args: { name } });
  return say(resultOf(made, name));
}

/** What stands after its front matter. */
function bodyOf(words: string): string {
  return words.replace(/^\uFEFF?---[^]*?\n---[ \t]*\r?\n/u, '').trim();
}

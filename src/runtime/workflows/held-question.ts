import type { Suspension } from '../events.ts';
import { isRaw } from '../line-rules.ts';
import { WORKFLOW_HELD } from '../turn-calls.ts';
import { resultOf } from './result.ts';
import { isHeld, type StepAnswer, type StepState, type WorkflowState } from './state.ts';

/** What a workflow asks when nothing of it can run any more without a person. */

/** What is told of a step in a question; the rest is in its transcript. */
const LONGEST_WORDS = 1_500;
/** Those beyond are asked about next time. */
const MOST_ASKED = 20;
/** Before the id of a step, for the field that takes the answer to it. */
const TO_STEP = 'answer:';

export function heldSteps({ steps }: WorkflowState): readonly StepState[] {
  return steps.filter(({ status }) => isHeld(status));
}

/** Pure: the question; null where no step is held. One step is asked for words, several with a small form. */
export function heldQuestion(workflow: WorkflowState): Omit<Suspension, 'id'> | null {
  const steps = heldSteps(workflow).slice(0, MOST_ASKED);
  const [only] = steps;
  if (only === undefined) return null;
  const { workflow_id, name } = workflow;
  return {
    reason: WORKFLOW_HELD,
    message: [`The workflow ${name} needs you to go on.`, ...steps.map(askedBy)].join('\n\n'),
    parameters: {
      workflow_id,
      steps: steps.map(({ id, status, result, subagent_id, child_session_id }) => ({
        id,
        status,
        summary: result?.summary ?? '',
        subagent_id,
        child_session_id,
      })),
      /** What it comes to if nobody answers. */
      result: resultOf(workflow),
    },
    response_schema: steps.length === 1 ? ONE_ANSWER : formOf(steps),
    resume_mode: 'pass_decision_to_tool',
  };
}

function askedBy({ id, status, result }: StepState): string {
  const head = status === 'held' ? `The step ${id} is held.` : `The step ${id} needs a decision.`;
  const words = [result?.summary ?? '', result?.reason ?? ''].filter((text) => text.trim() !== '');
  return [head, ...words.map(shortened)].join('\n\n');
}

function shortened(text: string): string {
  return text.length > LONGEST_WORDS ? `${text.slice(0, LONGEST_WORDS).toWellFormed()}…` : text;
}

const ONE_ANSWER = {
  type: 'string',
  description: 'What the step is told. It goes on with these words.',
} as const;

function formOf(steps: readonly StepState[]): Readonly<Record<string, unknown>> {
  const answers = steps.map(({ id }) => [
    `${TO_STEP}${id}`,
    { type: 'string', title: id, description: 'What the step is told. Without words it stays held.' },
  ]);
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(answers),
      skip: {
        type: 'array',
        title: 'Skip these steps',
        description: 'What depends on them does not run.',
        items: { enum: steps.map(({ id }) => id) },
      },
      finish: { type: 'boolean', title: 'Finish with what there is' },
    },
  };
}

export type HeldAnswer =
  /** Nothing that would be an answer: the question stays. */
  | { readonly kind: 'none' }
  /** The workflow is over as it is. */
  | { readonly kind: 'finish' }
  | { readonly kind: 'answers'; readonly answers: ReadonlyMap<string, StepAnswer> };

/**
 * Pure: what a decision says to the steps that are held. Besides what the question takes, it may be
 * `{answers: {<step>: {action, text}}, finish}`. To resume and leave the result out lets all of them go on, as it
 * approves elsewhere; a result that says nothing lets none.
 */
export function readHeldAnswer(workflow: WorkflowState, given: unknown): HeldAnswer {
  const held = heldSteps(workflow).map(({ id }) => id);
  const [first, ...others] = held;
  if (given === undefined && first !== undefined)
    return { kind: 'answers', answers: new Map(held.map((id) => [id, goOn('')])) };
  if (typeof given === 'string') {
    const isForOne = first !== undefined && others.length === 0 && given.trim() !== '';
    return isForOne ? { kind: 'answers', answers: new Map([[first, goOn(given)]]) } : { kind: 'none' };
  }
  if (!isRaw(given)) return { kind: 'none' };
  if (given['finish'] === true) return { kind: 'finish' };
  const answers = new Map(
    held.flatMap((id) => {
      const answer = answerTo(id, given);
      return answer === null ? [] : [[id, answer] as const];
    }),
  );
  return answers.size === 0 ? { kind: 'none' } : { kind: 'answers', answers };
}

function answerTo(id: string, given: Readonly<Record<string, unknown>>): StepAnswer | null {
  const { skip, answers } = given;
  if (Array.isArray(skip) && skip.includes(id)) return { action: 'skip', text: '' };
  const told = isRaw(answers) && Object.hasOwn(answers, id) ? answers[id] : given[`${TO_STEP}${id}`];
  if (typeof told === 'string') return told.trim() === '' ? null : goOn(told);
  if (!isRaw(told)) return null;
  const text = typeof told['text'] === 'string' ? told['text'] : '';
  if (told['action'] === 'skip') return { action: 'skip', text };
  return told['action'] === 'go_on' ? goOn(text) : null;
}

function goOn(text: string): StepAnswer {
  return { action: 'go_on', text };
}

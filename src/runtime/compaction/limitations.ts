import type { CompactionRecord, CompactionStrategy } from '../context-events.ts';
import type { RangeFacts } from './range-facts.ts';

interface Telling {
  readonly strategy: CompactionStrategy;
  readonly left_out: readonly string[];
  readonly fallback: CompactionRecord['fallback'];
}

/** Also found again by the next checkpoint, which tells it on. */
export const BY_MODEL_BEFORE =
  'Parts of what is told from before were written by a model: they may be wrong or incomplete.';

/** What a checkpoint does not tell. Always stated: whoever reads it must know what it is not. */
export function limitationsOf(
  facts: Pick<RangeFacts, 'lost' | 'skills_dropped' | 'earlier' | 'earlier_by_model' | 'images'>,
  { strategy, left_out, fallback }: Telling,
): readonly string[] {
  const { lost, skills_dropped, earlier, earlier_by_model, images } = facts;
  return [
    strategy === 'deterministic_v1'
      ? 'Made by rules from the log: beginnings of requests and answers are quoted, and the rest is left out.'
      : 'Written by a model from excerpts of the log: it may be wrong or incomplete. Lists of files, tasks and decisions are from the log.',
    ...(earlier_by_model && strategy === 'deterministic_v1' ? [BY_MODEL_BEFORE] : []),
    ...(earlier === null ? [] : ['What earlier checkpoints left out is left out here as well.']),
    ...(fallback === undefined
      ? []
      : [`A summary by a model was asked for and could not be made (${fallback.kind}).`]),
    'Files and command results may have changed since: look again before relying on them.',
    ...(lost.outputs > 0 ? [outputsNotRepeated(lost)] : []),
    ...(lost.reasoning > 0 ? ['The reasoning behind these answers is not sent any more.'] : []),
    ...counted(
      lost.images,
      '1 image of these messages is not sent any more.',
      `${lost.images} images of these messages are not sent any more.`,
    ),
    ...counted(
      images.length,
      '1 image from before is not in the input: look at it again with view_image and its reference.',
      `${images.length} images from before are not in the input: look at one again with view_image and its reference.`,
    ),
    ...counted(
      lost.listed_images,
      '1 image longest ago left out of the list.',
      `${lost.listed_images} images longest ago left out of the list.`,
    ),
    ...(lost.failed_turns > 0 ? ['Text of answers that failed or were cut off is not quoted.'] : []),
    ...(skills_dropped.length > 0
      ? [
          `Skills that were active only in this range are not in force any more, unless they are activated again: ${skills_dropped.join(', ')}.`,
        ]
      : []),
    ...counted(
      lost.files,
      '1 changed file longest ago left out of the list.',
      `${lost.files} changed files longest ago left out of the list.`,
    ),
    ...counted(
      lost.decisions,
      '1 decision longest ago left out of the list.',
      `${lost.decisions} decisions longest ago left out of the list.`,
    ),
    ...counted(
      lost.tasks,
      '1 open task at the end left out of the list.',
      `${lost.tasks} open tasks at the end left out of the list.`,
    ),
    ...left_out,
  ];
}

/** Whole sentences, because they are found again by their text when they are translated. */
function counted(n: number, one: string, many: string): readonly string[] {
  if (n <= 0) return [];
  return [n === 1 ? one : many];
}

function outputsNotRepeated({ outputs, output_bytes }: RangeFacts['lost']): string {
  const size = Math.ceil(output_bytes / 1024);
  return outputs === 1
    ? `The output of 1 tool call (${size} KB) is not repeated. Call the tool again where it matters.`
    : `The output of ${outputs} tool calls (${size} KB) is not repeated. Call the tool again where it matters.`;
}

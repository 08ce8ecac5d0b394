import type { StepState } from './state.ts';
import { unreachable } from '../unreachable.ts';

const REPORT = 'Finish the task you were given, then report with report_checkpoint.';

/** Pure: what a child is told that goes on with its step. A person's words are passed on as they are. */
export function goingOnWords({ begins, answers }: StepState): string {
  switch (begins) {
    case 'answered': {
      const words = answers.findLast(({ action }) => action === 'go_on')?.text ?? '';
      return words.trim() === '' ? `Go on. ${REPORT}` : words;
    }
    case 'partial':
      return `The workflow goes on, and what you have so far is partial. ${REPORT}`;
    case 'interrupted':
    case 'anew':
      return `You were interrupted before you had finished. ${REPORT}`;
    default:
      return unreachable(begins);
  }
}

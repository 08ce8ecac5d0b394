import { inline, quoted } from './quotes.ts';
import { call, say, type ScriptStep } from './script-step.ts';
import type { CallView } from './turn-view.ts';

/**
 * The demonstration of a whole task: find a marked bug, read, test, edit, test again, report. Nothing is
 * known in advance but the form of the mark: a comment `BUG: ... <wrong> instead of <right>` right above
 * the line that has the wrong word. Each step follows from the results of the steps before it.
 */

const TEST_COMMAND = 'npm test';
const MARK = 'BUG:';

export function fixStep(calls: readonly CallView[]): ScriptStep {
  const made = (name: string): CallView | undefined => calls.find((one) => one.name === name);
  const edit = made('edit_file');
  const denied = calls.find(({ outcome }) => outcome === 'denied');
  if (denied !== undefined) return say(stopped(denied, edit));
  const search = made('search_text');
  if (search === undefined) {
    const text = `I will look for a comment that starts with \`${MARK}\`.`;
    return call(text, { name: 'search_text', args: { pattern: MARK } });
  }
  if (search.outcome === 'failed') return say(`The search failed:\n${quoted(search.output)}`);
  const path = markedPath(search.output);
  if (path === null) {
    return say(`I found no comment with \`${MARK}\` in a source file, so there is nothing I can fix.`);
  }

  const read = made('read_file');
  if (read === undefined) {
    return call(`\`${path}\` has the mark. I will read it.`, { name: 'read_file', args: { path } });
  }
  if (read.outcome === 'failed') return say(`I could not read \`${path}\`:\n${quoted(read.output)}`);
  const change = plannedChange(read.output);
  if (change === null) {
    return say(
      `\`${path}\` has the mark, but not in the form I know: \`${MARK} ... <wrong> instead of <right>\` above the wrong line.`,
    );
  }

  const [before, after] = calls.filter(({ name }) => name === 'run_command');
  const runTests = { name: 'run_command', args: { command: TEST_COMMAND } };
  if (before === undefined) return call('First I will see what the tests say.', runTests);
  if (edit === undefined) {
    const text = `The line \`${inline(change.wrong)}\` should be \`${inline(change.right)}\`. I will change it and remove the mark.`;
    const { old_text, new_text } = change;
    return call(text, { name: 'edit_file', args: { path, old_text, new_text } });
  }
  if (edit.outcome === 'failed') return say(`The edit failed, so nothing is fixed:\n${quoted(edit.output)}`);
  if (after === undefined) return call('The edit is done. Now the tests again.', runTests);
  return say(report(path, change, before, after));
}

/** What a person did not want is not tried in another way. */
function stopped(denied: CallView, edit: CallView | undefined): string {
  const state = edit?.outcome === 'succeeded' ? 'The edit is made, but not tested.' : 'Nothing is fixed.';
  return `\`${denied.name}\` was denied, so I stop. ${state}\n${quoted(denied.output)}`;
}

function report(path: string, change: PlannedChange, before: CallView, after: CallView): string {
  return [
    after.outcome === 'succeeded' ? 'Fixed.' : 'I changed the line, but the tests did not pass.',
    `- \`${path}\`: \`${inline(change.wrong)}\` is now \`${inline(change.right)}\``,
    `- \`${TEST_COMMAND}\` before: ${verdict(before)}`,
    `- \`${TEST_COMMAND}\` after: ${verdict(after)}`,
    '',
    quoted(after.output, { from: 'tail' }),
  ].join('\n');
}

/** A command that ended with another exit code than 0 is a failed call and says which. */
function verdict(run: CallView): string {
  return run.outcome === 'succeeded' ? 'passed' : `failed: ${inline(run.output.split('\n')[0] ?? '')}`;
}

const SOURCE_FILE = /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|c|cc|cpp|h|cs|php|sh)$/iu;

/** The file of the first hit in source code: hits are lines of `path:line: text`. */
function markedPath(output: string): string | null {
  for (const line of output.split('\n')) {
    const path = /^(.+?):\d+: /u.exec(line)?.[1];
    if (path !== undefined && SOURCE_FILE.test(path)) return path;
  }
  return null;
}

interface PlannedChange {
  readonly wrong: string;
  readonly right: string;
  readonly old_text: string;
  readonly new_text: string;
}

function plannedChange(file: string): PlannedChange | null {
  const lines = file.split('\n');
  const at = lines.findIndex((line) => line.includes(MARK));
  const mark = lines[at];
  const code = lines[at + 1];
  const [, wrongWord, rightWord] = /BUG:.*?(\S+) instead of (\S+)/u.exec(mark ?? '') ?? [];
  if (mark === undefined || code === undefined || wrongWord === undefined || rightWord === undefined)
    return null;
  const wrong = code.trim();
  const word = new RegExp(`(?<!\\w)${escaped(wrongWord)}(?!\\w)`, 'u');
  const right = wrong.replace(word, () => rightWord.replace(/[.,;:!?]+$/u, ''));
  if (right === wrong) return null;
  // The line takes the place of its mark, indentation included.
  return { wrong, right, old_text: `${mark.trimStart()}\n${code.trimEnd()}`, new_text: right };
}

function escaped(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
}

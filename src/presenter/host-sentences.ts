/** Puts words into the person's language by their English text; `{0}`, `{1}` stand for the values. */
export type Translate = (message: string, ...values: string[]) => string;

/**
 * Sentences that the lower layers put together. They reach a presenter, and the log, as finished
 * English; here is what is needed to find their translation again.
 */
export const SENTENCES: readonly string[] = [
  // Several in a row, before those that could be taken for the first of them.
  'The skill {0} cannot be used. {1} Nothing was sent.',
  '{0} Nothing was sent: remove the attachment and send again.',
  '{0} Nothing was sent.',
  '{0} Nothing was changed.',
  '{0} Nothing is sent until it is corrected.',
  '{0} Until it is corrected, Ledgerline only reads.',
  '{0} It is ignored until it is corrected.',
  '{0} What its commands did cannot be undone here.',
  '{0} Nothing after the last event shown was recorded; what was running is ended.',
  '{0} Retry {1} in {2} ms.',
  '{0} Damaged lines are left out.',
  '{0} Opening the session closes the last one honestly.',
  '{0} No continuation was reset.',
  '{0} Continuations were reset: {1}.',
  'It does not begin with a block between two lines of ---.',
  'Its name may have lower-case letters, digits and hyphens only.',
  'It has no description, which says when to use it.',
  'A rule keeps it from being read.',
  'You had approved this, but its window ended or lost the session before it started. {0}',
  'You had approved this, but its window ended or lost the session before it started.',
  '{0} changed after you approved this. {1}',
  '{0} changed after you approved this.',
  'This rule cannot be read: {0}. {1} Write a tool, such as write_file, or a tool with a glob, such as run_command(npm test*).',
  'Until it is corrected, every call of every tool is asked.',
  'Until it is corrected, every call of every tool is denied.',
  'Until it is corrected, every call of {0} is asked.',
  'Until it is corrected, every call of {0} is denied.',
  'No tool is called {0}. It allows nothing. The tools are {1}.',
  'No tool is called {0}. It counts for a tool of that name only. The tools are {1}.',
  // What a running turn does.
  'Waiting for the model, attempt {0}',
  'Trying again in {0} s ({1})',
  'Running {0} tools',
  // How a turn ended.
  'The model made the same calls {0} rounds in a row.',
  'Every call failed {0} rounds in a row.',
  'The turn reached its limit of {0} rounds.',
  'The turn used its budget of {0} tokens.',
  'The turn did not finish within its budget of {0} s.',
  // What is asked, and why.
  'Run {0}?',
  'Allow {0} on {1}?',
  'The rule {0} in ledgerline.permissions asks about this.',
  'The rule {0} in ledgerline.permissions may ask about this.',
  'The remembered rule {0} asks about this.',
  'The remembered rule {0} may ask about this.',
  'This command may change {0}, which directs editors and agents here, so it is asked in every mode.',
  'This command names {0}, which may hold secrets or is inside version control, so it is asked in every mode.',
  'This command names {0}, which is where Ledgerline keeps its logs, so it is asked in every mode.',
  'This command line is not understood well enough to apply rules to it ({0}), so it is asked in every mode.',
  '{0} changes how editors and agents behave here, so it is asked in every mode.',
  '{0} was running when its window ended or lost the session. Whether it finished is unknown.',
  'End process {0}',
  // Why a session cannot be written to, or something was not done.
  'Line {0} of the log is damaged ({1}). The session is readable; nothing was changed.',
  'This session is open in another window (process {0} on {1}). You see it live, but cannot send.',
  'This session is open in another window (process {0}). You see it live, but cannot send.',
  'This session is open in another window. You see it live, but cannot send.',
  'The session could not be opened. {0}',
  'The session “{0}” could not be opened. {1}',
  'The session {0} was deleted: it is in the trash.',
  'There is no session {0} here.',
  'Ledgerline failed here: {0}. The log up to here is safe; the output channel has the details.',
  'Ledgerline could not do this: {0}. The log up to here is safe.',
  'The message was not understood and changed nothing. {0}',
  'This version has no command {0} for a button.',
  'The decision counts, but it could not be remembered ({0}).',
  'Nothing waits for a decision under {0}.',
  'The decision {0} has been made about something else.',
  '{0} was asked again since, as {1}.',
  'This cannot be resumed with {0}.',
  'The action is "resume", but its result is {0}. Send "resume" without a result to approve, or "cancel" to deny.',
  'The action is {0}; only "resume" and "cancel" decide.',
  '{0} has been decided already.',
  'The call {0} has its result already.',
  '{0} has its result already.',
  '{0} The field is {1}.',
  'The answer has no {0}, which the question needs.',
  'The answer is {0}, but the question takes only an object with {1}.',
  'The answer is {0}, but the question takes only one of these: {1}.',
  'The answer is {0}, but the question takes only a list of these: {1}.',
  'The answer is {0}, but the question takes only true or false.',
  'The answer is {0}, but the question takes only a number.',
  'The answer is {0}, but the question takes only a whole number.',
  'The answer is {0}, but the question takes only text.',
  'The answer is {0}, but the question takes only a whole number ({1}).',
  'The answer is {0}, but the question takes only a number ({1}).',
  'Line {0} of {1} cannot be read, so every call is asked. Correct or remove the line.',
  '{0} in your settings is not valid. {1}',
  '{0} in the settings of the workspace is not valid. {1}',
  '{0} in the settings of the folder is not valid. {1}',
  // What was not attached.
  'At most {0} attachments fit into a message.',
  'At most {0} images fit into a message.',
  'The attachments have {0} of text; {1} fit.',
  '{0} is no PNG, JPEG, GIF or WebP image.',
  '{0} has {1}; an image may have {2}.',
  'A rule keeps {0} from being read ({1}).',
  '{0} is not text ({1}), so it cannot be attached.',
  '{0} may hold secrets or belongs to version control, so it is not attached.',
  '{0} is outside the workspace, so it is not attached.',
  '{0} does not exist any more.',
  '{0} says neither what it is nor where it is.',
  '{0} is empty, so there is no line {1}.',
  '{0} has only 1 line, so there is no line {1}.',
  '{0} has only {1} lines, so there is no line {2}.',
  '{0} could not be listed. {1}',
  '{0} is too large: a file may have {1}.',
  'Problems ({0})',
  // What was not undone, or cannot be shown.
  '{0}: its former content is no longer in storage.',
  '{0}: changed since, so it was left as it is.',
  '{0}: no longer there, so there is nothing to take back. If you renamed or moved it, delete it where it is now.',
  '{0}: no longer there. It was deleted, renamed or moved since: put it back under this name, then undo again.',
  '{0}: something else changed it between the edits, so only those after that were taken back.',
  'Everything that this turn changed was undone before.',
  '{0} was undone before.',
  'This turn did not change {0}.',
  'The content of {0} before the change is no longer in storage.',
  '{0} was changed since, and its content right after the change is not known any more.',
  '{0} is not text, so there is no diff of it.',
  // What the file system did not do.
  '{0} does not exist. Use list_files to see what is there.',
  '{0} does not exist: a part of the path is a file, not a folder.',
  '{0} is a folder. Use list_files to look inside.',
  '{0} is a link that leads back to itself.',
  '{0}... is too long for the file system.',
  'Permission denied: {0}. The user has to change its permissions.',
  '{0} is on a read-only file system; it cannot be written.',
  'The disk is full: {0} was not written. The user has to free space.',
  'The file system refused {0}: {1}.',
  '{0} is read-only. The user has to change its permissions.',
  '{0} was changed by someone else meanwhile. Read it again.',
  '{0} is no longer there, so the change was not taken back.',
  '{0} was changed since, so the change was not taken back.',
  'The former content of {0} is not what was recorded; nothing was changed.',
  // What the log records beside the conversation.
  'Undo was asked for: {0}.',
  'The last write was cut off. Its {0} bytes were set aside in {1}.',
  'Process {0}, which {1} had started, is ended on request.',
  'The log cannot be read: {0}',
  'The log is damaged: {0}.',
  // What the checks of a session found.
  '1 turn, with the evidence of how it ended.',
  '{0} turns, each with the evidence of how it ended.',
  '1 request continued another.',
  '{0} requests continued another.',
  '1 call waiting for a person.',
  '{0} calls waiting for a person.',
  '1 call of which nobody knows whether it took effect.',
  '{0} calls of which nobody knows whether they took effect.',
  '1 call without a result in a finished turn.',
  '{0} calls without a result in a finished turn.',
  '1 turn without evidence of an end.',
  '{0} turns without evidence of an end.',
  '1 failed turn, recorded as such.',
  '{0} failed turns, recorded as such.',
  '1 interrupted turn, recorded as such.',
  '{0} interrupted turns, recorded as such.',
  '1 partial answer, kept as evidence and not sent to the model.',
  '{0} partial answers, kept as evidence; none is sent to the model.',
  '1 truncated answer, cut off at the output limit before the model was done.',
  '{0} truncated answers, cut off at the output limit before the model was done.',
  '1 unknown event, written by a later version: kept as it is and not sent.',
  '{0} unknown events, written by a later version: kept as they are and not sent.',
  '1 subagent timed out before it was done.',
  '{0} subagents timed out before they were done.',
  '1 gap in workflows that are over.',
  '{0} gaps in workflows that are over.',
  '1 move in the log that the state tables do not have.',
  '{0} moves in the log that the state tables do not have.',
  '1 end of a subagent without its evidence.',
  '{0} ends of subagents without their evidence.',
  '{0} findings: moves that the state tables do not have, and ends of subagents without evidence.',
  '1 continuation not used, without a reason on record.',
  '{0} continuations not used, without a reason on record.',
  'No live process could end {0}.',
  'Line {0} is damaged: {1}. The session opens read-only; nothing was changed.',
  'The last write was cut off: {0} bytes will be set aside when the session opens.',
  // What such a check found.
  'second call {0}',
  'second result of call {0}',
  'result of unknown or settled call {0}',
  'status of unknown or settled call {0}',
  'call {0}: {1} -> {2}',
  'turn: {0} -> {1}',
  'run: {0} -> {1}',
  'call {0} of {1}',
  'turn {0}',
  'subagent {0}: completed without a summary or a checkpoint',
  'subagent {0}: timed out without its time limit',
  'subagent {0}',
  'workflow {0}',
  'no checkpoint was decided ({0})',
  'the end of the workflow is not on record',
  'continuation without a reset reason',
  // Why a line is damaged.
  'version {0} is not known',
  'seq {0} where {1} was expected',
  // Whatever a command said.
  '{0} failed: {1}',
];

/** Sentences whose last value is one of ours, or several: why something is damaged, or what is open. */
const TELLING: ReadonlySet<string> = new Set([
  'Line {0} of the log is damaged ({1}). The session is readable; nothing was changed.',
  'Line {0} is damaged: {1}. The session opens read-only; nothing was changed.',
  'The log is damaged: {0}.',
  'No live process could end {0}.',
]);

/** Longer texts are what a model or a tool wrote. */
const LONGEST = 2000;

/** Pure: a finished English sentence of a lower layer in the person's language; itself where there is none. */
export function translatedSentence(text: string, t: Translate): string {
  if (text === '' || text.length > LONGEST) return text;
  const whole = t(text);
  if (whole !== text) return whole;
  if (!text.includes('\n')) return withValues(text, t);
  const lines = text.split('\n');
  return lines.map((line) => translatedSentence(line, t)).join('\n');
}

const PATTERNS = SENTENCES.map((sentence) => ({ sentence, pattern: patternOf(sentence) }));

function patternOf(sentence: string): RegExp {
  const fixed = sentence
    .split(/\{\d\}/u)
    .map((part) => part.replaceAll(/[$()*+./?[\\\]^{|}]/gu, String.raw`\$&`));
  return new RegExp(`^${fixed.join('(.+?)')}$`, 'u');
}

function withValues(text: string, t: Translate): string {
  for (const { sentence, pattern } of PATTERNS) {
    const values = pattern.exec(text)?.slice(1);
    if (values === undefined) continue;
    const told = values.map((value, index) => {
      if (isSentence(sentence, index)) return translatedSentence(value, t);
      return TELLING.has(sentence) && index === values.length - 1 ? toldOneByOne(value, t) : value;
    });
    return t(sentence, ...told);
  }
  return text;
}

function toldOneByOne(text: string, t: Translate): string {
  const whole = t(text);
  if (whole !== text) return whole;
  const parts = text.split(', ');
  return parts.map((part) => translatedSentence(part, t)).join(', ');
}

/** A value that stands where a sentence would is one; others are names and numbers. */
function isSentence(sentence: string, index: number): boolean {
  return new RegExp(`(?:^|\\. )\\{${index}\\}(?: [A-Z]|$)`, 'u').test(sentence);
}

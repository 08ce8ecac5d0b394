import { sentence, type Words } from '../../runtime/inspection/spoken-words.ts';
import type { Say } from '../speech.ts';
import { spokenParts, visible, type Transcript, type TranscriptNode } from './transcript-nodes.ts';

/**
 * Pure: a transcript as Markdown. All words of others are in fences and code spans that nothing in them can close, so that no
 * heading, no state and no link of the document is theirs.
 */
export function transcriptMarkdown(transcript: Transcript, say: Say): string {
  const { title, about, sections } = transcript;
  const name = title.trim() === '' ? sentence('Without a message') : title;
  const lines = [
    `# ${inline(sentence('Session: {0}', name), say)}`,
    '',
    ...about.flatMap((node) => nodeLines(node, say)),
    ...sections.flatMap(({ title: heading, nodes }) => [
      '',
      `## ${inline(heading, say)}`,
      '',
      ...nodes.flatMap((node) => nodeLines(node, say)),
    ]),
  ];
  // A fence is one of these, so that nothing in it is changed.
  const spaced = lines.filter((line, index) => line !== '' || lines[index - 1] !== '');
  return `${spaced.join('\n').trimEnd()}\n`;
}

function nodeLines(node: TranscriptNode, say: Say): readonly string[] {
  switch (node.kind) {
    case 'heading':
      return ['', `### ${inline(node.words, say)} (${inline(node.place, say)})`, ''];
    case 'line':
      return [`- ${inline(node.words, say)}`];
    case 'quote':
      return [
        ...(node.label === null ? [] : ['', inline(node.label, say)]),
        '',
        fenced(node.text, node.of === 'answer' || node.of === 'text' ? 'markdown' : 'text'),
        '',
      ];
    case 'image':
      return [`- ${inline(node.label, say)}`];
  }
}

function inline(words: Words, say: Say): string {
  return spokenParts(words, say)
    .map(({ text, foreign }) => (foreign ? codeSpan(text) : text.replaceAll(/\s+/gu, ' ')))
    .join('');
}

/** With more marks around it than it has in a row anywhere. */
function codeSpan(text: string): string {
  const marks = '`'.repeat(longestRun(text) + 1);
  const room = /^`|`$/u.test(text) ? ' ' : '';
  return text === '' ? '(–)' : `${marks}${room}${text}${room}${marks}`;
}

function fenced(text: string, language: string): string {
  const clean = visible(text);
  const marks = '`'.repeat(Math.max(3, longestRun(clean) + 1));
  return `${marks}${language}\n${clean}\n${marks}`;
}

function longestRun(text: string): number {
  return [...text.matchAll(/`+/gu)].reduce((most, [run]) => Math.max(most, run.length), 0);
}

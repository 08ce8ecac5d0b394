import type { HostMessage } from '../presenter/protocol.ts';
import type { Translate } from './translation.ts';

export type Compose = Extract<HostMessage, { type: 'compose' }>;
export type Attachment = Compose['attachments'][number];

/** Lines of a document, whole. Their numbers begin at 1. */
export interface Passage {
  readonly path: string;
  readonly first: number;
  readonly last: number;
  readonly text: string;
}

export type Request = 'explain' | 'fix' | 'ask';

const LONGEST_TEXT = 32_000;
const LONGEST_PROBLEM = 500;
const PROBLEMS = 10;

/** Pure: what goes into the composer. The person reads it, changes it, and sends it or does not. */
export function composedRequest(request: Request, passage: Passage, t: Translate): Compose {
  return compose(wordsFor(request, labelOf(passage), t), selectionAttachment(passage));
}

export function composedFix(passage: Passage, problems: readonly string[], t: Translate): Compose {
  const shown = problems.slice(0, PROBLEMS).map((problem) => `- ${oneLine(problem)}`);
  const more = problems.length - shown.length;
  const lines = [...shown, ...(more > 0 ? [t('- and {0} more', more)] : [])];
  const head =
    problems.length === 1
      ? t('Fix this problem in {0}:', labelOf(passage))
      : t('Fix these problems in {0}:', labelOf(passage));
  return compose([head, ...lines].join('\n'), selectionAttachment(passage));
}

export function compose(text: string, attachment: Attachment): Compose {
  return { v: 1, type: 'compose', text, attachments: [attachment] };
}

function wordsFor(request: Request, label: string, t: Translate): string {
  switch (request) {
    case 'explain':
      return t('Explain {0}.', label);
    case 'fix':
      return t('Find and fix what is wrong in {0}.', label);
    case 'ask':
      return t('About {0}: ', label);
  }
}

export function labelOf({ path, first, last }: Passage): string {
  return first === last ? `${path}:${first}` : `${path}:${first}-${last}`;
}

function selectionAttachment(passage: Passage): Attachment {
  const { path, text } = passage;
  return { kind: 'selection', label: labelOf(passage), path, text: bounded(text, LONGEST_TEXT) };
}

/** Says how much is left out: a cut must not pass for the end. */
export function bounded(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest)}\n[${text.length - longest} more characters are left out]`;
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= LONGEST_PROBLEM ? line : `${line.slice(0, LONGEST_PROBLEM)}…`;
}

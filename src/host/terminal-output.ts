import { bounded, type Attachment } from './selection-attachment.ts';

/** What a command in a terminal wrote: its beginning and its end, whatever its length. */
export interface TerminalOutput {
  readonly command: string;
  readonly head: string;
  readonly tail: string;
  /** Characters between head and tail that are gone. */
  readonly dropped: number;
  /** Null while it runs, or when the shell does not say. */
  readonly exit_code: number | null;
  readonly ended: boolean;
}

const HEAD = 4_000;
const TAIL = 12_000;

export function startedOutput(command: string): TerminalOutput {
  return { command, head: '', tail: '', dropped: 0, exit_code: null, ended: false };
}

/** Pure: bounded, so that a command that writes for hours costs no more than a short one. */
export function withWritten(output: TerminalOutput, raw: string): TerminalOutput {
  const room = Math.max(0, HEAD - output.head.length);
  const head = output.head + raw.slice(0, room);
  const rest = output.tail + raw.slice(room);
  const over = Math.max(0, rest.length - TAIL);
  return { ...output, head, tail: rest.slice(over), dropped: output.dropped + over };
}

/** Pure: null when nothing was written. */
export function outputAttachment(output: TerminalOutput): Attachment | null {
  const { command, head, tail, dropped, exit_code } = output;
  const gap = dropped === 0 ? '' : `\n[${dropped} characters are left out]\n`;
  const text = plainText(dropped === 0 ? head + tail : `${head}${gap}${tail}`).trim();
  if (text === '') return null;
  const exit = exit_code === null ? '' : ` (exit ${exit_code})`;
  return { kind: 'terminal', label: `${command.trim()}${exit}`, text: `$ ${command.trim()}${exit}\n${text}` };
}

export function selectedAttachment(terminal: string, text: string): Attachment | null {
  const plain = plainText(text).trim();
  return plain === '' ? null : { kind: 'terminal', label: terminal, text: bounded(plain, HEAD + TAIL) };
}

const ESC = '\u001B';
const BELL = '\u0007';
/** Titles and marks of the shell integration (OSC), colours and cursor moves (CSI), then what is left of two characters. */
const SEQUENCES = [
  new RegExp(`${ESC}\\][^${BELL}${ESC}]*(?:${BELL}|${ESC}\\\\)`, 'g'),
  new RegExp(`${ESC}\\[[0-?]*[ -/]*[@-~]`, 'g'),
  new RegExp(`${ESC}[ -/]*[0-~]`, 'g'),
];

/** Pure: what a person sees of it, as far as text alone can tell: a line written over counts as its last version. */
export function plainText(raw: string): string {
  return SEQUENCES.reduce((text, pattern) => text.replaceAll(pattern, ''), raw)
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r', line.length - 2) + 1).replace('\r', ''))
    .join('\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '');
}

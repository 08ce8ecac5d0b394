import * as z from 'zod';
import { LineWindow } from './line-window.ts';
import { chunksOf, openFile, type OpenedFile } from './opened-files.ts';
import { approvedPath, pathTarget } from './path-targets.ts';
import { formatBytes, sniff } from './text-encoding.ts';
import { CANCELLED, fault, ok, systemFault, type Result } from './tool-faults.ts';
import type { ToolLimits } from './tool-limits.ts';
import { defineTool, failed, succeeded, type Tool } from './tool.ts';
import type { Workspace, WorkspacePath } from './workspace-paths.ts';

const ReadFile = z
  .strictObject({
    path: z.string().min(1).describe('Path in the workspace.'),
    start_line: z.int().min(1).nullish().describe('First line to read, from 1. Default: 1.'),
    end_line: z.int().min(1).nullish().describe('Last line to read. Default: the end of the file.'),
  })
  .refine((input) => (input.end_line ?? Infinity) >= (input.start_line ?? 1), {
    error: 'end_line is before start_line',
  });

export function readFileTool(workspace: Workspace, limits: ToolLimits): Tool {
  return defineTool({
    name: 'read_file',
    description:
      'Reads a text file. Returns at most 2,000 lines or 32 KiB, then says where to read on. ' +
      'Line ends are shown as LF.',
    effect: 'read',
    schema: ReadFile,
    target: (input) => pathTarget(workspace, input.path, 'reads'),
    async run(input, { signal }, subject) {
      const path = approvedPath(workspace, input.path, subject);
      if (!path.ok) return failed(path.error);
      const range = { from: input.start_line ?? 1, to: input.end_line ?? Infinity };
      const text = await readRange({ path: path.value, range, limits, signal, workspace });
      return text.ok ? succeeded(text.value) : failed(text.error);
    },
  });
}

interface Reading {
  readonly path: WorkspacePath;
  readonly range: { readonly from: number; readonly to: number };
  readonly limits: ToolLimits;
  readonly signal: AbortSignal;
  readonly workspace: Workspace;
}

interface WindowOfFile {
  readonly window: LineWindow;
  /** Lines of the whole file; undefined where reading stopped before its end. */
  readonly total: number | undefined;
}

async function readRange(reading: Reading): Promise<Result<string>> {
  const { path } = reading;
  const opened = await openFile(path, reading.workspace.platform);
  if (!opened.ok) return opened;
  try {
    const found = await collect(opened.value, reading);
    return found.ok ? present(found.value, reading, opened.value.size) : found;
  } catch (error) {
    return { ok: false, error: systemFault(error, path.display) };
  } finally {
    await opened.value.handle.close();
  }
}

/** Files up to this size are read to the end, so that the number of their lines can be told. */
const COUNTED_BYTES = 4 * 1_024 * 1_024;
const SNIFF_BYTES = 8 * 1_024;

async function collect(opened: OpenedFile, reading: Reading): Promise<Result<WindowOfFile>> {
  const { path, range, limits, signal } = reading;
  const window = new LineWindow(range, { lines: limits.readLines, bytes: limits.readBytes });
  let decoder: TextDecoder | undefined;
  let scanned = 0;
  for await (const chunk of chunksOf(opened, signal)) {
    if (decoder === undefined) {
      const sniffed = sniff(chunk.subarray(0, SNIFF_BYTES));
      if (sniffed.kind === 'binary') return binary(path, opened.size, sniffed.what);
      decoder = new TextDecoder(sniffed.encoding);
    }
    if (decoder.encoding === 'utf-8' && !window.past && chunk.includes(0)) {
      return binary(path, opened.size, 'binary data');
    }
    window.push(decoder.decode(chunk, { stream: true }));
    scanned += chunk.length;
    if (window.past && opened.size > COUNTED_BYTES) return ok({ window, total: undefined });
    if (scanned >= limits.readScanBytes && !window.past) {
      return fault(
        'too_large',
        `${path.display} has ${formatBytes(opened.size)}, and the lines asked for are not within its first ` +
          `${formatBytes(limits.readScanBytes)}. Use run_command (sed, tail) instead.`,
      );
    }
  }
  if (signal.aborted) return { ok: false, error: CANCELLED };
  if (decoder !== undefined) window.push(decoder.decode());
  return ok({ window, total: window.finish() });
}

function binary(path: WorkspacePath, size: number, what: string): Result<never> {
  return fault(
    'binary_file',
    `${path.display} is not text: ${what}, ${formatBytes(size)}. Use run_command with a program for it.`,
    { size, what },
  );
}

function present(found: WindowOfFile, reading: Reading, size: number): Result<string> {
  const { window, total } = found;
  const { path, range } = reading;
  if (total === 0 && range.from === 1) return ok(`[${path.display} is empty.]`);
  if (window.lines.length === 0) {
    return fault(
      'invalid_arguments',
      `start_line ${range.from} is past the end: ${path.display} has ${total ?? 0} lines.`,
    );
  }
  const last = range.from + window.lines.length - 1;
  const atEnd = last === total;
  const notes: string[] = [];
  if (range.from > 1 || !atEnd) {
    const whole = total === undefined ? `a file of ${formatBytes(size)}` : String(total);
    notes.push(`${path.display}: lines ${range.from}-${last} of ${whole}.`);
  }
  if (window.cutLine !== undefined) {
    notes.push(`Line ${window.cutLine} is longer than the limit: only its beginning is shown.`);
  }
  if (!atEnd && last < range.to) notes.push(`Read on with start_line=${last + 1}.`);
  const text = window.lines.join('\n') + (window.terminated ? '\n' : '');
  if (text.includes('\uFFFD')) notes.push('Bytes that are not valid text are shown as U+FFFD.');
  return ok(notes.length === 0 ? text : `[${notes.join(' ')}]\n${text}`);
}

import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';
import * as z from 'zod';
import { SKIPPED_FOLDERS } from './ignore-rules.ts';
import { plainEngine } from './plain-search.ts';
import type { FileReceiver, LineMatch, SearchEnd, SearchEngine, SearchRequest } from './search-engine.ts';
import { fault } from './tool-faults.ts';
import { childPath, IgnoreTree, isHidden } from './workspace-walk.ts';
import { denials, type WorkspacePath } from './workspace-paths.ts';

const RgText = z.union([z.object({ text: z.string() }), z.object({ bytes: z.string() })]);

const RgMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('begin'), data: z.object({ path: RgText }) }),
  z.object({
    type: z.literal('match'),
    data: z.object({
      lines: RgText,
      line_number: z.number(),
      submatches: z.array(z.object({ start: z.number() })),
    }),
  }),
  z.object({ type: z.literal('end'), data: z.object({ binary_offset: z.number().nullable() }) }),
  z.object({ type: z.literal('context') }),
  z.object({ type: z.literal('summary') }),
]);

/**
 * The flags make ripgrep independent of the machine: no configuration, no ignore files of its own, one order.
 * What is ignored, denied or hidden is decided here, by the rules that list_files has; the folders that are always
 * skipped are named to ripgrep only so that it need not read them.
 */
export function ripgrepArguments(request: SearchRequest): readonly string[] {
  const { limits, glob } = request;
  return [
    '--json',
    '--no-config',
    '--no-ignore',
    '--hidden',
    '--no-messages',
    '--no-mmap',
    '--crlf',
    '--sort=path',
    '--path-separator=/',
    `--max-filesize=${limits.searchFileBytes}`,
    `--max-count=${limits.searchMatches + 1}`,
    // Only globs that surely mean the same to ripgrep are passed on, to save it reading other files.
    ...(glob !== undefined && /^[\w.*?/-]+$/.test(glob.text) ? [`--glob=${glob.text}`] : []),
    ...SKIPPED_FOLDERS.map((folder) => `--glob=!${folder}/`),
    request.regex ? '--no-fixed-strings' : '--fixed-strings',
    `--regexp=${request.pattern}`,
    '--',
    '.',
  ];
}

export function ripgrepEngine(binary: string): SearchEngine {
  return async (request, receive) => {
    if (request.signal.aborted) return { kind: 'cancelled' };
    const child = spawn(binary, ripgrepArguments(request), {
      cwd: request.start.real,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    return await new RipgrepRun(request, receive, child).end();
  };
}

const REFUSED = 2;

class RipgrepRun {
  private stopped: 'timed_out' | 'cancelled' | 'enough' | undefined;
  private complaint = '';
  private summarised = false;
  private delivered = false;
  private current: { readonly path: WorkspacePath; readonly matches: LineMatch[] } | undefined;
  private readonly ignore: IgnoreTree;
  private readonly isDenied: ReturnType<typeof denials>;

  constructor(
    private readonly request: SearchRequest,
    private readonly receive: FileReceiver,
    private readonly child: ChildProcessByStdio<null, Readable, Readable>,
  ) {
    this.ignore = new IgnoreTree(request);
    this.isDenied = denials(request.workspace);
  }

  async end(): Promise<SearchEnd> {
    const { request, child } = this;
    const timer = setTimeout(() => this.stop('timed_out'), request.limits.searchMs);
    const onAbort = () => this.stop('cancelled');
    request.signal.addEventListener('abort', onAbort, { once: true });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (this.complaint.length < 2_000) this.complaint += text;
    });
    const closed = new Promise<number | null>((resolve) => {
      // What could not be started has no exit code; `close` may then never come.
      child.once('error', () => resolve(null));
      child.once('close', resolve);
    });
    let exitCode: number | null;
    try {
      for await (const line of linesOf(child.stdout)) {
        await this.take(line);
        if (this.stopped !== undefined) break;
      }
      exitCode = await closed;
    } finally {
      clearTimeout(timer);
      request.signal.removeEventListener('abort', onAbort);
      child.kill('SIGKILL');
    }
    if (this.stopped !== undefined) return { kind: this.stopped };
    if (this.summarised) return { kind: 'complete' };
    // Without its closing summary ripgrep did not search. 2 is how it refuses a pattern.
    return exitCode === REFUSED ? this.refused() : await this.withoutRipgrep();
  }

  private stop(why: 'timed_out' | 'cancelled' | 'enough'): void {
    this.stopped ??= why;
    this.child.kill('SIGKILL');
  }

  private async take(line: string): Promise<void> {
    const message = RgMessage.parse(JSON.parse(line));
    switch (message.type) {
      case 'begin':
        this.current = { path: this.pathOf(bytesOf(message.data.path).toString('utf8')), matches: [] };
        return;
      case 'match':
        this.current?.matches.push(
          lineMatch(bytesOf(message.data.lines), message.data.line_number, message.data.submatches[0]?.start),
        );
        return;
      case 'end':
        if (message.data.binary_offset === null) await this.finishFile();
        return;
      case 'context':
        return;
      case 'summary':
        this.summarised = true;
        return;
    }
  }

  private async finishFile(): Promise<void> {
    const found = this.current;
    if (found === undefined || found.matches.length === 0) return;
    const { glob, start } = this.request;
    const below = found.path.segments.slice(start.segments.length);
    if (glob !== undefined && !glob.matches(below)) return;
    if (this.isDenied(found.path.segments, found.path.real) !== undefined) return;
    if (isHidden(this.request, found.path, start.segments.length + 1)) return;
    if (await this.ignore.leavesOutFile(found.path)) return;
    this.delivered = true;
    if (this.receive(found) === 'enough') this.stop('enough');
  }

  private pathOf(printed: string): WorkspacePath {
    let path = this.request.start;
    for (const name of printed.replace(/^\.\//, '').split('/')) {
      path = childPath(this.request.workspace, path, name);
    }
    return path;
  }

  /** A ripgrep that does not run (another architecture, a mount without programs) is as good as none. */
  private async withoutRipgrep(): Promise<SearchEnd> {
    if (!this.delivered) return await plainEngine(this.request, this.receive);
    const { error } = fault('search_failed', 'The search ended unexpectedly. Try again.');
    return { kind: 'failed', error };
  }

  private refused(): SearchEnd {
    const words = this.complaint.replace(/^rg: /, '').split('\n\nConsider')[0]?.trim();
    const said = words === undefined || words === '' ? 'no reason given' : words;
    return {
      kind: 'failed',
      error: fault(
        'search_failed',
        `The pattern was not accepted: ${said}\nCorrect it or set regex to false.`,
      ).error,
    };
  }
}

/** Lines end with LF and nothing else: a line of JSON may well contain other line separators. */
async function* linesOf(stream: Readable): AsyncGenerator<string> {
  let parts: string[] = [];
  stream.setEncoding('utf8');
  for await (const chunk of stream) {
    const piece = z.string().parse(chunk);
    if (!piece.includes('\n')) {
      parts.push(piece);
      continue;
    }
    const lines = [...parts, piece].join('').split('\n');
    parts = [lines.pop() ?? ''];
    yield* lines;
  }
}

function bytesOf(text: z.infer<typeof RgText>): Buffer {
  return 'text' in text ? Buffer.from(text.text) : Buffer.from(text.bytes, 'base64');
}

function lineMatch(bytes: Buffer, line: number, start: number | undefined): LineMatch {
  const text = bytes.toString('utf8').replace(/\r?\n$/, '');
  return { line, text, column: bytes.subarray(0, start ?? 0).toString('utf8').length };
}

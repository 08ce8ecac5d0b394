import { readWhole } from './opened-files.ts';
import { compileRustRegex } from './regex-dialect.ts';
import { RegexWorker } from './regex-worker.ts';
import type { LineMatch, SearchEnd, SearchEngine, SearchRequest } from './search-engine.ts';
import { sniff } from './text-encoding.ts';
import { ok, systemFault, type Result } from './tool-faults.ts';
import { walkFolder } from './workspace-walk.ts';
import type { WorkspacePath } from './workspace-paths.ts';

/** The search for machines without ripgrep, and for single files. */
export const plainEngine: SearchEngine = async (request, receive) => {
  return await withMatcher(request, async (matcher, signal) => {
    try {
      for await (const { path, text } of textsBelow(request, signal)) {
        const matches = (await matcher(text, signal)) ?? [];
        if (matches.length === 0) continue;
        if (receive({ path, matches }) === 'enough') return { kind: 'enough' };
      }
    } catch (error) {
      return { kind: 'failed', error: systemFault(error, request.start.display) };
    }
    return { kind: 'complete' };
  });
};

/** The same for `request.start` being a file, asked for by name: then it says why it cannot be searched. */
export const singleFileEngine: SearchEngine = async (request, receive) => {
  return await withMatcher(request, async (matcher, signal) => {
    const text = await readText(request.start, request, signal);
    if (!text.ok) return { kind: 'failed', error: text.error };
    const matches = text.value === undefined ? [] : ((await matcher(text.value, signal)) ?? []);
    return { kind: receive({ path: request.start, matches }) === 'enough' ? 'enough' : 'complete' };
  });
};

interface FileText {
  readonly path: WorkspacePath;
  readonly text: string;
}

const READ_AHEAD = 16;

/** Files with text in order, some of them read ahead. */
async function* textsBelow(request: SearchRequest, signal: AbortSignal): AsyncGenerator<FileText> {
  const ahead: Promise<FileText | undefined>[] = [];
  const read = async (path: WorkspacePath): Promise<FileText | undefined> => {
    const text = await readText(path, request, signal);
    // A file that is gone, too large or unreadable by now has no lines to show, as with ripgrep.
    return text.ok && text.value !== undefined ? { path, text: text.value } : undefined;
  };
  try {
    for await (const { kind, path } of walkFolder({ ...request, signal })) {
      if (kind !== 'file') continue;
      const below = path.segments.slice(request.start.segments.length);
      if (request.glob !== undefined && !request.glob.matches(below)) continue;
      ahead.push(read(path));
      const first = ahead.length > READ_AHEAD ? await ahead.shift() : undefined;
      if (first !== undefined) yield first;
    }
    for (const reading of ahead) {
      const rest = await reading;
      if (rest !== undefined) yield rest;
    }
  } finally {
    await Promise.all(ahead);
  }
}

/** Finds the lines of one text; undefined when the signal came first. */
type Matcher = (text: string, signal: AbortSignal) => Promise<readonly LineMatch[] | undefined>;

async function withMatcher(
  request: SearchRequest,
  search: (matcher: Matcher, signal: AbortSignal) => Promise<SearchEnd>,
): Promise<SearchEnd> {
  const expiry = AbortSignal.timeout(request.limits.searchMs);
  const signal = AbortSignal.any([request.signal, expiry]);
  const limit = request.limits.searchMatches + 1;
  const conclude = (end: SearchEnd): SearchEnd => {
    if (request.signal.aborted) return { kind: 'cancelled' };
    return expiry.aborted && end.kind !== 'enough' ? { kind: 'timed_out' } : end;
  };
  if (!request.regex) {
    return conclude(
      await search((text) => Promise.resolve(literalMatches(text, request.pattern, limit)), signal),
    );
  }
  const regex = compileRustRegex(request.pattern);
  if (!regex.ok) return { kind: 'failed', error: regex.error };
  const worker = new RegexWorker(regex.value, limit);
  try {
    return conclude(await search((text, stop) => worker.match(text, stop), signal));
  } finally {
    await worker.close();
  }
}

async function readText(
  path: WorkspacePath,
  { workspace, limits }: SearchRequest,
  signal: AbortSignal,
): Promise<Result<string | undefined>> {
  const options = { platform: workspace.platform, limit: limits.searchFileBytes, signal };
  const read = await readWhole(path, options);
  return read.ok ? ok(decodeText(read.value.bytes)) : read;
}

/** Undefined for what is not text: a NUL anywhere, as ripgrep has it. */
function decodeText(bytes: Buffer): string | undefined {
  const sniffed = sniff(bytes.subarray(0, 2));
  if (sniffed.kind === 'binary') return undefined;
  if (sniffed.encoding === 'utf-8' && bytes.includes(0)) return undefined;
  const text = new TextDecoder(sniffed.encoding).decode(bytes);
  return text.includes('\0') ? undefined : text;
}

function literalMatches(text: string, pattern: string, limit: number): readonly LineMatch[] {
  const matches: LineMatch[] = [];
  let line = 1;
  let counted = 0;
  for (let at = text.indexOf(pattern); at !== -1 && matches.length < limit;) {
    const begin = text.lastIndexOf('\n', at - 1) + 1;
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline;
    for (
      let from = text.indexOf('\n', counted);
      from !== -1 && from < at;
      from = text.indexOf('\n', from + 1)
    ) {
      line += 1;
    }
    counted = begin;
    matches.push({ line, text: text.slice(begin, end).replace(/\r$/, ''), column: at - begin });
    at = newline === -1 ? -1 : text.indexOf(pattern, newline + 1);
  }
  return matches;
}

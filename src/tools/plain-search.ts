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
      for await (const entry of walkFolder({ ...request, signal })) {
        if (entry.kind !== 'file') continue;
        const below = entry.path.segments.slice(request.start.segments.length);
        if (request.glob !== undefined && !request.glob.matches(below)) continue;
        const matches = await searchFile(entry.path, { request, matcher, signal });
        // A file that is gone, too large or unreadable by now has no lines to show, as with ripgrep.
        if (!matches.ok || matches.value.length === 0) continue;
        if (receive({ path: entry.path, matches: matches.value }) === 'enough') return { kind: 'enough' };
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
    const matches = await searchFile(request.start, { request, matcher, signal });
    if (!matches.ok) return { kind: 'failed', error: matches.error };
    const answer = receive({ path: request.start, matches: matches.value });
    return { kind: answer === 'enough' ? 'enough' : 'complete' };
  });
};

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

async function searchFile(
  path: WorkspacePath,
  options: { readonly request: SearchRequest; readonly matcher: Matcher; readonly signal: AbortSignal },
): Promise<Result<readonly LineMatch[]>> {
  const { request, matcher, signal } = options;
  const read = await readWhole(path, {
    platform: request.workspace.platform,
    limit: request.limits.searchFileBytes,
    signal,
  });
  if (!read.ok) return read;
  const text = decodeText(read.value.bytes);
  return ok(text === undefined ? [] : ((await matcher(text, signal)) ?? []));
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

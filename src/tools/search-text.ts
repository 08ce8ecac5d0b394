import { lstat } from 'node:fs/promises';
import * as z from 'zod';
import type { HiddenPaths } from '../runtime/permissions/hidden-paths.ts';
import { unreachable } from '../runtime/unreachable.ts';
import type { ToolOutcome } from '../runtime/ports.ts';
import { compileOptional } from './list-files.ts';
import { isHiddenStart, startPaths, startTarget } from './path-targets.ts';
import { plainEngine, singleFileEngine } from './plain-search.ts';
import type { LineMatch, SearchEnd, SearchEngine, SearchRequest } from './search-engine.ts';
import { CANCELLED, fault, systemFault } from './tool-faults.ts';
import type { ToolLimits } from './tool-limits.ts';
import { defineTool, failed, succeeded, type Tool } from './tool.ts';
import type { Workspace } from './workspace-paths.ts';

const SearchText = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .refine((pattern) => !/[\n\r\0]/.test(pattern), { error: 'must be part of one line' })
    .describe('Text to find within a line; upper and lower case differ.'),
  path: z.string().nullish().describe('Folder or file to search. Default: the whole workspace.'),
  glob: z
    .string()
    .min(1)
    .nullish()
    .describe('Only files that match, such as *.ts or src/**/*.ts, relative to path.'),
  regex: z
    .boolean()
    .nullish()
    .describe('Whether pattern is a regular expression (ripgrep syntax). Default: false.'),
});

type SearchText = z.infer<typeof SearchText>;

export interface SearchTextOptions {
  readonly workspace: Workspace;
  readonly limits: ToolLimits;
  /** What rules hide from a call that starts there, as they are now. */
  readonly hidden: (start: string) => HiddenPaths;
  /** Finds ripgrep, or undefined to search without it. Asked once, when first needed. */
  readonly engine: () => Promise<SearchEngine | undefined>;
}

export function searchTextTool(options: SearchTextOptions): Tool {
  const { workspace } = options;
  return defineTool({
    name: 'search_text',
    description:
      'Searches file contents line by line. Returns "path:line: text" sorted by path, at most 200 lines. ' +
      'Leaves out the same files as list_files, binary files and files over 16 MiB.',
    effect: 'read',
    schema: SearchText,
    target(input) {
      const glob = compileOptional(input.glob);
      return glob.ok ? startTarget(workspace, input.path) : glob;
    },
    run: async (input, { signal }, subject) => await search(input, { options, signal, subject }),
  });
}

interface Asked {
  readonly options: SearchTextOptions;
  readonly signal: AbortSignal;
  readonly subject: string;
}

async function search(input: SearchText, { options, signal, subject }: Asked): Promise<ToolOutcome> {
  const { workspace, limits } = options;
  const matcher = compileOptional(input.glob);
  if (!matcher.ok) return failed(matcher.error);
  const glob = matcher.value === undefined ? undefined : { text: input.glob ?? '', matches: matcher.value };
  const starts = startPaths(workspace, input.path, subject);
  if (!starts.ok) return failed(starts.error);

  const hidden = options.hidden(subject);
  const results = new Results(limits);
  let end: SearchEnd = { kind: 'complete' };
  for (const start of starts.value) {
    if (isHiddenStart(start, { subject, hidden })) {
      results.isPartial = true;
      continue;
    }
    const regex = input.regex ?? false;
    const request = { workspace, start, pattern: input.pattern, regex, glob, hidden, limits, signal };
    const engine = await chooseEngine(request, options.engine);
    if (typeof engine !== 'function') return failed(engine);
    if (hidden.any && engine !== singleFileEngine) results.isPartial = true;
    end = await engine(request, ({ path, matches }) => results.add(path.display, matches));
    if (end.kind !== 'complete') break;
  }
  return conclude(end, results, limits);
}

async function chooseEngine(request: SearchRequest, ripgrep: SearchTextOptions['engine']) {
  const { start } = request;
  try {
    const entry = await lstat(start.real);
    if (entry.isDirectory()) return (await ripgrep()) ?? plainEngine;
    return singleFileEngine;
  } catch (error) {
    return systemFault(error, start.display);
  }
}

function conclude(end: SearchEnd, results: Results, limits: ToolLimits): ToolOutcome {
  switch (end.kind) {
    case 'complete':
      return succeeded(results.count === 0 ? results.render('No matches.') : results.render());
    case 'enough':
      return succeeded(
        results.render(`More lines match than these ${results.count}; narrow pattern, path or glob.`),
      );
    case 'cancelled':
      return failed(CANCELLED);
    case 'timed_out':
      return results.count > 0
        ? succeeded(results.render(`Stopped after ${limits.searchMs / 1_000} s: there may be more matches.`))
        : failed(
            fault(
              'search_failed',
              `The search found nothing within ${limits.searchMs / 1_000} s and was stopped. ` +
                'Give a path or a glob, or simplify the pattern.',
            ).error,
          );
    case 'failed':
      return failed(end.error);
    default:
      return unreachable(end);
  }
}

/**
 * Said whenever there are such rules. If it depended on what the files hold, a pattern could be tried on them.
 */
const HIDDEN_NOTE = 'Files that a rule denies or asks about are not searched.';

class Results {
  /** Whether rules may have hidden something. */
  isPartial = false;
  private readonly lines: string[] = [];
  private bytes = 0;

  constructor(private readonly limits: ToolLimits) {}

  get count(): number {
    return this.lines.length;
  }

  add(path: string, matches: readonly LineMatch[]): 'more' | 'enough' {
    for (const match of matches) {
      const line = `${path}:${match.line}: ${excerpt(match, this.limits.searchLineChars)}`;
      this.bytes += Buffer.byteLength(line) + 1;
      const full = this.lines.length === this.limits.searchMatches || this.bytes > this.limits.searchBytes;
      if (full) return 'enough';
      this.lines.push(line);
    }
    return 'more';
  }

  render(note?: string): string {
    const notes = [...(note === undefined ? [] : [note]), ...(this.isPartial ? [HIDDEN_NOTE] : [])];
    return [...this.lines, ...(notes.length > 0 ? [`[${notes.join(' ')}]`] : [])].join('\n');
  }
}

/** A long line is cut to the part around its match. */
function excerpt({ text, column }: LineMatch, limit: number): string {
  if (text.length <= limit) return text;
  const lead = Math.floor(limit / 4);
  const from = column + lead < limit ? 0 : column - lead;
  const cut = text.slice(from, from + limit).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
  return `${from > 0 ? '…' : ''}${cut}${from + limit < text.length ? '…' : ''}`;
}

import type { Problem } from './conversation-options.ts';

const SHOWN = 100;
const RANK = { error: 0, warning: 1, info: 2, hint: 3 } as const satisfies Record<
  Problem['severity'],
  number
>;

/** Pure: problems as lines, the worst first, without those of files that may not be shown. */
export function problemsText(
  problems: readonly Problem[],
  shownPath: (path: string) => string | null,
): { readonly text: string; readonly shown: number; readonly told: number } {
  const known = problems.flatMap((problem) => {
    const path = shownPath(problem.path);
    return path === null || problem.severity === 'hint' ? [] : [{ ...problem, path }];
  });
  const sorted = known.toSorted((a, b) => RANK[a.severity] - RANK[b.severity]);
  const lines = sorted
    .slice(0, SHOWN)
    .map(({ path, line, severity, message }) => `${path}:${line} ${severity} ${oneLine(message)}`);
  if (known.length === 0) lines.push('[There are no problems.]');
  if (known.length > SHOWN) lines.push(`[${known.length - SHOWN} more are not shown.]`);
  return { text: lines.join('\n'), shown: known.length, told: Math.min(SHOWN, known.length) };
}

function oneLine(message: string): string {
  return message.replaceAll(/\s+/gu, ' ').trim();
}

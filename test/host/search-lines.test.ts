import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { askLines, localDays, type AskLine, type KnownValues } from '../../src/host/search-lines.ts';
import { parseQuery } from '../../src/runtime/search/query.ts';

vi.mock('vscode', async () => {
  const { vscodeDouble } = await import('./vscode-double.ts');
  class ThemeIcon {
    static readonly File = new ThemeIcon('file');
    constructor(readonly id: string) {}
  }
  class ThemeColor {
    constructor(readonly id: string) {}
  }
  return { ...vscodeDouble, ThemeIcon, ThemeColor };
});

const KNOWN: KnownValues = {
  tools: ['read_file', 'run_command'],
  files: ['src/my file.ts', 'docs/$(bug).md'],
};
const DAYS = {
  now: 0,
  today: { year: 2026, month: 11, day: 17 },
  at: (year: number, month: number, day: number) => new Date(year, month - 1, day).getTime(),
};

function lines(typed: string): readonly AskLine[] {
  return askLines(typed, parseQuery(typed, DAYS), KNOWN);
}

/** What the lines say, and what Enter would make of them. */
function told(typed: string): readonly string[] {
  return lines(typed).map(({ label, does }) => `${label} > ${does.kind === 'type' ? does.value : does.kind}`);
}

const FILTERS = ['state:', 'tool:', 'file:', 'after:', 'before:', 'on:'];

describe('while a search is typed', () => {
  test('filters are offered, at first with an example', () => {
    expect(told('')).toEqual([
      ...FILTERS.map((one) => `${one} > ${one}`),
      'Example > state:failed tool:run_command npm test',
    ]);
    expect(told('clock')).toEqual(['Search > search', ...FILTERS.map((one) => `${one} > clock ${one}`)]);
  });

  test('the value of a filter is completed, and what was typed before it stays', () => {
    expect(told('clock state:fa')).toEqual([
      'failed > clock state:failed ',
      'partial_failed > clock state:partial_failed ',
    ]);
    expect(told('state:failed,wai')).toEqual(['waiting > state:failed,waiting ']);
    expect(told('tool:ru')).toEqual(['Search > search', 'run_command > tool:run_command ']);
    expect(told('file:')).toEqual([
      'src/my file.ts > file:"src/my file.ts" ',
      'docs/$\u200b(bug).md > file:docs/$(bug).md ',
    ]);
    expect(told('on:').map((one) => one.split(' ')[0])).toEqual(['today', 'yesterday', '7d', '30d']);
  });

  test('a whole value is searched for, and says in words what is on', () => {
    const [first] = lines('state:failed tool:run_command file:src/** on:2026-11-01 "two words" x ');
    expect([first?.label, first?.detail]).toEqual([
      'Search',
      '“two words” “x” · State: Failed · Tool: run_command · File: src/** · Asked since Nov 1, 2026 · Asked before Nov 2, 2026',
    ]);
    expect(lines('state:failed ')[0]?.detail).toBe('All turns · State: Failed');
  });

  const STATES = 'completed, partial_failed, failed, interrupted, timed_out, waiting, running';
  const DATES = '2026-11-01, 2026-11, 2026-11-01T14:30, today, yesterday, 7d, 2w, 3h';

  test.each([
    ['state:xyz', '“xyz” is no state.', `It can be: ${STATES}`],
    ['state:$(bug) ', '“$\u200b(bug)” is no state.', `It can be: ${STATES}`],
    ['before: x', 'before: needs a value right behind it.', 'To look for the word itself, put it in quotes.'],
    ['after:soon ', '“soon” is no date.', `It can be: ${DATES}`],
    ['on:2026-11-01 before:2026', 'The dates leave no time between them. Nothing can match.', undefined],
    ['x', 'Give at least two characters, or a filter.', undefined],
  ])('%s is answered with what is wrong, and Enter does nothing', (typed, label, detail) => {
    const [first] = lines(typed);
    expect([first?.label, first?.detail, first?.does]).toEqual([label, detail, { kind: 'nothing' }]);
  });
});

test.each([
  ['on:2026-03-29', '2026-03-28T23:00:00.000Z', 23],
  ['on:2026-10-25', '2026-10-24T22:00:00.000Z', 25],
  ['on:2026-10-26', '2026-10-25T23:00:00.000Z', 24],
  ['on:2026-10', '2026-09-30T22:00:00.000Z', 31 * 24 + 1],
])('%s is as long as the clocks of the person make it', (typed, from, hours) => {
  const { TZ } = process.env;
  onTestFinished(() => {
    if (TZ === undefined) delete process.env['TZ'];
    else process.env['TZ'] = TZ;
  });
  process.env['TZ'] = 'Europe/Berlin';
  const { from_ms, to_ms } = parseQuery(typed, localDays()).query;
  expect(new Date(from_ms ?? 0).toISOString()).toBe(from);
  expect(((to_ms ?? 0) - (from_ms ?? 0)) / 3_600_000).toBe(hours);
});

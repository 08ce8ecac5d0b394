import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import type { TestModule } from 'vitest/node';
import FileTimes, { FILE_TIMES } from '../../src/dev/file-times.mjs';
import { projectPath } from '../../src/dev/project.mjs';
import { describeCounts, passedBudgets, sumOf } from '../../src/dev/test-budgets.mjs';
import { countTests, failures, summarise } from '../../src/dev/test-report.mjs';

function report(passed: number, failed: number, files: { status: string; tests: string[] }[]): unknown {
  return {
    numPassedTests: passed,
    numFailedTests: failed,
    testResults: files.map(({ status, tests }) => ({
      status,
      assertionResults: tests.map((each) => ({ status: each })),
    })),
  };
}

test('tests are counted as vitest reports them', () => {
  const files = [{ status: 'failed', tests: ['passed', 'passed', 'failed'] }];
  expect(countTests({ report: report(2, 1, files), exitCode: 1 })).toEqual({ passed: 2, failed: 1 });
});

test('a file that did not load is a failure', () => {
  const files = [
    { status: 'passed', tests: ['passed'] },
    { status: 'failed', tests: [] },
  ];
  expect(countTests({ report: report(1, 0, files), exitCode: 1 })).toEqual({ passed: 1, failed: 1 });
});

test('an error outside of any test is a failure', () => {
  const files = [{ status: 'passed', tests: ['passed'] }];
  expect(countTests({ report: report(1, 0, files), exitCode: 1 })).toEqual({ passed: 1, failed: 1 });
});

test('a crash that leaves no report is a failure', () => {
  expect(countTests({ report: undefined, exitCode: 0 })).toEqual({ passed: 0, failed: 1 });
});

test('the last line counts everything, and nothing run is not a success', () => {
  const parts = [
    { name: 'check', passed: 3, failed: 0, ms: 1000 },
    { name: 'unit', passed: 4, failed: 1, ms: 12_000 },
  ];
  expect(summarise({ parts, ms: 13_000 })).toEqual({
    lines: [
      'check    1.0 s  3 passed, 0 failed',
      'unit      12 s  4 passed, 1 failed',
      'total     13 s',
      '7 passed, 1 failed',
    ],
    exitCode: 1,
  });
  expect(summarise({ parts: [], ms: 1 }).exitCode).toBe(1);
});

test('the ten slowest files are named, and what was opened', () => {
  const files = Array.from({ length: 12 }, (_, index) => ({ name: `f${index}`, ms: index * 1000 }));
  const { lines } = summarise({
    parts: [{ name: 'e2e', passed: 1, failed: 0, ms: 60_000, files, opened: 'windows 1 of 2' }],
    ms: 60_000,
  });
  expect(lines.slice(0, 3)).toEqual(['Slowest files:', '     11 s  f11', '     10 s  f10']);
  expect(lines.slice(10)).toEqual([
    '    2.0 s  f2',
    'e2e       60 s  1 passed, 0 failed  (windows 1 of 2)',
    'total     60 s',
    '1 passed, 0 failed',
  ]);
});

test('what failed is named with its first words, a file that did not load too', () => {
  const testResults = [
    {
      status: 'failed',
      name: '/project/test/a.test.ts',
      assertionResults: [
        { status: 'passed', ancestorTitles: [], title: 'adds up', failureMessages: [] },
        {
          status: 'failed',
          ancestorTitles: ['a sum'],
          title: 'is right',
          failureMessages: ['Error: 3\n at'],
        },
        { status: 'failed', ancestorTitles: [], title: 'ends', failureMessages: [] },
      ],
    },
    { status: 'failed', name: '/project/test/b.test.ts', message: 'No such module', assertionResults: [] },
    { status: 'passed', name: '/project/test/c.test.ts', assertionResults: [] },
  ];
  const told = failures({ report: { numPassedTests: 1, numFailedTests: 2, testResults }, root: '/project' });
  expect(told).toEqual([
    'test/a.test.ts > a sum > is right: Error: 3',
    'test/a.test.ts > ends: it gives no reason',
    'test/b.test.ts: No such module',
  ]);
  const part = { name: 'unit', passed: 1, failed: 3, ms: 1000, failures: told };
  expect(summarise({ parts: [part], ms: 1000 }).lines.slice(0, 2)).toEqual(['Failed:', `  ${told[0]}`]);
});

test('the time of a file has its hooks and imports in it', () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'ledgerline-times-')), 'times.json');
  vi.stubEnv(FILE_TIMES, file);
  const times = new FileTimes();
  const durations = { setupDuration: 10, collectDuration: 200, duration: 3000 };
  times.onTestModuleEnd({
    moduleId: projectPath('test', 'a.test.ts'),
    diagnostic: () => durations as ReturnType<TestModule['diagnostic']>,
  });
  times.onTestRunEnd();
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual([
    { name: path.join('test', 'a.test.ts'), ms: 3210 },
  ]);
});

test('what processes opened is added up, and a part that opened more than its budget says so', () => {
  const counts = sumOf([{ windows: 20, reloads: 1 }, { windows: 20 }]);
  expect(counts).toEqual({ windows: 40, reloads: 1 });
  expect(passedBudgets({ part: 'e2e', counts: { windows: 1, reloads: 1 } })).toEqual([]);
  expect(passedBudgets({ part: 'e2e', counts })[0]).toMatch(/^e2e opened 40 windows; its budget is \d+/);
  expect(passedBudgets({ part: 'unit', counts: { windows: 1 } })).toHaveLength(1);
  expect(describeCounts({ part: 'e2e', counts })).toMatch(/^windows 40 of \d+, reloads 1 of \d+$/);
});

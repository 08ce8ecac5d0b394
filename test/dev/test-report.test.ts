import { expect, test } from 'vitest';
import { countTests, summarise } from '../../src/dev/test-report.mjs';

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

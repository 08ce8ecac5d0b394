import type { Page } from 'playwright-core';
import { afterEach } from 'vitest';
import type { VsCode } from './vscode.ts';
import { evidence } from './workbench.ts';

/** Call once in a test file: after each failed test, prints the logs and where the screenshot is. */
export function printEvidenceOnFailure(
  current: () => { vscode?: VsCode | undefined; page?: Page | undefined },
): void {
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    process.stderr.write(`\n${task.name}\n${await evidence(current())}\n`);
  });
}

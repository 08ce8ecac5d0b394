// @ts-check
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT } from './project.mjs';

/** Where the times go. */
export const FILE_TIMES = 'LEDGERLINE_FILE_TIMES';

/** A reporter for vitest: how long each file took, with its hooks and imports, which the JSON report leaves out. */
export default class FileTimes {
  /** @type {import('./test-report.mjs').FileTime[]} */
  times = [];

  /** @param {Pick<import('vitest/node').TestModule, 'moduleId' | 'diagnostic'>} module */
  onTestModuleEnd(module) {
    const { setupDuration, collectDuration, duration } = module.diagnostic();
    const name = path.relative(PROJECT, module.moduleId);
    this.times.push({ name, ms: setupDuration + collectDuration + duration });
  }

  onTestRunEnd() {
    const file = process.env[FILE_TIMES];
    if (file !== undefined) writeFileSync(file, JSON.stringify(this.times));
  }
}

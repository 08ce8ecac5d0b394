import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';

/** What costs most in a run: each is counted, and a run that needs more than was agreed fails. */
export type Counted = 'windows' | 'reloads' | 'pages';

const counts: Partial<Record<Counted, number>> = {};

/** Of this module in this process: the system gives the number of a process that has ended to another. */
const NAME = `${process.pid}-${randomUUID()}.json`;

/** Written down at once, in a file of this process in the folder that the run has named: it reads them all. */
export function count(what: Counted): void {
  counts[what] = (counts[what] ?? 0) + 1;
  const folder = process.env['LEDGERLINE_COUNTS'];
  if (folder !== undefined) writeFileSync(`${folder}/${NAME}`, JSON.stringify(counts));
}

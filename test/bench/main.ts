import { cpus } from 'node:os';
import { appendCost } from './append.ts';
import { cacheEconomy } from './cache.ts';
import { childrenCost } from './children/children-cost.ts';
import { firstScreen, showFirstScreen } from './first-screen.ts';
import { foldCost } from './fold.ts';
import { roundCost } from './round-cost.ts';
import { searchCost } from './search.ts';
import { stopCost } from './stop.ts';
import { replyBytes } from './reply-bytes.ts';
import { reached, table, type Row } from './table.ts';
import { crewCost } from './vscode/crew-run.ts';
import { viewCost } from './vscode/view-bench.ts';

const BENCHES: readonly (readonly [string, () => Promise<readonly Row[]>])[] = [
  ['append', appendCost],
  ['fold', foldCost],
  ['round', roundCost],
  ['first-screen', firstScreen],
  ['search', searchCost],
  ['stop', stopCost],
  ['reply-bytes', replyBytes],
  ['cache', cacheEconomy],
  ['children', childrenCost],
  ['crew', crewCost],
  ['vscode', viewCost],
];

async function main(args: readonly string[]): Promise<void> {
  const [first, folder, id] = args;
  if (first === '--first-screen' && folder !== undefined && id !== undefined)
    return showFirstScreen(folder, id);
  const json = args.includes('--json');
  const only = args.filter((arg) => !arg.startsWith('--'));
  const rows: Row[] = [];
  for (const [name, bench] of BENCHES) {
    if (only.length > 0 && !only.includes(name)) continue;
    process.stderr.write(`measuring ${name} ...\n`);
    rows.push(...(await bench()));
  }
  const machine = {
    node: process.version,
    cores: cpus().length,
    platform: `${process.platform} ${process.arch}`,
  };
  if (json)
    process.stdout.write(
      `${JSON.stringify({ machine, rows: rows.map((one) => ({ ...one, reached: reached(one) })) }, null, 2)}\n`,
    );
  else
    process.stdout.write(
      `\n${table(rows)}\n\nNode ${machine.node}, ${machine.cores} cores, ${machine.platform}. Ratios are against the baseline of the same run.\n`,
    );
}

await main(process.argv.slice(2));

import { CHILDREN_ARGUMENT, runChildren, type Plan } from './children-run.ts';
import { beTheModel, MODEL_ARGUMENT } from './model-process.ts';
import { REMAINS_ARGUMENT, runRemains } from './remains-run.ts';
import { runSessions, SESSIONS_ARGUMENT } from './sessions-run.ts';

/** A process of its own: it loads what it measures and nothing else, prints the numbers, or serves whoever started it. */
async function part([what = '', how = '']: readonly string[]): Promise<void> {
  switch (what) {
    case MODEL_ARGUMENT:
      return beTheModel();
    case CHILDREN_ARGUMENT:
      return print(await runChildren(JSON.parse(how) as Plan));
    case REMAINS_ARGUMENT:
      return print(await runRemains());
    case SESSIONS_ARGUMENT:
      return print(await runSessions(Number(how)));
    default:
      throw new Error(`no such part: ${what}`);
  }
}

function print(measured: unknown): void {
  process.stdout.write(JSON.stringify(measured));
}

await part(process.argv.slice(2));

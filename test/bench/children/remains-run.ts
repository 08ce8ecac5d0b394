import { memoryInUse } from './memory.ts';
import { spawnPrompt } from './model-script.ts';
import { Talk, withModel } from './talk.ts';

/** What is left in memory of children that have ended, once the program has settled into its work. */
export interface Remains {
  /** Bytes a child, with the session open whose children they were, and with another in its place. */
  readonly open: number;
  readonly left: number;
}

export const REMAINS_ARGUMENT = '--remains-run';

const CHILDREN = 200;
const AT_ONCE = 64;
/** The first turns also make what is made once: compiled code, connections. */
const SETTLING = 4;
const COUNTED = 4;

export function runRemains(): Promise<Remains> {
  return withModel(async (place) => {
    const talk = new Talk(place, 'parent', AT_ONCE);
    await talk.ready();
    const turn = async (label: string): Promise<number> => {
      await talk.turn(spawnPrompt(CHILDREN, label));
      const { held } = await memoryInUse();
      await talk.leave();
      return held;
    };
    for (let i = 0; i < SETTLING; i += 1) await turn(`settling-${i}`);
    const { held: start } = await memoryInUse();
    let open = 0;
    for (let i = 0; i < COUNTED; i += 1) {
      const { held: before } = await memoryInUse();
      open += (await turn(`counted-${i}`)) - before;
    }
    const { held: end } = await memoryInUse();
    await talk.close();
    const children = COUNTED * CHILDREN;
    return { open: open / children, left: (end - start) / children };
  });
}

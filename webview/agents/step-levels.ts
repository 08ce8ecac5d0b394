import type { Step } from './workflow-facts.ts';

/**
 * Pure: steps by how many others have to come before them, each level in the order of the specification. Names that
 * stand for no step count for nothing, and steps that wait for each other come last: the log may hold anything.
 */
export function stepLevels(steps: readonly Step[]): readonly (readonly Step[])[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const missing = new Map<string, number>();
  const followers = new Map<string, string[]>();
  for (const { id, depends_on } of steps) {
    const before = new Set(depends_on.filter((name) => byId.has(name) && name !== id));
    missing.set(id, before.size);
    for (const name of before) {
      const known = followers.get(name);
      if (known === undefined) followers.set(name, [id]);
      else known.push(id);
    }
  }
  const depth = new Map<string, number>();
  const ready = steps.filter(({ id }) => missing.get(id) === 0).map(({ id }) => id);
  for (const id of ready) depth.set(id, 0);
  // Grows while it is gone through.
  for (const id of ready)
    for (const next of followers.get(id) ?? []) {
      depth.set(next, Math.max(depth.get(next) ?? 0, (depth.get(id) ?? 0) + 1));
      const left = (missing.get(next) ?? 0) - 1;
      missing.set(next, left);
      if (left === 0) ready.push(next);
    }
  const reached = new Set(ready);
  const last = Math.max(-1, ...ready.map((id) => depth.get(id) ?? 0)) + 1;
  const levels: Step[][] = [];
  for (const step of steps) {
    const level = reached.has(step.id) ? (depth.get(step.id) ?? 0) : last;
    (levels[level] ??= []).push(step);
  }
  return levels.filter((level) => level !== undefined);
}

/** Where a step stands in a drawing of levels, in hundredths of its width and in rows. */
export interface Spot {
  readonly step: Step;
  readonly x: number;
  readonly width: number;
  readonly row: number;
}

export interface Edge {
  readonly from: Spot;
  readonly to: Spot;
}

export interface Drawing {
  readonly spots: readonly Spot[];
  readonly edges: readonly Edge[];
  readonly rows: number;
}

export function drawingOf(levels: readonly (readonly Step[])[]): Drawing {
  const spots = levels.flatMap((level, row) =>
    level.map((step, index): Spot => {
      const width = 100 / level.length;
      return { step, row, width, x: (index + 0.5) * width };
    }),
  );
  const byId = new Map(spots.map((spot) => [spot.step.id, spot]));
  const before = new Map<string, ReadonlySet<string>>();
  const edges = spots.flatMap((to) => {
    const direct = to.step.depends_on
      .flatMap((name) => byId.get(name) ?? [])
      .filter(({ row }) => row < to.row);
    const earlier = new Set(direct.flatMap(({ step }) => [...(before.get(step.id) ?? [])]));
    before.set(to.step.id, new Set([...earlier, ...direct.map(({ step }) => step.id)]));
    // What another of them waits for anyway needs no line of its own.
    return direct.filter(({ step }) => !earlier.has(step.id)).map((from): Edge => ({ from, to }));
  });
  return { spots, edges, rows: levels.length };
}

/** Narrower than this, a step cannot be read. */
const LEAST_PX = 112;
/** Deeper than this, the whole is no longer seen at a glance. */
const MOST_ROWS = 12;
const MOST_EDGES = 60;

/** Pure: whether a drawing of these levels can be read in so much room. */
export function fitsDrawing(levels: readonly (readonly Step[])[], width: number): boolean {
  const widest = Math.max(0, ...levels.map((level) => level.length));
  const edges = levels.flat().reduce((sum, step) => sum + step.depends_on.length, 0);
  return levels.length <= MOST_ROWS && edges <= MOST_EDGES && widest * LEAST_PX <= width;
}

/** One measurement: ours against a baseline of the same run, and the goal for their ratio. */
export interface Row {
  readonly name: string;
  readonly ours: number;
  readonly baseline: number;
  readonly unit: string;
  readonly ratio: number;
  readonly goal: number | null;
  readonly note: string;
}

export function row(
  name: string,
  values: {
    readonly ours: number;
    readonly baseline: number;
    readonly unit: string;
    readonly goal?: number;
    readonly note?: string;
  },
): Row {
  const { ours, baseline, unit, goal = null, note = '' } = values;
  return { name, ours, baseline, unit, ratio: ours / baseline, goal, note };
}

export function reached({ ratio, goal }: Row): boolean {
  return goal === null || ratio <= goal;
}

export function table(rows: readonly Row[]): string {
  const cells = rows.map((one) => [
    one.name,
    number(one.ours),
    number(one.baseline),
    one.unit,
    `${one.ratio.toFixed(2)}x`,
    one.goal === null ? '' : `<= ${one.goal}x`,
    one.goal === null ? '' : reached(one) ? 'reached' : 'MISSED',
    one.note,
  ]);
  const head = ['what', 'ours', 'baseline', 'unit', 'ratio', 'goal', '', ''];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...cells.map((line) => line[column]?.length ?? 0)),
  );
  return [head, ...cells]
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function number(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longest, though they are small: without times of an earlier run, vitest begins with large files and
 * would leave one core idle at the end.
 */
const LONG = [
  'gallery.page.ts',
  'changed-fields.test.ts',
  'cache-economy.test.ts',
  'session-interleavings.test.ts',
  'ends.test.ts',
  'command-endings.test.ts',
  'undo-any-order.test.ts',
  'turn-states.test.ts',
  'attacks.test.ts',
  'killed-writer.test.ts',
  'durability.test.ts',
  'machines-model.test.ts',
  'bundle.test.ts',
];

/** Pure: the long ones first, longest of all at the front; the others as they were. */
export function longFirst<T extends { readonly moduleId: string }>(files: readonly T[]): T[] {
  const place = ({ moduleId }: T): number => {
    const at = LONG.findIndex((name) => moduleId.endsWith(`/${name}`));
    return at === -1 ? LONG.length : at;
  };
  return files.toSorted((a, b) => place(a) - place(b));
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return longFirst(await super.sort(files));
  }
}

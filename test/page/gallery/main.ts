import { GROUPS } from './all-states.ts';
import type { GalleryGroup } from './gallery-state.ts';

/** What `npm run page` is made of: bundled, and loaded by it. */

export { startGallery, type Gallery } from './gallery.ts';
export { takePictures } from './pictures.ts';

/** The groups with those states whose name or title has one of these words; commas part them. */
export function groupsWith(words: string): readonly GalleryGroup[] {
  const wanted = words.toLowerCase().split(',');
  const fits = (text: string): boolean => wanted.some((word) => text.toLowerCase().includes(word));
  return GROUPS.map((group) => ({
    ...group,
    states: group.states.filter(({ name, title }) => fits(name) || fits(title)),
  })).filter(({ states }) => states.length > 0);
}

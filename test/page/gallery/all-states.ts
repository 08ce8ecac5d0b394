import { AGENTS } from './agent-states.ts';
import { CARDS } from './card-states.ts';
import { COMPOSER } from './composer-states.ts';
import { CONTEXT, NOTICES } from './context-states.ts';
import type { GalleryGroup, GalleryState } from './gallery-state.ts';
import { SESSIONS } from './session-states.ts';
import { TEXTS } from './text-states.ts';
import { TURNS } from './turn-states.ts';

/** All that the gallery shows, in the order in which a reader meets it. */
export const GROUPS: readonly GalleryGroup[] = [
  SESSIONS,
  TURNS,
  CARDS,
  AGENTS,
  CONTEXT,
  NOTICES,
  TEXTS,
  COMPOSER,
];

export const STATES: readonly GalleryState[] = GROUPS.flatMap(({ states }) => states);

import { isMissingKeyShown } from './empty-state.tsx';
import type { Notice, State } from './state.ts';

/** Pure: what is said elsewhere on the page already is not said again. */
export function shownNotices(state: State): readonly Notice[] {
  const access = state.session?.access;
  const above = access?.kind === 'read_only' ? access.message : null;
  return state.notices.filter(
    (notice) => notice.message !== above && !(notice.kind === 'missing_key' && isMissingKeyShown(state)),
  );
}

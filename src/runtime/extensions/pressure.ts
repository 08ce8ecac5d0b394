import type { Extension } from '../extension.ts';
import { isCritical } from '../pressure.ts';

/** Before the first call of a turn: where the last one nearly filled the window, room is made first. */
export const pressure: Extension = {
  name: 'pressure',
  on: {
    before_inference: ({ session, turn, settings }) =>
      turn.responses === 0 && isCritical(session.pressure, settings.context_window)
        ? { compact: 'critical_pressure_preflight' }
        : null,
  },
};

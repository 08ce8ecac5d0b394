import type { OpenedSession } from '../../src/app/open-session.ts';

/** Who opens a session and wants to hear nothing of it. */
export const NOBODY_WATCHES: Parameters<typeof OpenedSession.open>[2] = {
  publish: () => undefined,
  ownerGone: () => undefined,
  lostSight: () => undefined,
  isAlive: () => false,
  batch: () => false,
  remember: async () => undefined,
};

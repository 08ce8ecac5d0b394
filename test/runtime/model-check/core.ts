import { outcomeDrafts, passageDrafts, resumption } from '../../../src/runtime/call-drafts.ts';
import { closing } from '../../../src/runtime/closing.ts';
import { nextStep } from '../../../src/runtime/decide.ts';
import { checkDecision, decidedCalls } from '../../../src/runtime/decisions.ts';
import { recovery } from '../../../src/runtime/recovery.ts';
import { applyToTurn } from '../../../src/runtime/turn.ts';

/** The pure core of a run: all that decides anything. A mutation changes one of them. */
export const CORE = {
  applyToTurn,
  nextStep,
  passageDrafts,
  outcomeDrafts,
  resumption,
  decidedCalls,
  checkDecision,
  closing,
  recovery,
} as const;

export type Core = typeof CORE;

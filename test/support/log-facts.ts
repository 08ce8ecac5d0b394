import type { LogFacts } from '../../src/runtime/inspection/diagnosis.ts';
import { TOOLS } from './tool-stubs.ts';

const EFFECTS = new Map(Object.entries(TOOLS).map(([name, { effect }]) => [name, effect]));

/** Of a log that is whole and that nobody has open. */
export const SOUND: LogFacts = {
  damage: [],
  torn_bytes: 0,
  lease: 'free',
  input: [],
  effectOf: (name) => EFFECTS.get(name) ?? null,
};

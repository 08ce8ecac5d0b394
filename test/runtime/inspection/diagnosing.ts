import type { LogEvent } from '../../../src/runtime/events.ts';
import {
  DiagnosisFold,
  type Check,
  type Diagnosis,
  type LogFacts,
} from '../../../src/runtime/inspection/diagnosis.ts';
import { foldReplay } from '../../../src/runtime/replay/fold.ts';
import { SOUND } from '../../support/log-facts.ts';

export function diagnose(events: readonly LogEvent[], facts: Partial<LogFacts> = {}): Diagnosis {
  const fold = new DiagnosisFold('s1');
  for (const event of events) fold.push(event);
  const input = foldReplay(events, { model: 'm', endpoint: 'e' });
  return fold.finish({ ...SOUND, input, ...facts });
}

export function check(diagnosis: Diagnosis, id: string): Check {
  const found = diagnosis.checks.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no check ${id}`);
  return found;
}

/** The checks that are not fine, each with its sentence. */
export function concerns(diagnosis: Diagnosis): Readonly<Record<string, string>> {
  return Object.fromEntries(
    diagnosis.checks.filter(({ status }) => status !== 'ok').map(({ id, message: said }) => [id, said]),
  );
}

export { changedFiles, type ChangedFile } from '../runtime/turn-changes.ts';
export {
  applyToEvidence,
  NO_EVIDENCE,
  type CommandFact,
  type EvidenceFold,
  type PlanStep,
  type TurnEvidence,
} from '../runtime/turn-evidence.ts';

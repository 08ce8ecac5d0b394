export { changedFiles, type ChangedFile } from '../runtime/turn-changes.ts';
export {
  applyToEvidence,
  mayHaveRun,
  NO_EVIDENCE,
  type CommandFact,
  type EvidenceFold,
  type PlanStep,
  type SkillFact,
  type TurnEvidence,
} from '../runtime/turn-evidence.ts';

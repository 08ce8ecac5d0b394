export { storyIn } from '../runtime/compaction/summary.ts';
export {
  compactionFacts,
  eventsOf,
  tailOf,
  type CallFact,
  type CallFacts,
  type CompactionFacts,
  type DecisionFact,
  type NamedCount,
} from '../runtime/inspection/compaction-facts.ts';
export {
  basisWords,
  decisionWords,
  strategyWords,
  triggerWords,
} from '../runtime/inspection/compaction-words.ts';

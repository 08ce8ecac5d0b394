/** What reports are made of: loaded when one is opened. */
export { checkpointAt } from '../app/checkpoint.ts';
export { diagnoseSession, inspectRequest } from '../app/inspect.ts';
export { logExcerpt } from '../app/log-excerpt.ts';
export { compactionDocument, missingCompaction } from '../presenter/compaction-document.ts';
export { diagnosisDocument } from '../presenter/diagnosis-document.ts';
export { outgrownReport } from '../presenter/outgrown-report.ts';
export { requestDocument } from '../presenter/request-document.ts';
export { storageText } from './storage-text.ts';

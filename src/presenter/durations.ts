export { spanText, wholeSecondsText } from '../runtime/inspection/spoken-words.ts';

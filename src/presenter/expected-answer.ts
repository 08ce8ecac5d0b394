export { expectedAnswer } from '../runtime/expected-answer.ts';

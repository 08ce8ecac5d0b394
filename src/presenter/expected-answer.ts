export {
  expectedAnswer,
  rangeWords,
  type Bounds,
  type Choice,
  type ExpectedField,
  type FieldAnswer,
} from '../runtime/expected-answer.ts';

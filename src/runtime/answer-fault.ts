import {
  expectedAnswer,
  fits,
  rangeWords,
  takesNull,
  type Bounds,
  type ExpectedField,
  type FieldAnswer,
} from './expected-answer.ts';

/** Pure: what is wrong with an answer, in one sentence or two; null when it fits. */
export function answerFault(schema: unknown, answer: unknown): string | null {
  if (answer === null && takesNull(schema)) return null;
  const expected = expectedAnswer(schema);
  return expected.kind === 'form' ? formFault(expected.fields, answer) : fieldFault(expected, answer);
}

function fieldFault(expected: FieldAnswer, answer: unknown): string | null {
  return fits(expected, answer) ? null : `The answer is ${shown(answer)}${takenOnly(expected)}`;
}

/** What the schema does not name is let through: the model may know what it is. */
function formFault(fields: readonly ExpectedField[], answer: unknown): string | null {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) {
    const names = shortened(fields.map(({ name }) => JSON.stringify(name)).join(', '));
    return `The answer is ${shown(answer)}, but the question takes only an object with ${names}.`;
  }
  const given = new Map<string, unknown>(Object.entries(answer));
  for (const { name, required, nullable, expected } of fields) {
    const value = given.get(name);
    if (value === undefined && !required) continue;
    if (value === undefined) return `The answer has no ${shown(name)}, which the question needs.`;
    const fault = value === null && nullable ? null : fieldFault(expected, value);
    if (fault !== null) return `${fault} The field is ${shown(name)}.`;
  }
  return null;
}

/** Whole sentences, to be found again by those who translate them. */
function takenOnly(expected: FieldAnswer): string {
  switch (expected.kind) {
    case 'choice':
      return `, but the question takes only one of these: ${choicesOf(expected)}.`;
    case 'several':
      return `, but the question takes only a list of these: ${choicesOf(expected)}${listBounds(expected)}.`;
    case 'yes_no':
      return ', but the question takes only true or false.';
    case 'number':
      return numberOnly(expected.whole, rangeWords(expected));
    case 'text':
      return ', but the question takes only text.';
    case 'any':
      return '.';
  }
}

function numberOnly(whole: boolean, bounds: string): string {
  if (bounds === '')
    return whole
      ? ', but the question takes only a whole number.'
      : ', but the question takes only a number.';
  return whole
    ? `, but the question takes only a whole number (${bounds}).`
    : `, but the question takes only a number (${bounds}).`;
}

function choicesOf({ choices }: Extract<FieldAnswer, { kind: 'choice' | 'several' }>): string {
  return shortened(choices.map(({ value }) => JSON.stringify(value)).join(', '));
}

function listBounds(bounds: Bounds): string {
  const words = rangeWords(bounds);
  return words === '' ? '' : ` (${words})`;
}

const LONGEST = 300;

function shown(answer: unknown): string {
  return shortened(JSON.stringify(answer) ?? 'undefined');
}

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

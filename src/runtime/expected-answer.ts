/** What a question takes for an answer, as far as its schema says it in a way that is understood here. */
export type ExpectedAnswer =
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'yes_no' }
  | { readonly kind: 'number'; readonly whole: boolean }
  | { readonly kind: 'text' }
  | { readonly kind: 'any' };

/** Pure: one `enum` of texts, or else one `type`. Whatever else a schema says is between the model and the person. */
export function expectedAnswer(schema: unknown): ExpectedAnswer {
  if (typeof schema !== 'object' || schema === null) return { kind: 'any' };
  const choices = 'enum' in schema ? textsIn(schema.enum) : [];
  if (choices.length > 0) return { kind: 'choice', choices };
  switch ('type' in schema ? schema.type : undefined) {
    case 'boolean':
      return { kind: 'yes_no' };
    case 'number':
      return { kind: 'number', whole: false };
    case 'integer':
      return { kind: 'number', whole: true };
    case 'string':
      return { kind: 'text' };
    default:
      return { kind: 'any' };
  }
}

/** None where not all are texts. */
function textsIn(values: unknown): readonly string[] {
  if (!Array.isArray(values)) return [];
  const texts = values.filter((one) => typeof one === 'string');
  return texts.length === values.length ? [...new Set(texts)] : [];
}

/** Pure: what is wrong with an answer, in one sentence; null when it fits. */
export function answerFault(schema: unknown, answer: unknown): string | null {
  const expected = expectedAnswer(schema);
  if (fits(expected, answer)) return null;
  const given = shortened(JSON.stringify(answer) ?? 'undefined');
  switch (expected.kind) {
    case 'choice': {
      const choices = expected.choices.map((choice) => JSON.stringify(choice)).join(', ');
      return `The answer is ${given}, but the question takes only one of these: ${shortened(choices)}.`;
    }
    case 'yes_no':
      return `The answer is ${given}, but the question takes only true or false.`;
    case 'number':
      return expected.whole
        ? `The answer is ${given}, but the question takes only a whole number.`
        : `The answer is ${given}, but the question takes only a number.`;
    case 'text':
      return `The answer is ${given}, but the question takes only text.`;
    case 'any':
      return null;
  }
}

function fits(expected: ExpectedAnswer, answer: unknown): boolean {
  switch (expected.kind) {
    case 'choice':
      return typeof answer === 'string' && expected.choices.includes(answer);
    case 'yes_no':
      return typeof answer === 'boolean';
    case 'number':
      return expected.whole ? Number.isInteger(answer) : Number.isFinite(answer);
    case 'text':
      return typeof answer === 'string';
    case 'any':
      return true;
  }
}

const LONGEST = 300;

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

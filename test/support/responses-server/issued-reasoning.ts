import { modelOf, listAt } from './received-request.ts';
import type { Step } from './reply.ts';
import { isObject, type Refusal, refusal } from './refusals.ts';

const FIELD = '"encrypted_content":';

/** What this server has thought aloud, and as which model: nobody can send back anything else. */
export class IssuedReasoning {
  private readonly models = new Map<string, string>();

  /** However it is sent: as events, or as the bytes of these. */
  note(steps: readonly Step[], model: string): void {
    const sent = steps.map((step) => {
      if (step.kind === 'events') return Buffer.from(JSON.stringify(step.list));
      return Buffer.from(step.kind === 'bytes' ? step.bytes : '');
    });
    for (const content of contentsIn(Buffer.concat(sent).toString())) this.models.set(content, model);
  }

  check(body: unknown): Refusal | null {
    const foreign = listAt(body, 'input').find(
      (item) =>
        isObject(item) &&
        item.type === 'reasoning' &&
        this.models.get(String(item.encrypted_content)) !== modelOf(body),
    );
    if (!isObject(foreign)) return null;
    const message = `The encrypted content for item ${String(foreign.id)} could not be verified.`;
    return refusal(message, 'input', 'invalid_encrypted_content');
  }
}

/** By hand: a regular expression runs out of stack over megabytes, and how many depends on what ran before. */
function contentsIn(text: string): string[] {
  return text.split(FIELD).flatMap((rest, index) => {
    if (index === 0 || !rest.startsWith('"')) return [];
    let end = rest.indexOf('"', 1);
    while (end !== -1 && isEscaped(rest, end)) end = rest.indexOf('"', end + 1);
    return end === -1 ? [] : [JSON.parse(rest.slice(0, end + 1)) as string];
  });
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

import { modelOf, listAt } from './received-request.ts';
import type { Step } from './reply.ts';
import { isObject, type Refusal, refusal } from './refusals.ts';

const CONTENT = /"encrypted_content":("(?:[^"\\]|\\.)*")/gu;

/** What this server has thought aloud, and as which model: nobody can send back anything else. */
export class IssuedReasoning {
  private readonly models = new Map<string, string>();

  /** However it is sent: as events, or as the bytes of these. */
  note(steps: readonly Step[], model: string): void {
    const sent = steps.map((step) => {
      if (step.kind === 'events') return Buffer.from(JSON.stringify(step.list));
      return Buffer.from(step.kind === 'bytes' ? step.bytes : '');
    });
    for (const [, content] of Buffer.concat(sent).toString().matchAll(CONTENT))
      this.models.set(JSON.parse(content ?? '') as string, model);
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

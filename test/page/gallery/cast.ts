import type { Model, Said } from '../../support/responses-server/answering.ts';
import type { ReceivedRequest } from '../../support/responses-server/received-request.ts';

/**
 * What a model says in each of several sessions, one entry a request: by words in the first prompt of the session. The
 * first role that fits is taken.
 */
export type Cast = Readonly<Record<string, readonly Said[]>>;

const OVER: Said = { text: 'Nothing was scripted.' };

/** A model that goes by its lines; each that is made begins anew. */
export function castModel(lines: Cast | readonly Said[]): Model {
  const roles = Object.entries(isScript(lines) ? { '': lines } : lines);
  const counts = new Map<string, number>();
  return (request) => {
    const first = firstPrompt(request);
    const [role, script] = roles.find(([words]) => first.includes(words)) ?? ['', []];
    const at = counts.get(role) ?? 0;
    counts.set(role, at + 1);
    return script[at] ?? OVER;
  };
}

function isScript(lines: Cast | readonly Said[]): lines is readonly Said[] {
  return Array.isArray(lines);
}

/** What the session was first asked; what the runtime adds is marked. */
function firstPrompt({ input }: ReceivedRequest): string {
  for (const item of input as readonly { role?: string; content?: readonly { text?: string }[] }[]) {
    const text = item.role === 'user' ? (item.content?.[0]?.text ?? '') : '';
    if (text !== '' && !text.startsWith('[Ledgerline ')) return text;
  }
  return '';
}

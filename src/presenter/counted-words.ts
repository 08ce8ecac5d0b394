import { sentence, type Words } from '../runtime/inspection/spoken-words.ts';

/** How many of what a request is made of. */

export function manyItems(n: number): Words {
  return n === 1 ? sentence('1 item') : sentence('{0} items', { count: n });
}

export function manyBytes(n: number): Words {
  return n === 1 ? sentence('1 byte') : sentence('{0} bytes', { count: n });
}

export function manyTokens(n: number): Words {
  return n === 1 ? sentence('1 token') : sentence('{0} tokens', { count: n });
}

export function manyEvents(n: number): Words {
  return n === 1 ? sentence('1 event') : sentence('{0} events', { count: n });
}

export function manyProblems(n: number): Words {
  if (n === 0) return sentence('none');
  return n === 1 ? sentence('1 problem') : sentence('{0} problems', { count: n });
}

import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/**
 * The lines of a stream, split at newlines and nothing else: JSON may hold every other character that some
 * take for the end of a line. A line may come in many pieces: they are joined once.
 */
export async function* inputLines(input: Readable): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let pieces: string[] = [];
  for await (const chunk of input) {
    const [head = '', ...others] = decoder.write(chunk).split('\n');
    pieces.push(head);
    for (const other of others) {
      yield pieces.join('');
      pieces = [other];
    }
  }
  const last = pieces.join('') + decoder.end();
  if (last !== '') yield last;
}

import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/**
 * The lines of a stream, split at newlines and nothing else: JSON may hold every other character that some
 * take for the end of a line.
 */
export async function* inputLines(input: Readable): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of input) {
    const pieces = (rest + decoder.write(chunk)).split('\n');
    rest = pieces.pop() ?? '';
    yield* pieces;
  }
  const last = rest + decoder.end();
  if (last !== '') yield last;
}

import { expect, test } from 'vitest';
import { imageType } from '../../src/presenter/image-type.ts';

test.each([
  ['\u0089PNG\r\n\u001a\n....', 'image/png'],
  ['\u00ff\u00d8\u00ff\u00e0', 'image/jpeg'],
  ['GIF89a..', 'image/gif'],
  ['RIFF....WEBPVP8 ', 'image/webp'],
  ['RIFF....WAVEfmt ', null],
  ['<svg xmlns="http://www.w3.org/2000/svg">', null],
  ['', null],
])('%j is %s', (bytes, type) => {
  expect(imageType(Buffer.from(bytes, 'latin1'))).toBe(type);
});

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codeInfo } from '../../../webview/markdown/code-info.ts';
import { codeText, wholeCode } from '../../../src/presenter/markdown/code-text.ts';
import { highlighted } from '../../../webview/markdown/highlighting.ts';
import { LANGUAGES } from '../../../webview/markdown/languages.ts';

describe('what a block of code says of itself', () => {
  test.each([
    ['ts', '', { language: 'ts', path: null, guess: null }],
    ['', 'plain', { language: '', path: null, guess: null }],
    ['ts src/a.ts', '', { language: 'ts', path: 'src/a.ts', guess: null }],
    ['ts:src/a.ts', '', { language: 'ts', path: 'src/a.ts', guess: null }],
    ['TypeScript title="src/a b.ts"', '', { language: 'typescript', path: 'src/a b.ts', guess: null }],
    ["js file='a.js' {1,3}", '', { language: 'js', path: 'a.js', guess: null }],
    ['src/a.py', '', { language: 'py', path: 'src/a.py', guess: null }],
    ['ts', '// src/a.ts', { language: 'ts', path: 'src/a.ts', guess: null }],
    ['python', '# path: src/a.py', { language: 'python', path: 'src/a.py', guess: null }],
    ['html', '<!-- index.html -->', { language: 'html', path: null, guess: 'index.html' }],
    ['css', '/* a.css */', { language: 'css', path: null, guess: 'a.css' }],
    ['ts', '// see the docs', { language: 'ts', path: null, guess: null }],
    ['sh', '#!/bin/sh', { language: 'sh', path: null, guess: null }],
    ['js {1,3}', '', { language: 'js', path: null, guess: null }],
    ['js{1,3}', '', { language: 'js', path: null, guess: null }],
    ['ts javascript:alert(1)', '', { language: 'ts', path: null, guess: null }],
    ['ts file:///etc/passwd', '', { language: 'ts', path: null, guess: null }],
    ['sh', '# example.com', { language: 'sh', path: null, guess: null }],
    ['sh', '# deploy.sh', { language: 'sh', path: null, guess: 'deploy.sh' }],
    ['js', '// node.js', { language: 'js', path: null, guess: 'node.js' }],
    ['ts a.ts', '// b.ts', { language: 'ts', path: 'a.ts', guess: null }],
  ])('%j with %j', (info, firstLine, expected) => {
    expect(codeInfo(info, firstLine)).toEqual(expected);
  });
});

const code = fc
  .array(fc.constantFrom('const a = 1;', '', '  indented', '}', 'x'.repeat(5_000), '/* open', '`'), {
    maxLength: 200,
  })
  .map((lines) => lines.join('\n'));

describe('the pieces of a code', () => {
  test('make up the whole, none of them long', () => {
    fc.assert(
      fc.property(code, (text) => {
        const { full, open, lines } = codeText(text);
        expect(wholeCode(codeText(text))).toBe(text);
        expect(Math.max(open.length, ...full.map((one) => one.length))).toBeLessThanOrEqual(4_096 + 1);
        expect(lines).toBe(text === '' ? 0 : text.split('\n').length);
      }),
      { seed: 20261116 },
    );
  });
});

describe('colours', { timeout: 60_000 }, () => {
  test('lose nothing of the code, in any language', () => {
    fc.assert(
      fc.property(code, fc.constantFrom(...Object.keys(LANGUAGES), 'no such', ''), (text, language) => {
        const spans = highlighted(text.slice(0, 500), language);
        expect(spans.map((span) => span.text).join('')).toBe(text.slice(0, 500));
      }),
      { seed: 20261116 },
    );
  });

  test.each(Object.keys(LANGUAGES))('%s is known', (language) => {
    const sample = '# a\n// b\n"c" 1 <d e="f">\n+ g\n- h\n[i]\nj: 2\nreturn if class select * from RUN $k';
    expect(highlighted(sample, language).some((span) => span.tone !== null)).toBe(true);
  });

  test('are not looked for in a line that nobody wrote', () => {
    const text = `const a = 1;\n${'x'.repeat(1_000)}`;
    expect(highlighted(text, 'ts')).toEqual([{ tone: null, text }]);
  });

  test('follow the code into another language', () => {
    const tones = highlighted('<script>const a = 1;</script>', 'html');
    expect(tones).toContainEqual({ tone: 'keyword', text: 'const' });
  });
});

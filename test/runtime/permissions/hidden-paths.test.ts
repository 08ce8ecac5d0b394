import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { hiddenPaths } from '../../../src/runtime/permissions/hidden-paths.ts';
import type { RuleTexts } from '../../../src/runtime/permissions/rules.ts';
import { permission, rules } from './verdicts.ts';
import { searchRuns } from '../../support/search-runs.ts';

const PATHS = ['a.txt', 'src', 'src/a.txt', 'src/deep', 'src/deep/b.pem', 'lib', 'lib/src'];

function hiddenFrom(start: string, texts: Partial<RuleTexts>, remembered: Partial<RuleTexts> = {}) {
  const sets = { rules: rules(texts), remembered: rules(remembered) };
  const { any, hides } = hiddenPaths({ tool: 'search_text', start }, sets);
  return { any, hidden: PATHS.filter((path) => hides(path)) };
}

test('without a rule about the tool nothing is hidden', () => {
  expect(hiddenFrom('.', {})).toEqual({ any: false, hidden: [] });
  expect(hiddenFrom('.', { deny: ['read_file(src/**)'], allow: ['search_text(src/**)'] })).toEqual({
    any: false,
    hidden: [],
  });
});

test('what a rule denies or asks about is hidden, a folder with what is in it', () => {
  const src = { any: true, hidden: ['src', 'src/a.txt', 'src/deep', 'src/deep/b.pem'] };
  expect(hiddenFrom('.', { deny: ['search_text(src/**)'] })).toEqual(src);
  expect(hiddenFrom('.', { ask: ['search_text(SRC/)'] })).toEqual(src);
  expect(hiddenFrom('.', {}, { deny: ['search_text(src/**)'] })).toEqual(src);
  expect(hiddenFrom('.', { deny: ['search_text(*.pem)'] })).toEqual({
    any: true,
    hidden: ['src/deep/b.pem'],
  });
  expect(hiddenFrom('.', { deny: ['search_text(src)'] })).toEqual({ any: true, hidden: ['src', 'lib/src'] });
});

test('a rule that was asked about the start has been answered for all below it', () => {
  expect(hiddenFrom('src', { ask: ['search_text(src/**)'] })).toEqual({ any: false, hidden: [] });
  expect(hiddenFrom('.', { ask: ['search_text'] })).toEqual({ any: false, hidden: [] });
  expect(hiddenFrom('src', { ask: ['search_text', 'search_text(src/deep/**)'] })).toEqual({
    any: true,
    hidden: ['src/deep', 'src/deep/b.pem'],
  });
});

test('a rule about another folder says nothing about this one', () => {
  expect(hiddenFrom('lib', { deny: ['search_text(src/**)', 'search_text(./src/*)'] })).toEqual({
    any: false,
    hidden: [],
  });
  expect(hiddenFrom('src', { deny: ['search_text(./Src/deep/*)'] })).toEqual({
    any: true,
    hidden: ['src/deep', 'src/deep/b.pem'],
  });
});

test('whatever a call by name would be denied is hidden from one that starts above it', () => {
  const name = fc.constantFrom('a', 'b', 'src', 'é', 'B.txt');
  const path = fc.array(name, { minLength: 2, maxLength: 4 });
  const piece = fc.constantFrom('a', 'b', 'SRC', 'é', '*', '**', '?', '*.txt', '.', '');
  const glob = fc
    .array(piece, { minLength: 1, maxLength: 4 })
    .map((pieces) => pieces.join('/'))
    .filter((text) => text !== '');
  fc.assert(
    fc.property(path, glob, fc.nat(3), (segments, text, depth) => {
      const texts = { deny: [`search_text(${text})`] };
      const whole = segments.join('/');
      const start = segments.slice(0, Math.min(depth, segments.length - 1)).join('/') || '.';
      const { decision } = permission('search_text', whole, { rules: rules(texts) });
      const { hides } = hiddenPaths(
        { tool: 'search_text', start },
        { rules: rules(texts), remembered: rules({}) },
      );
      expect(hides(whole)).toBe(decision === 'deny');
    }),
    { numRuns: searchRuns(2000), seed: 7 },
  );
});

import { describe, expect, it } from 'vitest';
import { joinRules } from '../../../src/runtime/permissions/rules.ts';
import { Random } from '../../simulation/random.ts';
import { ShellLines } from './shell-lines.ts';
import { permission, rules } from './verdicts.ts';

/** Properties of what "always" and "never" remember, over made-up lines and paths. */

const generator = new ShellLines(new Random(23), { depth: 1, wrappers: true, damage: false });
const simple = ['a p', "b 'p q' *", 'c "" \\;', 'd ~/x', 'a; b p', 'a | c -r', "bash -c 'a p; b'", 'nice a'];
const LINES = [...simple, ...Array.from({ length: 1_500 }, () => generator.next())];
const OFFERED = LINES.flatMap((line) => {
  const { always, never } = permission('run_command', line);
  return always.length > 0 ? [{ line, always, never }] : [];
});

describe('what is remembered for a command', () => {
  it('is there for enough lines to tell', () => {
    expect(OFFERED.length).toBeGreaterThan(100);
  });

  it('lets exactly the same call pass', () => {
    for (const { line, always } of OFFERED) {
      const remembered = rules({ allow: always });
      expect([line, remembered.problems, permission('run_command', line, { remembered }).decision]).toEqual([
        line,
        [],
        'allow',
      ]);
    }
  });

  it('is never about the whole tool', () => {
    for (const { always, never } of OFFERED) {
      for (const rule of [...always, ...never]) expect(rule).toMatch(/^run_command\([^*]/s);
      expect(permission('run_command', 'other', { remembered: rules({ allow: always }) }).decision).toBe(
        'ask',
      );
    }
  });

  it('does not let the same commands pass with one more word, or another', () => {
    for (const { line, always } of OFFERED) {
      const remembered = rules({ allow: always });
      for (const rule of always) {
        const text = rule.slice('run_command('.length, -1).replaceAll(/\\([*?\\()[\]{}])/g, '$1');
        for (const changed of [
          `${text} more`,
          `${text}x`,
          `x${text}`,
          `${text} ''`,
          `${text}; other`,
          `${text} $X`,
        ])
          expect([line, changed, permission('run_command', changed, { remembered }).decision]).toEqual([
            line,
            changed,
            'ask',
          ]);
      }
    }
  });

  it('denies the same call ever after, if that was the answer', () => {
    for (const { line, never } of OFFERED.filter((one) => one.never.length > 0)) {
      const remembered = joinRules(rules({ allow: ['run_command'] }), rules({ deny: never }));
      expect([line, permission('run_command', line, { remembered, mode: 'auto' }).decision]).toEqual([
        line,
        'deny',
      ]);
    }
  });
});

describe('more rules', () => {
  it('that ask or deny never make a decision laxer, and more that allow never make it stricter', () => {
    const random = new Random(31);
    const strength = { allow: 0, ask: 1, deny: 2 } as const;
    const globs = ['a', 'a *', 'b*', '*', 'c p', '* q', 'bash*', 'env *', '?'].map(
      (glob) => `run_command(${glob})`,
    );
    const some = (): string[] => globs.filter(() => random.chance(0.2));
    for (const line of LINES.slice(0, 600)) {
      const texts = { allow: some(), ask: some(), deny: some() };
      const mode = random.pick(['ask', 'auto', 'read_only'] as const);
      const decide = (more: object): number =>
        strength[permission('run_command', line, { mode, rules: rules({ ...texts, ...more }) }).decision];
      const now = decide({});
      expect(decide({ deny: [...texts.deny, ...some()] })).toBeGreaterThanOrEqual(now);
      expect(decide({ ask: [...texts.ask, ...some()] })).toBeGreaterThanOrEqual(now);
      expect(decide({ allow: [...texts.allow, ...some()] })).toBeLessThanOrEqual(now);
    }
  });
});

describe('what is remembered for a path', () => {
  it('is about that path only', () => {
    const random = new Random(41);
    const names = ['a', 'B', 'src', '*', '?', '(x)', '[y]', 'é', 'a b', '.x', '{}', '\\', '**'];
    for (let round = 0; round < 500; round += 1) {
      const path = Array.from({ length: random.between(1, 4) }, () => random.pick(names)).join('/');
      const { always } = permission('write_file', path);
      expect([path, always.length]).toEqual([path, 1]);
      const remembered = rules({ allow: always });
      expect([path, permission('write_file', path, { remembered }).decision]).toEqual([path, 'allow']);
      for (const other of [`${path}x`, `x${path}`, `x/${path}`, `${path}/x`, path.replace(/^./su, 'z')])
        expect([path, other, permission('write_file', other, { remembered }).decision]).toEqual([
          path,
          other,
          'ask',
        ]);
    }
  });
});

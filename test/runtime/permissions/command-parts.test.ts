import { describe, expect, it } from 'vitest';
import { splitCommand } from '../../../src/runtime/permissions/command-parts.ts';
import { searchRuns } from '../../support/search-runs.ts';

function parts(line: string): readonly string[] | string {
  const split = splitCommand(line, 'posix');
  return split.kind === 'parts' ? split.parts.map((part) => part.text) : `unparsed: ${split.why}`;
}

const raw = String.raw;

describe('a command line is split', () => {
  it.each<[string, readonly string[]]>([
    ['', []],
    ['  \n\t\n', []],
    ['# only a comment', []],
    ['ls', ['ls']],
    ['a; b', ['a', 'b']],
    ['a && b || c', ['a', 'b', 'c']],
    ['a | b |& c', ['a', 'b', 'c']],
    ['a & b &', ['a', 'b']],
    ['a\nb\n', ['a', 'b']],
    ['a&&b||c;d|e&f', ['a', 'b', 'c', 'd', 'e', 'f']],
    ['a # b; c', ['a']],
    ['a;#b\nc', ['a', 'c']],
    ['a#b', ['a#b']],
    ['a \\\n b', ['a b']],
    ['r\\\nm x', ['rm x']],
    ['a &\\\n& b', ['a', 'b']],
    ['! a', ['a']],
    ['time a | b', ['a', 'b']],
    ['time { a; }', ['a']],
  ])('%j', (line, expected) => {
    expect(parts(line)).toEqual(expected);
  });
});

describe('words are what the shell makes of them', () => {
  it.each<[string, readonly string[]]>([
    [raw`r\m -rf "x"`, ['rm -rf x']],
    [`'r'"m" x`, ['rm x']],
    [`"rm"  -rf\t'x'`, ['rm -rf x']],
    [`echo 'a b' "c"`, [`echo 'a b' c`]],
    [`echo ""`, [`echo ''`]],
    [`echo "it's"`, [raw`echo 'it'\''s'`]],
    [raw`echo \; \"`, [`echo ';' '"'`]],
    [`echo '*' *`, [`echo '*' *`]],
    [`echo '~' ~/x`, [`echo '~' ~/x`]],
    [`echo '$x' $x "$x"`, [`echo '$x' $x $x`]],
    [raw`echo "a\$b\"c\d"`, [raw`echo 'a$b"c\d'`]],
    ['echo a$ b', [`echo 'a$' b`]],
    ['echo "a\nb"', ["echo 'a\nb'"]],
    ['echo {} {a} a{', ['echo {} {a} a{']],
    [`X="a b"'c d'e "Y=1" f`, [`X='a bc de' Y=1 f`]],
    ['d <() x', ['d <() x']],
    [`find . -name '*.ts'`, [`find . -name '*.ts'`]],
  ])('%j', (line, expected) => {
    expect(parts(line)).toEqual(expected);
  });
});

describe('what is inside is found', () => {
  it.each<[string, readonly string[]]>([
    ['(a; b)', ['a', 'b']],
    ['{ a; b; }', ['a', 'b']],
    ['echo $(rm x)', ['rm x', 'echo $(rm x)']],
    ['echo "a $(rm "b c") d"', ["rm 'b c'", `echo 'a '$(rm "b c")' d'`]],
    ['echo `rm x`', ['rm x', 'echo `rm x`']],
    ['echo "`rm x`"', ['rm x', 'echo `rm x`']],
    ['echo `a \\`b\\``', ['b', 'a `b`', 'echo `a \\`b\\``']],
    ['X=$(rm x)', ['rm x', 'X=$(rm x)']],
    ['X=$(rm x) a', ['rm x', 'X=$(rm x) a']],
    ['a > $(rm x)', ['rm x', 'a > $(rm x)']],
    ['a <(rm x) >(rm y)', ['rm x', 'rm y', 'a <(rm x) >(rm y)']],
    ['echo $((1 + $(rm x)))', ['rm x', 'echo $((1 + $(rm x)))']],
    ['echo ${x:-$(rm x)}', ['rm x', 'echo ${x:-$(rm x)}']],
    ['echo "$(echo "$(rm x)")"', ['rm x', 'echo $(rm x)', 'echo $(echo "$(rm x)")']],
    ['"$\\\n(rm x)"', ['rm x', '$\\\n(rm x)']],
    ['"\\\\\n$(rm x)"', ['rm x', "'\\\n'$(rm x)"]],
    ['if a; then b; elif c; then d; else e; fi', ['a', 'b', 'c', 'd', 'e']],
    ['while a; do b; done; until c; do d; done', ['a', 'b', 'c', 'd']],
    ['for x in 1 2; do a "$x"; done', ['for x in 1 2', 'a $x']],
    ['for x\ndo a; done', ['for x', 'a']],
    ['case $x in (p|q) a;; *) b;& "r s") c;;& t) esac', ['case $x in', 'a', 'b', 'c']],
    ['f() { a; }; f', ['f ()', 'a', 'f']],
    ['function f { a; }', ['f ()', 'a']],
    ['[[ -f x ]] && a', ['[[ -f x ]]', 'a']],
    ['[[ $(a) == b ]]', ['a', '[[ $(a) == b ]]']],
    ['[[ a && -f b ]]', ['[[ a && -f b ]]', '[[ a', '-f b ]]']],
    ['{ a; } > f', ['a', '> f']],
    ['(a) 2>&1 >/dev/null | b', ['a', 'b']],
    ['cat <<E\n$(rm x) `rm y`\n\\$(no)\nE\nb', ['cat << E', 'rm x', 'rm y', 'b']],
    ["cat <<'E'\n$(rm x)\nE\nb", ['cat << E', 'b']],
    ['cat <<-E | a\n\tx\n\tE\nb', ['cat <<- E', 'a', 'b']],
    ['a <<A <<B\n$(x)\nA\n$(y)\nB\nb', ['a << A << B', 'x', 'y', 'b']],
    ["echo \"$(cat <<'E'\nit's (fine\nE\n)\"", ['cat << E', "echo $(cat <<'E'\nit's (fine\nE\n)"]],
  ])('%j', (line, expected) => {
    expect(parts(line)).toEqual(expected);
  });
});

describe('what programs run is found', () => {
  it.each<[string, readonly string[]]>([
    ['env rm x', ['env rm x', 'rm x']],
    ['env -i A=1 "B=2" rm x', ['env -i A=1 B=2 rm x', 'rm x']],
    ['env - rm x', ['env - rm x', 'rm x']],
    ['/usr/bin/env rm x', ['/usr/bin/env rm x', 'rm x']],
    ['command -p rm x', ['command -p rm x', 'rm x']],
    ['command -v rm', ['command -v rm']],
    ['builtin eval "rm x"', ["builtin eval 'rm x'", "eval 'rm x'", 'rm x']],
    ['exec -a name rm x', ['exec -a name rm x', 'rm x']],
    ['nohup nice -n 5 rm x', ['nohup nice -n 5 rm x', 'nice -n 5 rm x', 'rm x']],
    ['timeout -k 1 5s rm x', ['timeout -k 1 5s rm x', 'rm x']],
    ['sudo -u root -- rm x', ['sudo -u root -- rm x', 'rm x']],
    ['doas rm x', ['doas rm x', 'rm x']],
    ['stdbuf -oL rm x', ['stdbuf -oL rm x', 'rm x']],
    ['setsid -w rm x', ['setsid -w rm x', 'rm x']],
    ['a | xargs -0 -n1 rm -f', ['a', 'xargs -0 -n1 rm -f', 'rm -f …']],
    ['xargs -I{} rm {} x', ['xargs -I{} rm {} x', 'rm {} x']],
    ['eval "a; b" c', ["eval 'a; b' c", 'a', 'b c']],
    [`bash -c 'rm x; echo "$(b)"'`, [`bash -c 'rm x; echo "$(b)"'`, 'rm x', 'b', 'echo $(b)']],
    ['sh -ec "rm x"', ["sh -ec 'rm x'", 'rm x']],
    ['bash -euo pipefail -c "rm x" _ y', ["bash -euo pipefail -c 'rm x' _ y", 'rm x']],
    [`bash -c "bash -c 'rm x'"`, [raw`bash -c 'bash -c '\''rm x'\'''`, "bash -c 'rm x'", 'rm x']],
    [
      'find . -exec rm {} + -o -ok mv {} x \\;',
      [`find . -exec rm {} + -o -ok mv {} x ';'`, 'rm {}', 'mv {} x'],
    ],
    ['watch -n 1 "a; b"', ["watch -n 1 'a; b'", 'a', 'b']],
    [`trap 'rm x' EXIT`, [`trap 'rm x' EXIT`, 'rm x']],
    ['bash script.sh', ['bash script.sh']],
    ['env', ['env']],
  ])('%j', (line, expected) => {
    expect(parts(line)).toEqual(expected);
  });
});

describe('a line is not understood', () => {
  it.each([
    `echo 'a`,
    'echo "a',
    'echo `a',
    'echo $(a',
    '(a',
    'a)',
    '{ a',
    '{ a }',
    'a &&',
    'a |',
    '| a',
    'a;;b',
    'a ; ; b',
    '&& a',
    'a &; b',
    'if a; then b',
    'if a; fi',
    'fi',
    'for x in a; do b',
    'for ((i=0;i<3;i++)); do a; done',
    '((i++))',
    'case x in a) b',
    'select x in a; do b; done',
    'coproc a',
    'cat <<E\nx',
    'cat <<E\nx\\\nE\n',
    'cat <<$x\n$x',
    'cat <<E "\n"\nE\n',
    'x=(a b)',
    'a[0]=1 b',
    'a[ # ]=1; rm x',
    'declare a[ # ]=1; rm x',
    'echo @(a|b)',
    'a >',
    'a > > b',
    '{fd}> x',
    'echo 12> x',
    'a &> x b',
    'echo \\',
    `echo $'it\\'s'`,
    'echo $"a"',
    'echo $[1+1]',
    'echo ${x:-"$(rm x)"}',
    'echo "${x:-\'$(rm x)\'}"',
    'echo ${ rm x; }',
    'echo $((a) | (rm x))',
    'echo $(a # )\n)',
    'echo $(case x in a) b;; esac)',
    '[[ a < b ]]',
    'time -o f rm x',
    `bash -c 'a "'`,
    `eval 'a "'`,
    'ls\u00A0x',
    'ls\u2003x',
    'rm\u200B x',
    'ls\r\nrm x',
    'ls\u0007',
    '('.repeat(60) + 'a' + ')'.repeat(60),
  ])('%j', (line) => {
    expect(parts(line)).toMatch(/^unparsed: ./);
  });
});

/** Thousands of parts, and more in a longer search. */
const MANY = searchRuns(1_000);
/** Milliseconds that a reading may take beside what its length accounts for: collected garbage, and a coarse clock. */
const SLACK = 50;

/** Milliseconds of this thread alone, whatever else the machine does. */
function readingTime(line: string): number {
  const before = process.threadCpuUsage();
  const { kind } = splitCommand(line, 'posix');
  const { user, system } = process.threadCpuUsage(before);
  expect(['parts', 'unparsed']).toContain(kind);
  return (user + system) / 1000;
}

describe('a long line', () => {
  it.each<[string, (n: number) => string]>([
    ['many commands', (n) => 'echo a;'.repeat(15 * n)],
    ['many words', (n) => `echo ${'word '.repeat(20 * n)}`],
    ['one word', (n) => `echo ${'x'.repeat(100 * n)}`],
    ['one string', (n) => `echo '${'x y '.repeat(25 * n)}'`],
    ['many quotes', (n) => `echo ${'"a"'.repeat(30 * n)}`],
    ['many expansions', (n) => `echo ${'$x'.repeat(50 * n)}`],
    ['many substitutions', (n) => `echo ${'$(a) '.repeat(20 * n)}`],
    ['many joined lines', (n) => `echo ${'\\\n'.repeat(50 * n)}`],
    ['many opened parentheses', (n) => '('.repeat(100 * n)],
    ['many opened substitutions', (n) => 'echo $('.repeat(15 * n)],
    ['many wrappers', (n) => 'env '.repeat(25 * n)],
    ['many words of a wrapper', (n) => `strace ${'a '.repeat(50 * n)}`],
    ['many elifs', (n) => `if a; then b; ${'elif c; then d; '.repeat(6 * n)}fi`],
    ['many here-documents', (n) => 'a <<E\nE\n'.repeat(12 * n)],
    ['backslashes', (n) => '\\'.repeat(100 * n)],
    ['backticks', (n) => '`'.repeat(100 * n)],
    ['braces', (n) => 'echo ' + '{a,'.repeat(30 * n)],
    ['brackets', (n) => 'echo ' + '['.repeat(100 * n)],
  ])(
    'of %s is read in time',
    (_, lineOf) => {
      const quarter = Math.min(...[1, 2].map(() => readingTime(lineOf(MANY / 4))));
      // Four times as long, about four times the time: it is sixteen where much is read again for each part.
      const limit = 10 * quarter + SLACK;
      const line = lineOf(MANY);
      let whole = readingTime(line);
      for (let again = 0; whole > limit && again < 3; again += 1) whole = Math.min(whole, readingTime(line));
      expect(whole).toBeLessThan(limit);
    },
    searchRuns(20_000),
  );
});

it('no shell, no parts', () => {
  expect(splitCommand('ls', 'none').kind).toBe('unparsed');
});

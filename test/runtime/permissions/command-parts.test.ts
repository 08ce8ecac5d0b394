import { describe, expect, it } from 'vitest';
import { splitCommand } from '../../../src/runtime/permissions/command-parts.ts';

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

describe('a long line', () => {
  it.each([
    ['many commands', 'echo a;'.repeat(5_000)],
    ['many words', `echo ${'word '.repeat(10_000)}`],
    ['one word', `echo ${'x'.repeat(100_000)}`],
    ['one string', `echo '${'x y '.repeat(25_000)}'`],
    ['many quotes', `echo ${'"a"'.repeat(30_000)}`],
    ['many expansions', `echo ${'$x'.repeat(20_000)}`],
    ['many substitutions', `echo ${'$(a) '.repeat(8_000)}`],
    ['many joined lines', `echo ${'\\\n'.repeat(50_000)}`],
    ['many opened parentheses', '('.repeat(100_000)],
    ['many opened substitutions', 'echo $('.repeat(15_000)],
    ['many wrappers', 'env '.repeat(10_000)],
    ['many words of a wrapper', `strace ${'a '.repeat(20_000)}`],
    ['many elifs', `if a; then b; ${'elif c; then d; '.repeat(3_000)}fi`],
    ['many here-documents', 'a <<E\nE\n'.repeat(5_000)],
    ['backslashes', '\\'.repeat(100_000)],
    ['backticks', '`'.repeat(100_000)],
    ['braces', 'echo ' + '{a,'.repeat(30_000)],
    ['brackets', 'echo ' + '['.repeat(100_000)],
  ])(
    'of %s is read in time',
    (_, line) => {
      const split = splitCommand(line, 'posix');
      expect(['parts', 'unparsed']).toContain(split.kind);
    },
    20_000,
  );
});

it('no shell, no parts', () => {
  expect(splitCommand('ls', 'none').kind).toBe('unparsed');
});

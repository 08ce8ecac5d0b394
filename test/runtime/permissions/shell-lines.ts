import type { Random } from '../../simulation/random.ts';

/** Makes command lines out of a grammar of harmless commands: a, b, c and d only tell that they ran. */

export interface LineOptions {
  readonly depth: number;
  /** Programs that run others may stand in front of a command. */
  readonly wrappers: boolean;
  /** Characters are changed at random, so that much of it is no longer meant to be correct. */
  readonly damage: boolean;
}

const NAMES = ['a', 'b', 'c', 'd'] as const;
const BITS = [
  'p',
  'q',
  '-r',
  'x=y',
  'k.l',
  'm/n',
  '@',
  '%',
  '^',
  ',',
  ':',
  '+',
  ']',
  '{}',
  '!',
  '1',
] as const;
const QUOTABLE = [
  'p q',
  ' ',
  ';',
  '&& a',
  '| b',
  '$(c)',
  '`d`',
  '# a',
  '*',
  '~',
  '$x',
  '\\',
  '"',
  '>',
  '(',
  'é',
  '',
];
const DAMAGE = Array.from('\'"\\$`();&|<>{}[]#!~*?= \n\t1x=,');

export class ShellLines {
  constructor(
    private readonly random: Random,
    private readonly options: LineOptions,
  ) {}

  next(): string {
    const line = this.list(this.options.depth);
    return this.options.damage ? this.damaged(line) : line;
  }

  private damaged(line: string): string {
    const characters = Array.from(line);
    for (let left = this.random.between(0, 3); left > 0; left -= 1) {
      const at = this.random.below(characters.length + 1);
      const removed = this.random.chance(0.5) ? 1 : 0;
      characters.splice(at, removed, ...(this.random.chance(0.7) ? [this.random.pick(DAMAGE)] : []));
    }
    return characters.join('');
  }

  private list(depth: number): string {
    const count = this.random.between(1, depth > 1 ? 3 : 2);
    let text = '';
    for (let at = 0; at < count; at += 1) {
      const last = at === count - 1;
      text += this.random.chance(0.12) ? this.hereDocument(depth) : this.andOr(depth) + this.separator(last);
    }
    return text;
  }

  private separator(last: boolean): string {
    const ends = ['; ', ';', '\n', ' # c; b\n', ' &\n', ' & '];
    return this.random.pick(
      last
        ? ['', '', ';', '\n', ' ', ...(this.isDeep ? [] : [' # a'])]
        : this.isDeep
          ? ends.filter((one) => !one.includes('#'))
          : ends,
    );
  }

  private isDeep = false;

  private andOr(depth: number): string {
    const joint = this.random.pick([' && ', ' || ', '&&', '||', ' &&\n', ' | ', '|', ' |& ', '&\\\n& ']);
    return this.random.chance(0.25) ? this.command(depth) + joint + this.command(depth) : this.command(depth);
  }

  private command(depth: number): string {
    if (depth <= 0 || this.random.chance(0.55)) return this.simple(depth);
    const inner = (): string => this.list(depth - 1);
    const end = (): string => this.random.pick(['\n', ';']);
    const body = (): string => `${this.simple(depth - 1)}${end()}`;
    switch (
      this.random.weighted({
        group: 3,
        sub: 3,
        if: 2,
        for: 2,
        case: 2,
        fn: 2,
        test: 2,
        not: 2,
        while: this.options.damage ? 0 : 2,
      })
    ) {
      case 'group':
        return `{ ${inner()}\n}${this.redirects()}`;
      case 'sub':
        return `( ${inner()}\n)${this.redirects()}`;
      case 'if':
        return `if ${body()}then ${inner()}\n${this.random.pick(['', `elif ${body()}then ${body()}`])}else ${body()}fi`;
      case 'for':
        return `for x in ${this.word(depth - 1)} ${this.word(0)}; do ${inner()}\ndone${this.redirects()}`;
      case 'while':
        return `${this.random.pick(['while', 'until'])} ${body()}do ${inner()}\nbreak; done`;
      case 'case':
        return `case ${this.word(depth - 1)} in ${this.random.pick(['(p|q)', '(*x)'])} ${this.simple(depth - 1)}\n;; (*) ${inner()}\n esac`;
      case 'fn':
        return `${this.random.pick(['f()', 'f ()', 'function f'])} { ${inner()}\n}; f ${this.word(0)}`;
      case 'test':
        return `[[ ${this.word(depth - 1)} ${this.random.pick(['=', '!=', '&&', '||'])} ${this.word(0)} ]]`;
      case 'not':
        return `${this.random.pick(['! ', 'time '])}${this.simple(depth)}`;
    }
  }

  private simple(depth: number): string {
    const before = this.random.chance(0.1) ? `y=${this.random.pick(['', this.word(depth - 1)])} ` : '';
    if (before !== '' && this.random.chance(0.2)) return before;
    const wrapper =
      this.options.wrappers && depth > 0 && this.random.chance(0.5) ? this.wrapped(depth) : null;
    return before + (wrapper ?? this.plain(depth)) + this.redirects();
  }

  private plain(depth: number): string {
    return [
      this.name(depth),
      ...Array.from({ length: this.random.below(4) }, () => this.word(depth - 1)),
    ].join(this.random.pick([' ', ' ', '  ', '\t', ' \\\n']));
  }

  private wrapped(depth: number): string {
    const inner = this.inWrapper(depth);
    switch (
      this.random.weighted({
        env: 4,
        command: 2,
        nohup: 1,
        nice: 2,
        timeout: 3,
        sh: 5,
        eval: 3,
        xargs: 4,
        find: 2,
        exec: 1,
        setsid: 1,
        stdbuf: 1,
      })
    ) {
      case 'env':
        return `env ${this.random.pick(['', '', 'K=1 ', '"K=1" ', '-i PATH="$PATH" ', '-u K ', '- PATH="$PATH" ', '-- ', 'K=$x ', '-S "a p" '])}${inner}`;
      case 'command':
        return `command ${this.random.pick(['', '-p ', '-- '])}${inner}`;
      case 'nohup':
        return `nohup ${inner}`;
      case 'nice':
        return `nice ${this.random.pick(['', '-n 1 ', '-n1 ', '-1 ', '--adjustment=1 '])}${inner}`;
      case 'timeout':
        return `timeout ${this.random.pick(['9', '-s KILL 9', '-k 1 9s', '--signal=KILL 9', '--foreground 9'])} ${inner}`;
      case 'sh':
        return `${this.random.pick(['sh -c', 'bash -c', 'bash -ec', 'dash -c', 'bash -o pipefail -c', 'bash -c --', 'bash +e -c', 'bash -euo pipefail -c'])} ${this.script(depth)} ${this.random.pick(['', 'b', '_ c'])}`;
      case 'eval':
        return `eval ${this.random.pick([this.script(depth), `${this.script(depth)} ${this.word(0)}`, '$x'])}`;
      case 'xargs':
        return `echo ${this.word(0)} b | xargs ${this.random.pick(['', '-n1 ', '-I{} ', '-I@ ', '-0 ', '-n 1 -P 1 ', '-r -t '])}${this.random.pick([inner, 'sh -c', 'env', 'env @', 'sh -c @', ''])}`;
      case 'find':
        return `find . -maxdepth 0 ${this.random.pick(['-exec', '-execdir'])} ${this.plain(0)} ${this.random.pick(['{} \\;', "';'", '{} +', '\\; -exec b {} \\;'])}`;
      case 'exec':
        return `exec ${inner}`;
      case 'setsid':
        return `setsid ${this.random.pick(['', '-w '])}${inner}`;
      case 'stdbuf':
        return `stdbuf ${this.random.pick(['-oL', '-o L', '--output=L'])} ${inner}`;
    }
  }

  private inWrapper(depth: number): string {
    return this.random.chance(0.3) ? this.wrapped(depth - 1) : this.plain(depth - 1);
  }

  /** A script in quotes. */
  private script(depth: number): string {
    const text = this.list(depth - 1);
    if (this.random.chance(0.7)) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
    return `"${text.replaceAll(/[\\"$`]/g, (one) => (one === '"' || this.random.chance(0.5) ? `\\${one}` : one))}"`;
  }

  private name(depth: number): string {
    const name = this.random.pick(NAMES);
    if (this.random.chance(0.8)) return name;
    return this.random.pick([
      `\\${name}`,
      `'${name}'`,
      `"${name}"`,
      `${name}''`,
      `""${name}`,
      `$'${name}'`,
      '$x',
      '{a,p}',
      '$(a)',
      `"$(c)"`,
      `\\\n${name}`,
      ...(depth > 0 ? [this.word(0)] : []),
    ]);
  }

  private redirects(): string {
    if (this.random.chance(0.8)) return '';
    const safe = [
      '> o',
      '>>o',
      '2>&1',
      '<<< p',
      '<<<"$(b)"',
      '>| o',
      '2> o',
      '>& o',
      '&> o',
      '<i',
      '<(d)',
      '> "o p"',
      '1>&2',
    ];
    return ` ${this.random.pick(this.options.damage ? safe : [...safe, '>/dev/null', '2> /dev/null', '&>/dev/null'])}`;
  }

  private hereDocument(depth: number): string {
    const end = this.random.pick(['E', "'E'", '"E"', '\\E', '-E']);
    const lines = Array.from({ length: this.random.below(3) }, () =>
      this.random.pick([
        'p',
        '$(b x)',
        '`c`',
        '"',
        "it's",
        '$x',
        '\\$(a)',
        '${x:-$(d)}',
        '# a',
        ')',
        '$((1 + $(a)1))',
      ]),
    );
    const body = [...lines, end.startsWith('-') ? this.random.pick(['\tE', 'E']) : 'E'].join('\n');
    const second = this.random.chance(0.2) ? ' <<F' : '';
    return `${this.plain(depth)} <<${end}${second}${this.random.pick(['', ' | b', '; c', ' p'])}\n${body}\n${second === '' ? '' : '$(c f)\nF\n'}`;
  }

  private word(depth: number): string {
    const pieces = Array.from({ length: this.random.weighted({ 1: 6, 2: 2, 3: 1 }) === '1' ? 1 : 2 }, () =>
      this.piece(depth),
    );
    return pieces.join('');
  }

  private piece(depth: number): string {
    const text = this.random.pick(QUOTABLE);
    switch (
      this.random.weighted({
        bare: 8,
        single: 3,
        double: 3,
        escape: 2,
        ansi: 1,
        variable: 2,
        braces: 1,
        glob: 1,
        expansion: 1,
        quotedExpansion: 1,
        inside: depth > 0 ? 6 : 0,
      })
    ) {
      case 'bare':
        return this.random.pick(BITS);
      case 'single':
        return `'${text}'`;
      case 'double':
        return `"${text.replaceAll(/["\\$`]/g, String.raw`\$&`)}"`;
      case 'escape':
        return `\\${this.random.pick([' ', ';', '&', '$', '"', "'", '\\', '#', 'a', '\n', '*', '('])}`;
      case 'ansi':
        return this.random.pick([`$'p\\tq'`, `$'\\x61'`, `$'\\141;b'`, `$'it\\'s'`]);
      case 'variable':
        return this.random.pick([
          '$x',
          '${x}',
          '"$x"',
          '$1',
          '"$@"',
          '$#',
          '${x:-p}',
          '"${x:-`c`}"',
          '$',
          '$ ',
        ]);
      case 'braces':
        return this.random.pick(['{p,q}', '{1..2}', '{p}', '{', '}']);
      case 'glob':
        return this.random.pick(['*', '?', '[ab]', '~', '[']);
      case 'expansion':
        return this.random.pick(['$((1+2))', '$((1 + (2*3)))', '`b`', '`c \\`d\\``', '$(<i)']);
      case 'quotedExpansion':
        return this.random.pick([
          '"$(b)"',
          '"p $(c q) `d`"',
          '"$((1+$(c)0))"',
          '"\\$(a)"',
          '"\\\\$(a)"',
          '"$\\\n(b)"',
          '"\'$(b)\'"',
        ]);
      case 'inside':
        return this.inside(depth);
    }
  }

  private inside(depth: number): string {
    const before = this.isDeep;
    this.isDeep = true;
    const list = this.list(depth - 1);
    this.isDeep = before;
    const safe = list.includes('`') || list.includes('\\') ? this.simple(0).replaceAll(/[`\\]/g, '') : list;
    return this.random.pick([`$(${list})`, `"$(${list})"`, `"p $( ${list} )q"`, `<(${list})`, `\`${safe}\``]);
  }
}

import { runsInput, type CommandPart, type NamedPath, type Split } from './command-part.ts';
import { ANY, literal } from './glob.ts';
import { pathsIn } from './named-paths.ts';
import { withoutGlobs } from './word-shapes.ts';

/**
 * A deliberately small reader of PowerShell: plain words, and strings in which nothing is expanded. Everything
 * else is unparsed. Names and parameters have no case there, so what deny and ask rules see is in small letters.
 */
export function powershellParts(line: string): Split {
  const parts: CommandPart[] = [];
  let words: string[] = [];
  let operator = ';';
  for (const token of tokens(line)) {
    if (token === null) return UNPARSED;
    if (!SEPARATOR.test(token)) words.push(token);
    else if (words.length > 0) {
      if (!isCommand(words)) return UNPARSED;
      parts.push(partOf(words, operator));
      [words, operator] = [[], token];
    } else if (!isOptional(token) || (!isOptional(operator) && token === ';')) return UNPARSED;
  }
  return isOptional(operator) ? { kind: 'parts', parts } : UNPARSED;
}

const UNPARSED: Split = { kind: 'unparsed', why: 'only plain PowerShell commands are understood' };

const SEPARATOR = /^(?:&&|\|\||[;|]|\r?\n)$/;

/** Whether nothing needs to stand before it or after it. */
function isOptional(separator: string): boolean {
  return separator === ';' || separator.endsWith('\n');
}

const TOKEN =
  /[ \t]+|(&&|\|\||[;|]|\r?\n|(?:[\p{L}\p{N}._\-/\\:=,@+%]+|'[^'"$`\p{Cc}\u2018-\u201F]*'|"[^'"$`\p{Cc}\u2018-\u201F]*")(?=[ \t;|&\r\n]|$))/uy;

/** The words and separators, with a null where something is not understood. The line ends with a separator. */
function tokens(line: string): readonly (string | null)[] {
  const all: (string | null)[] = [];
  const pattern = new RegExp(TOKEN);
  while (pattern.lastIndex < line.length) {
    const found = pattern.exec(line);
    if (found === null) return [...all, null];
    if (found[1] !== undefined) all.push(found[1]);
  }
  return [...all, ';'];
}

/** With these first, what follows is not a command with its words. */
const KEYWORDS =
  /^(?:begin|break|catch|class|clean|configuration|continue|data|define|do|dynamicparam|else|elseif|end|enum|exit|filter|finally|for|foreach|from|function|hidden|if|in|inlinescript|interface|module|namespace|parallel|param|process|public|private|return|sequence|static|switch|throw|trap|try|type|until|using|var|while|workflow|\.)$/i;

function isCommand(words: readonly string[]): boolean {
  const [name = ''] = words;
  if (!/^[\p{L}_./\\]|^\d[\d]*\p{L}/u.test(name) || KEYWORDS.test(name)) return false;
  return words.every((word) => !word.startsWith('@') && word !== '--%');
}

/** These run something that their words do not tell, or change what later names mean. */
const OPAQUE =
  /^(?:powershell|pwsh|cmd|iex|invoke-.*|icm|ii|start|start-.*|saps|sajb|set-alias|new-alias|sal|nal|set-item|si|new-item|ni|foreach-object|where-object|bash|sh|zsh|wsl|sudo|gsudo|runas|env|xargs|find|ssh|wmic|rundll32|mshta|wscript|cscript|import-module|ipmo|add-type)$/;

function partOf(words: readonly string[], operator: string): CommandPart {
  const [name = '', ...rest] = words;
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1).toLowerCase();
  const program = base.replace(/\.(?:exe|com|cmd|bat|ps1)$/, '');
  const [quoted, unquoted] = [rest.map(spelled).join(' '), rest.map(contentOf).join(' ')];
  const texts = [quoted, unquoted].map((text) => (rest.length === 0 ? name : `${name} ${text}`));
  const readings = [name, base, program].flatMap((reading) =>
    texts.map((text) => reading + text.slice(name.length)),
  );
  const isOpaque = OPAQUE.test(program);
  return {
    text: texts[0] ?? name,
    couldBe: [
      ...unique(readings.map((text) => text.toLowerCase())).map(literal),
      ...(isOpaque ? [[ANY]] : []),
    ],
    mustBe: texts.slice(0, 1).map(literal),
    isOpaque,
    handsOn: false,
    saysAll: !isOpaque && !(operator === '|' && runsInput(program)),
    paths: pathsOf(words, program),
  };
}

const READS =
  /^(?:cat|gc|get-content|ls|dir|gci|get-childitem|gi|get-item|test-path|sls|select-string|git (?:status|log|diff|show|ls-files|blame|grep))$/;

const LOOKS = /^(?:ls|dir|gci|get-childitem|gi|get-item|test-path)$/;

function pathsOf([name = '', ...rest]: readonly string[], program: string): readonly NamedPath[] {
  const isReader = [program, `${program} ${rest[0] ?? ''}`].some((text) => READS.test(text));
  const writes = rest.some((word) => contentOf(word).startsWith('--ou'));
  const reads = isReader && !writes && name.toLowerCase() === program;
  const use = reads ? (LOOKS.test(program) ? 'look' : 'read') : 'write';
  const named = rest.flatMap((word) => pathsIn(contentOf(word)).map((path) => ({ path, use }) as const));
  const all: readonly NamedPath[] = [{ path: name, use: 'read' }, ...named];
  // Cmdlets look for files themselves, also by what is in quotes.
  return all.map((one) => ({ ...one, path: withoutGlobs(one.path.replaceAll('\\', '/')) }));
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

function contentOf(word: string): string {
  return /^['"]/.test(word) ? word.slice(1, -1) : word;
}

/** A string keeps its quotes unless it is the same without them. */
function spelled(word: string): string {
  const content = contentOf(word);
  return content === word || /^[\p{L}\p{N}._/\\][\p{L}\p{N}._\-/\\:=]*$/u.test(content)
    ? content
    : `'${content}'`;
}

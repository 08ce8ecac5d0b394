import type { LogEvent } from '../events.ts';
import { parsed, textOrNull } from '../loose-fields.ts';
import { commandGlob, covers, literal, pathGlob } from '../permissions/glob.ts';

/** Longer ones are no paths. It bounds what comparing with a glob can cost. */
const LONGEST_PATH = 4096;
const MOST_ALTERNATIVES = 64;
const WILD = /[*?{]/;

/** Files that an event names: attached, asked for by a call, or changed. What a command did to others is not known. */
export function pathsIn(event: LogEvent): readonly string[] {
  if (event.type === 'user_message')
    return event.data.attachments.flatMap(({ path }) => (path === undefined ? [] : [path]));
  if (event.type === 'file_change') return [event.data.path];
  const path = event.type === 'tool_call' ? textOrNull(parsed(event.data.args), 'path') : null;
  return path === null ? [] : [path];
}

/**
 * Whether a path is meant: by a part of it, or by a glob, which may begin at any of its folders. Case and the kind of
 * slash count for nothing: the same file has several names on some systems.
 */
export function pathMatcher(patterns: readonly string[]): (path: string) => boolean {
  const tests = patterns.map((pattern) => onePath(evened(pattern)));
  return (path) => {
    const even = evened(path.slice(0, LONGEST_PATH));
    return tests.some((fits) => fits(even));
  };
}

function onePath(pattern: string): (path: string) => boolean {
  if (!WILD.test(pattern)) return (path) => path.includes(pattern);
  const globs = alternatives(pattern).map((one) =>
    pathGlob(one.startsWith('/') || one.startsWith('**/') ? one : `**/${one}`),
  );
  return (path) => globs.some((glob) => covers(glob, literal(path)));
}

export function evened(path: string): string {
  return path
    .toLowerCase()
    .replaceAll('\\', '/')
    .replace(/^\.\/+/, '');
}

/** `a.{js,ts}` as two; one that stands for too many is taken as it is written. */
export function alternatives(pattern: string): readonly string[] {
  let all: readonly string[] = [pattern];
  for (;;) {
    const next = all.flatMap((one) => firstBraces(one));
    if (next.length === all.length) return all;
    if (next.length > MOST_ALTERNATIVES) return [pattern];
    all = next;
  }
}

/** Of the first innermost braces that hold a comma. */
function firstBraces(pattern: string): readonly string[] {
  const found = /\{([^{}]*,[^{}]*)\}/.exec(pattern);
  if (found === null) return [pattern];
  const [whole, inside = ''] = found;
  const before = pattern.slice(0, found.index);
  const after = pattern.slice(found.index + whole.length);
  return inside.split(',').map((one) => `${before}${one}${after}`);
}

/** Whether a tool is meant, whatever the case. */
export function toolMatcher(names: readonly string[]): (tool: string) => boolean {
  const tests = names.map((one) => oneTool(one.toLowerCase()));
  return (tool) => tests.some((fits) => fits(tool.slice(0, LONGEST_PATH).toLowerCase()));
}

function oneTool(name: string): (tool: string) => boolean {
  if (!name.includes('*')) return (tool) => tool === name;
  const glob = commandGlob(name);
  return (tool) => covers(glob, literal(tool));
}

import { join } from 'node:path';
import { expect } from 'vitest';
import { Fixture } from './tool-fixture.ts';

export const REPOSITORY = join(import.meta.dirname, '../../package.json');
export const machine = { platform: process.platform, arch: process.arch };

/** The same workspace with ripgrep and without. */
export function engines(): readonly (readonly [string, Fixture])[] {
  return [
    ['ripgrep', new Fixture({ ripgrep: { beside: REPOSITORY } })],
    ['plain', new Fixture({ ripgrep: { beside: '/nowhere/x.js' } })],
  ];
}

/** What both engines say, which must be the same. */
export async function both(
  files: Readonly<Record<string, string | Uint8Array>>,
  args: unknown,
): Promise<string> {
  const said: string[] = [];
  for (const [, fixture] of engines()) {
    using disposed = fixture;
    for (const [name, content] of Object.entries(files)) disposed.write(name, content);
    said.push(await disposed.say('search_text', args));
  }
  expect(said[1]).toBe(said[0]);
  return said[0] ?? '';
}

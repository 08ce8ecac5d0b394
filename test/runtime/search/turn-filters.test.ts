import { describe, expect, it } from 'vitest';
import { pathMatcher, pathsIn, toolMatcher } from '../../../src/runtime/search/turn-filters.ts';
import { made, oneOfEach } from '../../support/made-events.ts';

describe('a filter by file', () => {
  it.each([
    ['login', 'src/Login.ts', true],
    ['SRC/login', String.raw`C:\work\src\login.ts`, true],
    [String.raw`src\login`, './src/login.ts', true],
    ['src/**', 'src/a/b.ts', true],
    ['src/**', '/home/me/project/src/a.ts', true],
    ['src/**', 'mysrc/a.ts', false],
    ['/src/**', 'packages/src/a.ts', false],
    ['*.ts', 'deep/down/a.ts', true],
    ['*.ts', 'a.tsx', false],
    ['**/*.{ts,tsx}', 'src/a.tsx', true],
    ['src/?.ts', 'src/ab.ts', false],
    ['pages/[id].tsx', 'app/pages/[id].tsx', true],
    ['größe', 'Größe.txt', true],
  ])('%s and the path %s: %s', (pattern, path, fits) => {
    expect(pathMatcher([pattern])(path)).toBe(fits);
  });

  it('knows what was attached, asked for and changed, and no other path', () => {
    const asked = made('tool_call', 1, {
      ...oneOfEach().tool_call.data,
      args: '{"path":"a.ts","text":"b.ts"}',
    });
    const torn = made('tool_call', 2, { ...oneOfEach().tool_call.data, args: '{"path":"a.t' });
    const attachments = [{ kind: 'file', path: 'c.ts' }, { kind: 'problems' }];
    const prompt = made('user_message', 3, { ...oneOfEach().user_message.data, attachments });
    expect([asked, torn, prompt, oneOfEach().file_change].map(pathsIn)).toEqual([
      ['a.ts'],
      [],
      ['c.ts'],
      [oneOfEach().file_change.data.path],
    ]);
  });
});

it('a filter by tool takes whole names, whatever their case, and stars', () => {
  const fits = toolMatcher(['Run_Command', 'mcp_*']);
  expect(['run_command', 'RUN_COMMAND', 'run', 'mcp_x', 'read_file'].map(fits)).toEqual([
    true,
    true,
    false,
    true,
    false,
  ]);
});

import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { once, readEvents } from '../support/headless.ts';
import { served } from './served.ts';

const SAMPLE = fileURLToPath(new URL('../sample-workspace', import.meta.url));
const bench = served();

test('the offline model fixes the bug of the sample workspace through the real loop', async () => {
  await cp(SAMPLE, bench.place.workspace, { recursive: true });
  const { code } = await once(bench.place, null, 'fix');
  const log = await readEvents(bench.place);
  const results = log.flatMap((event) => (event.type === 'tool_result' ? [event.data.ok] : []));
  const calls = log.flatMap((event) => (event.type === 'tool_call' ? [event.data.name] : []));
  expect({ code, calls, results }).toEqual({
    code: 0,
    calls: ['search_text', 'read_file', 'run_command', 'edit_file', 'run_command'],
    results: [true, true, false, true, true],
  });
  const answer = log.findLast((event) => event.type === 'assistant_message');
  expect(answer?.data.text).toMatch(/^Fixed\./);
  expect(log.find((event) => event.type === 'file_change')?.data.path).toBe('src/invoice.js');
  const fixed = await readFile(join(bench.place.workspace, 'src', 'invoice.js'), 'utf8');
  expect(fixed).toContain('sum += line.price*line.quantity;');
});

test('in read_only mode it reads, and says that it may not write', async () => {
  await cp(SAMPLE, bench.place.workspace, { recursive: true });
  const { code } = await once(bench.place, null, 'write note.txt: hello', {
    set: ['permissionMode=read_only'],
  });
  const log = await readEvents(bench.place);
  expect(code).toBe(0);
  expect(log.find((event) => event.type === 'permission_decision')?.data).toMatchObject({
    decision: 'deny',
    decided_by: 'policy',
    rule: 'mode:read_only',
  });
  expect(log.find((event) => event.type === 'tool_result')?.data.error).toMatchObject({
    kind: 'permission_denied',
  });
  await expect(readFile(join(bench.place.workspace, 'note.txt'))).rejects.toThrow('ENOENT');
});

import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { once, readEvents } from '../support/headless.ts';
import { onceHere } from '../support/headless-here.ts';
import { responds } from '../support/responses-server/whole-replies.ts';
import { says, served } from './served.ts';

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

test('in read_only mode it is not offered what may not run, and says so', async () => {
  await cp(SAMPLE, bench.place.workspace, { recursive: true });
  const { code } = await onceHere(bench.place, null, 'write note.txt: hello', {
    set: ['permissionMode=read_only'],
  });
  const log = await readEvents(bench.place);
  const answer = log.findLast((event) => event.type === 'assistant_message');
  expect([code, answer?.data.text]).toEqual([
    0,
    'The tool `write_file` is not offered here, so I cannot do that.',
  ]);
  await expect(readFile(join(bench.place.workspace, 'note.txt'))).rejects.toThrow('ENOENT');
});

test('in read_only mode a call of a tool that was not offered is denied', async () => {
  const call = { call_id: 'c1', name: 'write_file', args: { path: 'note.txt', content: 'x' } };
  const url = await bench.serve([responds({ calls: [call] }), says('I see.')]);
  const { code } = await onceHere(bench.place, url, 'write it', { set: ['permissionMode=read_only'] });
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
  const body = bench.server?.requests[0]?.body as { tools: readonly { name: string }[] } | undefined;
  expect(body?.tools.map(({ name }) => name)).toEqual([
    'ask_user',
    'close_agent',
    'list_agents',
    'list_files',
    'read_file',
    'run_workflow',
    'search_text',
    'send_input',
    'spawn_agent',
    'update_plan',
    'view_image',
    'wait_agent',
  ]);
});

import { appendFile, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inspectJson, readEvents } from '../support/headless.ts';
import { headlessHere, inspectHere, onceHere } from '../support/headless-here.ts';
import { served, says } from './served.ts';

const bench = served();

const LONG = 'A long answer. '.repeat(300);

async function talked(turns: number): Promise<readonly string[]> {
  const url = await bench.serve(Array.from({ length: turns }, () => says(LONG)));
  const where = ['--storage', bench.place.storage, '--session', 's1'];
  const run = headlessHere([...where, '--workspace', bench.place.workspace, '--set', `baseUrl=${url}`]);
  for (let n = 0; n < turns; n += 1) {
    run.send({ type: 'send', client_turn_id: `c${n}`, text: `Question ${n}?` });
    await run.until(
      (message) =>
        message.type === 'turn_state' &&
        message['client_turn_id'] === `c${n}` &&
        message['state'] === 'completed',
    );
  }
  run.closeInput();
  await run.exited;
  return where;
}

test('compact --dry-run prints what would be recorded, and touches nothing', async () => {
  const where = await talked(14);
  const before = await stored();
  const { code, document } = await inspectHere(['compact', '--dry-run', ...where]);
  expect(code).toBe(0);
  expect(document).toMatchObject({
    ok: true,
    dry_run: true,
    recorded: false,
    seq: null,
    record: { trigger: 'manual', strategy: 'deterministic_v1' },
  });
  expect(await stored()).toEqual(before);
});

/** Every file of the storage, with its size and when it was last written to. */
async function stored(): Promise<readonly unknown[]> {
  const found = await readdir(bench.place.storage, { recursive: true });
  const files = found.toSorted().map(async (name) => {
    const { size, mtimeMs } = await stat(join(bench.place.storage, name));
    return { name, size, mtimeMs };
  });
  return Promise.all(files);
}

test('compact records exactly that, once', async () => {
  const where = await talked(14);
  const { document: preview } = await inspectJson(['compact', '--dry-run', ...where]);
  const { code, document } = await inspectJson(['compact', ...where]);
  expect(code).toBe(0);
  const last = (await readEvents(bench.place)).at(-1);
  expect(document).toEqual({ ...(preview as object), dry_run: false, recorded: true, seq: last?.seq });
  expect(last).toMatchObject({ type: 'history_compaction', data: (preview as { record: object }).record });
  const again = await inspectJson(['compact', ...where]);
  expect(again.code).toBe(3);
  expect(again.document).toMatchObject({ ok: false, recorded: false, kind: 'nothing_to_compact' });
  const replay = await inspectJson(['replay', ...where]);
  expect(JSON.stringify(replay.document)).toContain('Ledgerline history checkpoint (lossy)');
});

test('a dry run of a session that a crash left in the middle of a round shows what will be recorded', async () => {
  const where = await talked(14);
  const log = join(bench.place.storage, 'sessions', 's1.jsonl');
  const turn = { turn_id: 'crashed', client_turn_id: 'crashed' };
  const calls = Array.from({ length: 12 }, (_, n) => ({ ...turn, call_id: `c${n}`, stream_run_id: 'r' }));
  await appendEvents(log, [
    ['user_message', { ...turn, text: 'Read them.', attachments: [] }],
    ['run_status', { ...turn, status: 'running' }],
    ...calls.map((call) => ['tool_call', { ...call, name: 'list_files', args: '{}' }] as const),
  ]);
  const before = await readFile(log, 'utf8');
  const { document: preview } = await inspectHere(['compact', '--dry-run', ...where]);
  expect(await readFile(log, 'utf8')).toBe(before);
  const { document } = await inspectHere(['compact', ...where]);
  const last = (await readEvents(bench.place)).at(-1);
  expect(document).toEqual({ ...(preview as object), dry_run: false, recorded: true, seq: last?.seq });
});

async function appendEvents(log: string, drafts: readonly (readonly [string, object])[]): Promise<void> {
  const [first, ...others] = (await readFile(log, 'utf8')).trimEnd().split('\n');
  const { v, session_id, ts } = JSON.parse(first ?? '') as Record<string, unknown>;
  const lines = drafts.map(([type, data], n) => {
    const seq = others.length + 1 + n;
    return `${JSON.stringify({ v, id: `made_${seq}`, session_id, seq, ts, type, data })}\n`;
  });
  await appendFile(log, lines.join(''));
}

test('a session that is not there, or a bad setting, is bad usage', async () => {
  const where = ['--storage', bench.place.storage, '--session', 'nobody'];
  expect((await inspectHere(['compact', ...where])).code).toBe(64);
  const wrong = await inspectHere(['compact', ...where, '--set', 'compaction.strategy=magic']);
  expect(wrong.code).toBe(64);
});

test('a dry run of a session with one turn says that there is nothing to do', async () => {
  await onceHere(bench.place, await bench.serve([says('Hello.')]), 'hello');
  const where = ['--storage', bench.place.storage, '--session', 's1'];
  const { code, document } = await inspectHere(['compact', '--dry-run', ...where]);
  expect(code).toBe(0);
  expect(document).toMatchObject({ ok: false, dry_run: true, kind: 'nothing_to_compact' });
});

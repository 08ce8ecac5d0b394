import { copyFile, mkdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diagnoseSession } from '../../src/app/inspect.ts';
import { nodeHasher } from '../../src/app/node-ports.ts';
import { SessionFolds } from '../../src/runtime/session-folds.ts';
import { makeMark, type Mark } from '../../src/storage/mark.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import type { SessionStore } from '../../src/storage/session-store.ts';
import type { Loaded } from '../../src/storage/stored-session.ts';
import { SETTINGS } from '../support/session-bench.ts';
import { LogText } from './log-text.ts';
import { freshFolder, logPath, storeIn } from './storage-place.ts';
import { WatchedDisk } from './watched-disk.ts';
import { searchRuns } from '../support/search-runs.ts';

const TARGET = { model: SETTINGS.model, endpoint: 'e' };

interface Loading {
  readonly folds: SessionFolds;
  readonly loaded: Loaded;
  readonly resumed: boolean;
  readonly bytes: number;
}

async function load(root: string, how: 'write' | 'look' | 'look at all'): Promise<Loading> {
  let bytes = 0;
  const disk = new WatchedDisk(new NodeDisk(), (call) => {
    if (call.kind === 'read' && call.path.endsWith('.jsonl')) bytes += call.bytes;
    return undefined;
  });
  const store: SessionStore = storeIn(root, { disk });
  const stored = how === 'write' ? await store.open('s1', { take_over: false }) : store.inspect('s1');
  const folds = new SessionFolds('s1');
  let resumed = false;
  const event = folds.push.bind(folds);
  const loaded = await stored.load(
    how === 'look at all'
      ? { event }
      : {
          event,
          state: () => folds.state,
          resume: (from) => {
            resumed = true;
            folds.resumeFrom(from);
          },
        },
  );
  await stored.close();
  return { folds, loaded, resumed, bytes };
}

async function sessionOf(log: LogText): Promise<string> {
  const root = freshFolder();
  await mkdir(`${root}/sessions`, { recursive: true });
  await writeFile(logPath(root), log.text);
  return root;
}

/** What a session knows: its state, its next request, what became of each turn, and what was decided. */
function knowledge({ folds, loaded }: Loading, turns: number): unknown {
  return {
    state: folds.state,
    input: folds.input(TARGET),
    history: {
      events: folds.history.events,
      checkpoint: folds.history.checkpoint,
      counts: folds.history.countsBefore(folds.state.last_seq),
    },
    turns: Array.from({ length: turns }, (_, n) => folds.find(`c${n}`)),
    decisions: Array.from({ length: turns }, (_, n) => [0, 1].map((i) => folds.decided(`said-${n}-${i}`))),
    end: loaded.end,
  };
}

/** Forty turns and a checkpoint near the end. */
function compacted(): LogText {
  const log = new LogText();
  log.add('developer_context', { workspace: '/w', branch: 'main', permission_mode: 'ask' });
  for (let n = 0; n < 40; n += 1) log.turn(n, { calls: 2, failed: n % 7 === 0, words: 50 });
  log.compact(log.seq - 20);
  log.turn(40, { calls: 1, failed: false, words: 50 });
  return log;
}

describe('the mark of what was verified', () => {
  it('lets the next load begin at the checkpoint', async () => {
    const log = compacted();
    const root = await sessionOf(log);
    const first = await load(root, 'write');
    const second = await load(root, 'write');
    const looking = await load(root, 'look');
    expect([first.resumed, second.resumed, looking.resumed]).toEqual([false, true, true]);
    expect(first.bytes).toBeGreaterThanOrEqual(log.text.length);
    expect(second.bytes).toBeLessThan(log.text.length / 5);
    expect(knowledge(second, 41)).toEqual(knowledge(first, 41));
    expect(knowledge(looking, 41)).toEqual(knowledge(first, 41));
  });

  it('is not asked when all of the log is to be seen', async () => {
    const root = await sessionOf(compacted());
    await load(root, 'write');
    expect((await load(root, 'look at all')).resumed).toBe(false);
    const harmed = (await readFile(logPath(root), 'utf8')).replace('"seq":3,', '"seq":4,');
    await writeFile(logPath(root), harmed);
    expect((await diagnoseSession(root, 's1')).status).toBe('blocked');
  });

  it(
    'never changes what is known, whatever happens between two loads',
    { timeout: searchRuns(30_000) },
    async () => {
      const step = fc.oneof(
        { weight: 5, arbitrary: fc.record({ calls: fc.nat(2), failed: fc.boolean(), words: fc.nat(30) }) },
        { weight: 2, arbitrary: fc.nat(30).map((back) => ({ back })) },
        { weight: 2, arbitrary: fc.record({ cuts: fc.integer({ min: 1, max: 3 }), skill: fc.boolean() }) },
        { weight: 1, arbitrary: fc.constant('context' as const) },
        { weight: 2, arbitrary: fc.constant('load' as const) },
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 30 }), async (steps) => {
          const log = new LogText();
          const root = await sessionOf(log);
          let turns = 0;
          let branch = 0;
          let tail = 0;
          for (const one of steps) {
            if (one === 'load') {
              await writeFile(logPath(root), log.text);
              await load(root, 'write');
            } else if (one === 'context') {
              branch += 1;
              log.add('developer_context', { workspace: '/w', branch: `b${branch}`, permission_mode: 'ask' });
            } else if ('back' in one) {
              // What a checkpoint has replaced, a later one does not bring back.
              tail = Math.max(tail, log.seq - one.back);
              log.compact(tail);
            } else if ('cuts' in one) {
              log.largeTurn(turns, one);
              turns += 1;
            } else {
              log.turn(turns, one);
              turns += 1;
            }
          }
          await writeFile(logPath(root), log.text);
          const resumed = await load(root, 'write');
          await rm(`${root}/sessions/s1.mark`, { force: true });
          const whole = await load(root, 'write');
          expect(whole.resumed).toBe(false);
          expect(knowledge(resumed, turns)).toEqual(knowledge(whole, turns));
        }),
        { seed: 20261116, numRuns: searchRuns(150) },
      );
    },
  );

  it.each([1, 2, 3])('keeps the prompt of a turn that was cut between its rounds: %i times', async (cuts) => {
    const log = new LogText();
    log.add('developer_context', { workspace: '/w', branch: 'main', permission_mode: 'ask' });
    for (let n = 0; n < 10; n += 1) log.turn(n, { calls: 2, failed: false, words: 50 });
    log.largeTurn(10, { cuts, skill: true });
    const root = await sessionOf(log);
    const first = await load(root, 'write');
    const second = await load(root, 'write');
    expect([first.resumed, second.resumed]).toEqual([false, true]);
    expect(second.bytes).toBeLessThan(log.text.length);
    expect(knowledge(second, 11)).toEqual(knowledge(first, 11));
    const { items } = second.folds.input(TARGET);
    expect(items.map((item) => (item.type === 'message' ? item.role : item.type))).toEqual([
      'developer',
      'user',
      'user',
      'user',
      'function_call',
      'function_call_output',
      'assistant',
    ]);
    expect(items.slice(1, 4).map((item) => JSON.stringify(item))).toEqual([
      expect.stringContaining('history checkpoint'),
      expect.stringContaining('ask 10'),
      expect.stringContaining('Look twice.'),
    ]);
  });

  it('lets a load begin early enough for whatever a checkpoint keeps', async () => {
    const log = new LogText();
    for (let n = 0; n < 10; n += 1) log.turn(n, { calls: 0, failed: false, words: 5 });
    const lines = log.text.split('\n');
    const prompt = lines.findIndex((line) => line.includes('ask 4 '));
    log.compact(log.seq - 4, [prompt]);
    const root = await sessionOf(log);
    const first = await load(root, 'write');
    const second = await load(root, 'write');
    expect(second.resumed).toBe(true);
    expect(JSON.stringify(second.folds.input(TARGET).items)).toContain('ask 4 ');
    expect(knowledge(second, 10)).toEqual(knowledge(first, 10));
  });

  const HARM: readonly (readonly [string, (root: string, mark: string) => Promise<void>])[] = [
    ['that is garbage', (_, mark) => writeFile(mark, '{"v":1,')],
    ['that is empty', (_, mark) => writeFile(mark, '')],
    ['of another version', async (_, mark) => change(mark, (value) => ({ ...value, v: 1 }))],
    ['of a version that kept less', (root, mark) => withLess(root, mark)],
    ['whose place was changed', async (_, mark) => change(mark, (value) => moved(value))],
    ['of more bytes than there are', async (root) => truncate(logPath(root), (await size(root)) - 700)],
    [
      'of another log',
      async (root, mark) => {
        const other = compacted();
        other.compact(other.seq - 5);
        const elsewhere = await sessionOf(other);
        await load(elsewhere, 'write');
        await copyFile(`${elsewhere}/sessions/s1.mark`, mark);
        void root;
      },
    ],
    [
      'of a log that was changed before its end',
      async (root) => {
        const text = await readFile(logPath(root), 'utf8');
        await writeFile(logPath(root), text.replace('said 40', 'lied 40'));
      },
    ],
  ];

  it.each(HARM)('%s is ignored, and replaced', async (_, harm) => {
    const root = await sessionOf(compacted());
    await load(root, 'write');
    await harm(root, `${root}/sessions/s1.mark`);
    const again = await load(root, 'write');
    expect(again.resumed).toBe(false);
    expect(again.loaded.damage).toEqual([]);
    expect((await load(root, 'write')).resumed).toBe(true);
  });

  it('that cannot be read or written keeps nothing from opening', async () => {
    const root = await sessionOf(compacted());
    await mkdir(`${root}/sessions/s1.mark`);
    const warnings: string[] = [];
    const stored = await storeIn(root, { warn: (text) => void warnings.push(text) }).open('s1', {
      take_over: false,
    });
    const folds = new SessionFolds('s1');
    const { writer } = await stored.load({
      resume: () => undefined,
      event: (event) => folds.push(event),
      state: () => folds.state,
    });
    expect(writer).not.toBeNull();
    expect(warnings).toHaveLength(2);
    await stored.close();
  });
});

async function size(root: string): Promise<number> {
  return (await stat(logPath(root))).size;
}

async function change(path: string, how: (mark: Record<string, unknown>) => unknown): Promise<void> {
  const mark = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  await writeFile(path, JSON.stringify(how(mark)));
}

/** Sound in itself, and without what folding needs to know today. */
async function withLess(root: string, path: string): Promise<void> {
  const mark = JSON.parse(await readFile(path, 'utf8')) as Mark;
  const { pressure: _, ...resume } = mark.resume;
  const file = await new NodeDisk().open(logPath(root), 'read');
  const less = await makeMark(file, mark.bytes, resume as Mark['resume'], nodeHasher);
  await file.close();
  await writeFile(path, JSON.stringify(less));
}

/** As if folding could begin one line later. */
function moved(mark: Record<string, unknown>): unknown {
  const resume = mark['resume'] as { offset: number; next_seq: number; line: number };
  return { ...mark, resume: { ...resume, next_seq: resume.next_seq + 1, line: resume.line + 1 } };
}

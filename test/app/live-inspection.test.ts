import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LiveInspection } from '../../src/app/live-inspection.ts';
import { logExcerpt } from '../../src/app/log-excerpt.ts';
import { toLine } from '../../src/runtime/event-line.ts';
import type { LogEvent } from '../../src/runtime/events.ts';
import { TURNS_KEPT } from '../../src/runtime/inspection/session-tree.ts';
import { inEnglish } from '../../src/runtime/inspection/spoken-words.ts';
import { freshFolder, logPath } from '../storage/storage-place.ts';
import { AgentBench } from '../support/agent-bench.ts';
import { asks, later, NOTHING, says, spawn } from '../support/cast-provider.ts';
import { made, oneOfEach } from '../support/made-events.ts';

const { user_message: PROMPT, assistant_message: ANSWER } = oneOfEach();

function turn(index: number): readonly LogEvent[] {
  const turn_id = `t${index}`;
  const text = `Turn ${index}`;
  return [
    made('user_message', 2 * index, { ...PROMPT.data, turn_id, client_turn_id: `k${index}`, text }),
    made('assistant_message', 2 * index + 1, { ...ANSWER.data, turn_id }),
  ];
}

function linesOf(events: readonly LogEvent[]): string {
  return events.map((event) => `${toLine(event)}\n`).join('');
}

async function place(content: string | null): Promise<string> {
  const root = freshFolder();
  await mkdir(dirname(logPath(root)), { recursive: true });
  if (content !== null) await writeFile(logPath(root), content);
  return root;
}

function labels(inspection: LiveInspection): readonly string[] {
  const nodes = inspection.tree();
  return (nodes.get('session')?.children ?? []).map((id) => {
    const node = nodes.get(id);
    return `${node?.state ?? ''} ${inEnglish(node?.label ?? '')}`;
  });
}

describe('a session that is looked at', () => {
  test('is empty until there is a log, and then grows with it', async () => {
    const root = await place(null);
    const inspection = new LiveInspection(root, 's1');
    expect(await inspection.readOn()).toBe(false);
    expect(inspection.tree().size).toBe(0);
    const [prompt, answer] = turn(0);
    await writeFile(logPath(root), linesOf([prompt!]));
    expect(await inspection.readOn()).toBe(true);
    expect(labels(inspection)).toContain('stale Turn 0');
    await appendFile(logPath(root), linesOf([answer!]));
    expect(await inspection.readOn()).toBe(true);
    expect(labels(inspection)).toEqual(['completed Turn 0']);
    expect(await inspection.readOn()).toBe(false);
    await inspection.close();
  });

  test('reads only what was appended', async () => {
    const root = await place(linesOf(turn(0)));
    const inspection = new LiveInspection(root, 's1');
    await inspection.readOn();
    // What was read is not looked at again: not even when it has become something else.
    const before = linesOf(turn(0));
    await writeFile(logPath(root), `${' '.repeat(before.length - 1)}\n${linesOf(turn(1))}`);
    await inspection.readOn();
    expect(labels(inspection)).toEqual(['completed Turn 1', 'completed Turn 0']);
    await inspection.close();
  });

  test('is read anew when its log has become shorter', async () => {
    const root = await place(linesOf([...turn(0), ...turn(1)]));
    const inspection = new LiveInspection(root, 's1');
    await inspection.readOn();
    await writeFile(logPath(root), linesOf(turn(0)));
    expect(await inspection.readOn()).toBe(true);
    expect(labels(inspection)).toEqual(['completed Turn 0']);
    await inspection.close();
  });

  test('shows which line is damaged, and what is around it', async () => {
    const root = await place(`${linesOf(turn(0))}{"half":\n${linesOf(turn(1))}`);
    const inspection = new LiveInspection(root, 's1');
    await inspection.readOn();
    const found = inspection.tree().get('check:log_integrity/0');
    expect([found?.line, inEnglish(found?.label ?? '')]).toEqual([3, 'line 3: not valid JSON']);
    expect(labels(inspection)[0]).toBe('blocked Warnings');
    expect(labels(inspection)).toContain('completed Turn 0');
    await inspection.close();
  });

  test('shows the last turns of a large log before all of it was read', async () => {
    const small = new LiveInspection(await place(linesOf(turn(0))), 's1');
    expect(await small.glimpse()).toBe(false);
    await small.close();
    const long = made('assistant_message', 1, { ...ANSWER.data, turn_id: 't0', text: 'x'.repeat(5_000_000) });
    const rest = Array.from({ length: 30 }, (_, index) => turn(index + 1)).flat();
    const root = await place(linesOf([turn(0)[0]!, long, ...rest]));
    const inspection = new LiveInspection(root, 's1');
    expect(await inspection.glimpse()).toBe(true);
    expect([labels(inspection).length, labels(inspection)[0]]).toEqual([20, 'completed Turn 30']);
    const session = (): unknown[] => {
      const found = inspection.tree().get('session');
      return [found?.label, inEnglish(found?.detail ?? '')];
    };
    expect(session(), 'how many turns there are is not known yet').toEqual(['Turn 0', '62 events']);
    await inspection.readOn();
    expect(session()).toEqual(['Turn 0', '31 turns, 62 events']);
    expect(await inspection.glimpse()).toBe(false);
    expect([labels(inspection).length, labels(inspection).at(-1)]).toEqual([21, 'ok Show earlier turns']);
    await inspection.close();
  });

  test('is not read to the end once it was left', async () => {
    const root = await place(linesOf(turn(0)));
    const inspection = new LiveInspection(root, 's1');
    inspection.leave();
    expect([await inspection.readOn(), inspection.left, inspection.tree().size]).toEqual([false, true, 0]);
    await inspection.close();
  });

  test('shows earlier turns a page at a time', async () => {
    const count = 2 * TURNS_KEPT + 5;
    const root = await place(linesOf(Array.from({ length: count }, (_, index) => turn(index)).flat()));
    const inspection = new LiveInspection(root, 's1');
    await inspection.readOn();
    const shown = (): readonly [number, string | undefined] => {
      const all = labels(inspection);
      return [all.filter((label) => label.includes('Turn ')).length, all.at(-1)];
    };
    expect(shown()).toEqual([TURNS_KEPT, 'ok Show earlier turns']);
    await inspection.showEarlier();
    expect(shown()).toEqual([2 * TURNS_KEPT, 'ok Show earlier turns']);
    await inspection.showEarlier();
    expect(shown()).toEqual([count, 'completed Turn 0']);
    await inspection.showEarlier();
    expect(shown()).toEqual([count, 'completed Turn 0']);
    await inspection.close();
  });
});

describe('a child of an earlier turn', () => {
  test('is shown as it is by now, and not once more with the session', async () => {
    const tasks = ['Look here.', 'Look there.', 'Look away.'];
    const first = await new AgentBench({
      'Go.': [asks(...tasks.map((task, n) => spawn(`c${n}`, task))), NOTHING],
      ...Object.fromEntries(tasks.map((task) => [task, [NOTHING]])),
    }).turn('Go.');
    const bench = await first.crash({
      'Go.': Array.from({ length: TURNS_KEPT + 2 }, () => says('Yes.')),
      'Look here.': [says('Seen.')],
      'Look there.': [later(1000, says('Seen, too.'))],
    });
    for (let n = 0; n <= TURNS_KEPT; n += 1) await bench.turn(`Turn ${n}`);
    await bench.person((desk) => desk.resume('agent_1'));
    await bench.turn('And now?');
    await bench.person((desk) => desk.resume('agent_2'));
    const root = await place(linesOf(bench.events));
    const inspection = new LiveInspection(root, 's1');
    await inspection.readOn();
    const states = (parent: string): unknown[] =>
      [1, 2, 3].map((n) => inspection.tree().get(`${parent}/subagent:agent_${n}`)?.state);
    expect(states('session')).toEqual(['completed', 'stale', 'detached']);
    await inspection.showEarlier();
    expect(states('turn:turn_1')).toEqual(['completed', 'stale', 'detached']);
    expect(states('session')).toEqual([undefined, undefined, undefined]);
    const told = inspection.tree().get('turn:turn_1/subagent:agent_1')?.evidence.at(-1) ?? '';
    expect(inEnglish(told)).toMatch(/^Told to the model at seq \d+\.$/u);
    await bench.pass(1000);
    await writeFile(logPath(root), linesOf(bench.events));
    await inspection.readOn();
    expect(states('turn:turn_1')).toEqual(['completed', 'completed', 'detached']);
    await inspection.close();
  });
});

describe('an excerpt of a large log', () => {
  const events = Array.from({ length: 3000 }, (_, index) => turn(index)).flat();

  test('has the lines around an event, and says which one it is', async () => {
    const root = await place(linesOf(events));
    const excerpt = await logExcerpt(root, 's1', { seq: 4000 });
    const at = excerpt?.at ?? -1;
    expect(JSON.parse(excerpt?.lines[at] ?? 'null')).toMatchObject({ seq: 4000 });
    expect(JSON.parse(excerpt?.lines[0] ?? 'null').seq).toBeGreaterThan(0);
    expect(JSON.parse(excerpt?.lines.at(-1) ?? 'null').seq).toBeLessThan(5999);
  });

  test('finds a line by its number, the beginning and the end', async () => {
    const root = await place(linesOf(events));
    const byLine = await logExcerpt(root, 's1', { line: 4001 });
    expect(JSON.parse(byLine?.lines[byLine.at ?? -1] ?? 'null')).toMatchObject({ seq: 4000 });
    const first = await logExcerpt(root, 's1', { seq: 0 });
    expect([first?.at, JSON.parse(first?.lines[0] ?? 'null').seq]).toEqual([0, 0]);
    const last = await logExcerpt(root, 's1', null);
    expect(JSON.parse(last?.lines[last.at ?? -1] ?? 'null').seq).toBe(5999);
  });

  test('is none where there is no log, and of a short one all of it', async () => {
    expect(await logExcerpt(await place(null), 's1', null)).toBeNull();
    const short = await logExcerpt(await place(linesOf(turn(0))), 's1', { seq: 1 });
    expect([short?.lines.length, short?.at]).toEqual([2, 1]);
  });

  describe('selects nothing but what was asked for', () => {
    const [first, second, third, fourth] = [...turn(0), ...turn(1)].map((event) => `${toLine(event)}\n`);
    const DAMAGED = '{"v":1,"seq":1,"half":\n';

    test.each([
      ['after a damaged line', `${first}${DAMAGED}${third}${fourth}`, { seq: 2 }, third],
      ['after a damaged first line', `${DAMAGED}${second}`, { seq: 1 }, second],
      ['that is damaged itself', `${first}${DAMAGED}${third}${fourth}`, { seq: 1 }, null],
      ['that is out of order', `${third}${fourth}${first}${second}`, { seq: 0 }, first],
      ['that is not there', `${first}${second}`, { seq: 9 }, null],
      ['that is not there, before a torn tail', `${first}${second}{"v":1`, { seq: 2 }, null],
      ['that is behind the end, with a torn tail', `${first}{"v":1`, { line: 9 }, null],
      ['that is a torn tail', `${first}{"v":1`, { line: 2 }, '{"v":1\n'],
      ['after line ends of Windows', `${first}`.replace('\n', '\r\n') + second, { line: 2 }, second],
    ])('a line %s', async (_name, log, where, expected) => {
      const excerpt = await logExcerpt(await place(log), 's1', where);
      const at = excerpt?.at ?? null;
      expect(at === null ? null : `${excerpt?.lines[at]}\n`).toBe(expected);
    });

    test('the last one, when no place is asked for', async () => {
      const excerpt = await logExcerpt(await place(`${first}${second}`), 's1', null);
      expect(excerpt).toMatchObject({ at: 1, lines: [first?.trim(), second?.trim()] });
    });

    test('an editor sees as many lines as the log has', async () => {
      const root = await place(`${first}half\rof a line\n${second}`);
      const excerpt = await logExcerpt(root, 's1', { seq: 1 });
      expect(excerpt?.lines.join('\n').split(/\r\n|\r|\n/)[excerpt.at ?? -1]).toBe(second?.trim());
    });

    test('an event behind damage that is larger than the excerpt', async () => {
      const root = await place(`${first}${`${'x'.repeat(999)}\n`.repeat(1000)}${second}`);
      const excerpt = await logExcerpt(root, 's1', { seq: 1 });
      expect(excerpt?.lines[excerpt.at ?? -1]).toBe(second?.trim());
    });

    test('a line that is longer than the excerpt is cut, and says so', async () => {
      const root = await place(`${first}${'x'.repeat(900_000)}\n${second}`);
      const excerpt = await logExcerpt(root, 's1', { line: 2 });
      expect(excerpt?.lines[excerpt.at ?? -1]).toBe(
        `${'x'.repeat(20_000)}… the rest of the line is left out`,
      );
    });
  });
});

import { describe, expect, test } from 'vitest';
import { previewCompaction } from '../../src/app/compact-session.ts';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { apiError, bytes, stream, type Reply } from '../support/responses-server/reply.ts';
import type { Answer } from '../support/responses-server/response-events.ts';
import { held } from './held-replies.ts';
import { asks, stage, type Window } from './window.ts';

const scene = stage();
const WINDOW = { contextWindow: 10_000, permissionMode: 'auto' };
const LONG = 'A long answer. '.repeat(300);
const TOO_LARGE: Reply = apiError(400, {
  message: 'Your input exceeds the context window of this model.',
  code: 'context_length_exceeded',
});

/** An answer after which the window is so full. */
function filling(input: number, text = LONG): Answer {
  return { text, usage: { input, cached: 0, output: 20, reasoning: 0 } };
}

function notices(window: Window): readonly unknown[] {
  return window.messages.flatMap((message) =>
    message.type === 'notice' ? [[message.level, message.tier ?? null]] : [],
  );
}

function pressures(window: Window): readonly string[] {
  return window.messages.flatMap((message) => (message.type === 'context_pressure' ? [message.tier] : []));
}

let asked = 0;

async function talk(window: Window, turns: number): Promise<void> {
  for (let n = 0; n < turns; n += 1)
    expect(await window.turn(`Question ${n}?`, `asked_${(asked += 1)}`)).toBe('completed');
}

describe('a tier of the context window', () => {
  test('is told once between two checkpoints, with what to do about it', async () => {
    await scene.script(filling(6_000), filling(7_100), filling(7_200), filling(8_100), filling(9_100));
    const window = await scene.open(WINDOW);
    await talk(window, 5);
    expect(notices(window)).toEqual([
      ['info', 'advisory'],
      ['warning', 'warning'],
      ['warning', 'critical'],
    ]);
    expect(pressures(window).slice(-5)).toEqual(['none', 'advisory', 'advisory', 'warning', 'critical']);
    const warned = window.messages.find((message) => message.type === 'notice' && message.tier === 'warning');
    expect(warned).toMatchObject({
      message: 'The context window is 81 % full. Compact earlier history, or go on in a new session.',
      next_actions: [
        { label: 'Preview compaction', command: 'ledgerline.compactDryRun' },
        { label: 'Compact now', command: 'ledgerline.compact' },
        { label: 'New session', command: 'ledgerline.newSession' },
      ],
    });
    const last = window.messages.findLast((message) => message.type === 'context_pressure');
    expect(last).toMatchObject({ ratio: 0.91, input_tokens: 9_100, cached_tokens: 0, window_tokens: 10_000 });
  });

  test('promises no compaction where there may be nothing to compact', async () => {
    await scene.script(filling(9_500), filling(9_600));
    const window = await scene.open(WINDOW);
    await talk(window, 2);
    expect(await scene.of('history_compaction')).toEqual([]);
    expect(window.messages.filter(({ type }) => type === 'notice')).toMatchObject([
      {
        message:
          'The context window is 95 % full. Before the next turn, earlier history is compacted where that makes room.',
      },
    ]);
  });

  test('is not told again by the window that opens the session next', async () => {
    await scene.script(filling(8_100), filling(8_200), filling(9_200));
    const first = await scene.open(WINDOW);
    await talk(first, 1);
    await first.close();
    const second = await scene.open(WINDOW);
    expect(pressures(second).at(-1)).toBe('warning');
    await talk(second, 2);
    expect(notices(second)).toEqual([['warning', 'critical']]);
  });

  test('is not known where the window is not', async () => {
    await scene.script(filling(9_900));
    const window = await scene.open({});
    await talk(window, 1);
    expect(notices(window)).toEqual([]);
    expect(window.messages.findLast((message) => message.type === 'context_pressure')).toMatchObject({
      tier: 'unknown',
      ratio: null,
      input_tokens: 9_900,
      window_tokens: null,
    });
  });
});

describe('an automatic compaction', () => {
  test('before a turn is on record before its request leaves, and announces itself', async () => {
    await scene.script(...Array(13).fill(filling(5_000)), filling(9_500), filling(3_000, 'Here.'));
    const window = await scene.open(WINDOW);
    await talk(window, 14);
    const from = window.messages.length;
    expect(await window.turn('Go on.')).toBe('completed');
    const told = window.messages.slice(from).filter(isAboutContext);
    expect(told.map((message) => [message.type, 'tier' in message ? message.tier : null])).toEqual([
      ['context_pressure', 'recovery'],
      ['notice', 'recovery'],
      ['context_pressure', 'none'],
    ]);
    const [record] = await scene.of('history_compaction');
    expect(record).toMatchObject({ trigger: 'critical_pressure_preflight', tokens_basis: 'measured' });
    expect(scene.input(14).length).toBeLessThan(scene.input(13).length);
    expect(JSON.stringify(scene.input(14))).toContain('Ledgerline history checkpoint (lossy)');
  });

  test('before the first turn of a fork counts what its parent was told', async () => {
    await scene.script(...Array(13).fill(filling(5_000)), filling(9_500), filling(3_000));
    const window = await scene.open(WINDOW);
    await talk(window, 14);
    await window.receive({ type: 'fork' });
    const fork = window.conversation.sessionId;
    const told = window.messages.findLast((message) => message.type === 'context_pressure');
    expect(told).toMatchObject({ tier: 'critical', ratio: 0.95, input_tokens: 9_500 });
    expect(await window.turn('Go on elsewhere.')).toBe('completed');
    const forked = await scene.events(fork);
    const triggers = forked.flatMap(({ type, data }) =>
      type === 'history_compaction' ? [data.trigger] : [],
    );
    expect(triggers).toEqual(['critical_pressure_preflight']);
    expect(scene.input(14).length).toBeLessThan(scene.input(13).length);
  });

  test('after a request that was too large is tried with ever smaller tails, then fails honestly', async () => {
    await scene.script(
      ...Array(14).fill(filling(5_000)),
      ...Array(4).fill(TOO_LARGE),
      filling(2_000, 'Yes.'),
    );
    const window = await scene.open(WINDOW);
    await talk(window, 14);
    expect(await window.turn('Go on.')).toBe('failed');
    expect(scene.requests).toHaveLength(18);
    const records = await scene.of('history_compaction');
    expect(records.map(({ trigger }) => trigger)).toEqual(Array(3).fill('overflow_recovery'));
    expect([15, 16, 17].map((index) => scene.input(index).length)).toEqual([21, 11, 7]);
    expect(await scene.of('turn_failed')).toMatchObject([
      { error_kind: 'context_overflow', next_actions: [{ label: 'New session' }, {}, {}] },
    ]);
    expect(await window.turn('Still there?')).toBe('completed');
  });

  test.each([
    ['broke', { kind: 'drop' } as const],
    ['sent what is no frame of the API', stream([bytes('{{{')])],
  ])('after a socket %s with a nearly full window is told, and it is asked again', async (_, end) => {
    const lists = {
      ...asks(['c', 'list_files', { path: null, glob: null }]),
      usage: { input: 9_500, cached: 0, output: 20, reasoning: 0 },
    };
    const talked = Array.from({ length: 13 }, (__, n) => ({ ...filling(5_000), id: `r${n}` }));
    await scene.script(...talked, lists, end, filling(3_000, 'Here.'));
    const window = await scene.open({ ...WINDOW, transport: 'websocket' });
    await talk(window, 13);
    expect(await window.turn('List the files.')).toBe('completed');
    const [record, ...more] = await scene.of('history_compaction');
    expect(record).toMatchObject({ trigger: 'websocket_critical_recovery', tokens_basis: 'measured' });
    expect(more).toEqual([]);
    expect(notices(window).at(-1)).toEqual(['info', 'recovery']);
    // The one that failed went on from the response before it: what it was about is in `input`.
    const sizes = scene.requests.slice(14).map(({ input }) => JSON.stringify(input).length);
    expect(sizes[1]).toBeLessThan(sizes[0] ?? 0);
    expect((await scene.of('provider_usage')).at(-1)).toMatchObject({ transport: 'websocket', attempts: 2 });
  });

  test('leaves the same request to the process that opens the session next', async () => {
    await scene.script(...Array(14).fill(filling(5_000)), TOO_LARGE, filling(2_000, 'One.'), filling(2_100));
    const first = await scene.open(WINDOW);
    await talk(first, 14);
    expect(await first.turn('Go on.')).toBe('completed');
    await first.close();
    const second = await scene.open(WINDOW);
    expect(await second.turn('And on.', 'another')).toBe('completed');
    // Everything that went out before, the answer to it, and the new prompt.
    expect(scene.input(16).slice(0, scene.input(15).length)).toEqual(scene.input(15));
    expect(scene.input(16)).toHaveLength(scene.input(15).length + 2);
  });
});

describe('a compaction that is asked for', () => {
  test('is shown as it would be, then recorded as it was shown, and told', async () => {
    await scene.script(...Array(14).fill(filling(5_000)));
    const window = await scene.open(WINDOW);
    await talk(window, 14);
    const before = (await scene.events()).length;
    await window.receive({ type: 'compact', dry_run: true });
    await window.conversation.settled();
    const [preview, told] = window.messages.slice(-2);
    expect(preview).toMatchObject({ type: 'compaction_preview', session_id: 's1' });
    expect(told).toMatchObject({ type: 'notice', level: 'info', next_actions: [{ label: 'Compact now' }] });
    expect(await scene.events()).toHaveLength(before);
    await window.receive({ type: 'compact' });
    await window.conversation.settled();
    const [event, ...more] = (await scene.events()).slice(before);
    expect(more).toEqual([]);
    expect(event?.data).toEqual(preview?.type === 'compaction_preview' ? preview.record : null);
    expect(window.messages.findLast((message) => message.type === 'notice')).toMatchObject({
      level: 'info',
      next_actions: [{ label: 'Open checkpoint', args: [{ session_id: 's1', seq: before }] }],
    });
    await window.receive({ type: 'compact' });
    await window.conversation.settled();
    expect(window.failures.at(-1)).toMatchObject({ for: 'compact', kind: 'nothing_to_compact' });
  });

  test('in a fork stands for what the fork has, and carries on what its parent had summed up', async () => {
    await scene.script(...Array(14).fill(filling(5_000)), ...Array(4).fill(filling(2_000)));
    const window = await scene.open(WINDOW);
    await talk(window, 14);
    await window.receive({ type: 'compact' });
    await window.conversation.settled();
    await window.receive({ type: 'fork' });
    await talk(window, 3);
    await window.receive({ type: 'compact' });
    await window.conversation.settled();
    expect(window.failures).toEqual([]);
    const forked = await scene.events(window.conversation.sessionId);
    const records = forked.flatMap((event) => (event.type === 'history_compaction' ? [event.data] : []));
    expect(records.map(({ event_counts }) => event_counts)).toMatchObject([
      { user_message: 4, assistant_message: 4 },
      { user_message: 7, assistant_message: 7 },
    ]);
    expect(forked[records[1]?.tail_from_seq ?? -1]).toMatchObject({ data: { text: 'Question 7?' } });
    expect(await window.turn('Go on.', 'in the fork')).toBe('completed');
    expect(scene.input(17).length).toBeLessThan(scene.input(16).length);
    expect(await scene.of('history_compaction')).toHaveLength(1);
  });

  test('is refused where another process writes, and as a next action is the same', async () => {
    await scene.script(...Array(14).fill(filling(5_000)));
    const window = await scene.open(WINDOW);
    await talk(window, 14);
    const other = await scene.open(WINDOW);
    await other.receive({ type: 'compact' });
    await other.conversation.settled();
    expect(other.failures.at(-1)).toMatchObject({ for: 'compact', kind: 'session_held' });
    await window.receive({ type: 'run_action', command: 'ledgerline.compactDryRun' });
    await window.conversation.settled();
    expect(window.messages.at(-2)).toMatchObject({ type: 'compaction_preview' });
  });

  test('is not shown as it would be by a process that only looks, while another carries a turn out', async () => {
    const answer = held(filling(5_000));
    await scene.script(...Array(14).fill(filling(5_000)), answer.reply);
    const window = await scene.open(WINDOW);
    await talk(window, 14);
    expect(await previewCompaction(window.options, 's1')).toMatchObject({ ok: true, recorded: false });
    await window.send('And now?');
    await answer.arrived;
    const shown = await previewCompaction(window.options, 's1');
    expect(shown).toMatchObject({ ok: false, recorded: false, kind: 'turn_running' });
    answer.release();
    expect(await window.rests()).toBe('completed');
    expect(await previewCompaction(window.options, 's1')).toMatchObject({ ok: true, recorded: false });
  });
});

describe('a compaction that takes its time', () => {
  const SLOW = { ...WINDOW, 'compaction.strategy': 'model_assisted_v1', permissionMode: 'ask' };

  test.each([
    ['the message', { type: 'compact' }],
    ['a button', { type: 'run_action', command: 'ledgerline.compact' }],
  ])('by %s is stopped at once, also where a message waits for its end', async (_, message) => {
    const summary = held(filling(100, '{}'));
    await scene.script(...Array(14).fill(filling(5_000)), summary.reply, filling(5_000, 'Here.'));
    const window = await scene.open(SLOW);
    await talk(window, 14);
    await window.receive(message);
    await summary.arrived;
    const sent = window.send('Hello?', 'waits');
    await window.stop();
    await sent;
    expect(await window.rests()).toBe('completed');
    expect(window.failures).toMatchObject([{ for: 'compact', kind: 'stopped' }]);
    expect(await scene.of('history_compaction')).toEqual([]);
  });

  test('says of a message that it waits, and how that is ended', async () => {
    const summary = held(filling(100, '{}'));
    await scene.script(...Array(14).fill(filling(5_000)), summary.reply, filling(5_000, 'Here.'));
    const window = await scene.open(SLOW);
    await talk(window, 14);
    await window.receive({ type: 'compact' });
    await summary.arrived;
    const sent = window.send('Hello?', 'waits');
    const told = await window.until((message) => message.type === 'notice');
    expect(told).toEqual({
      v: 1,
      type: 'notice',
      level: 'info',
      message: 'Earlier history is still being summed up. Your message is sent when that is done.',
      next_actions: [{ label: 'Stop', command: 'ledgerline.stop' }],
    });
    summary.release();
    await sent;
    expect(await window.rests()).toBe('completed');
    expect(await scene.of('history_compaction')).toHaveLength(1);
  });

  test('is all that a stop from outside ends: what waits goes on waiting', async () => {
    const write = asks(['c', 'write_file', { path: 'a.txt', content: 'a' }]);
    const summary = held(filling(100, '{}'));
    await scene.script(...Array(14).fill(filling(5_000)), write, summary.reply);
    const window = await scene.open(SLOW);
    await talk(window, 14);
    expect(await window.turn('Write a.')).toBe('waiting');
    await window.receive({ type: 'compact' });
    await summary.arrived;
    await window.conversation.stop();
    expect(window.failures).toMatchObject([{ for: 'compact', kind: 'stopped' }]);
    expect(await window.rests()).toBe('waiting');
  });
});

function isAboutContext(message: HostMessage): boolean {
  return message.type === 'context_pressure' || message.type === 'notice';
}

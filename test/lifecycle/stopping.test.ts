import { describe, expect, it, vi } from 'vitest';
import { nodeClock } from '../../src/app/node-ports.ts';
import { isRunning } from '../support/running-process.ts';
import { fail, succeed, type ToolStub } from '../support/tool-stubs.ts';
import { apiError } from '../support/responses-server/reply.ts';
import { run, write } from './calls.ts';
import { hangs, held } from './held-replies.ts';
import { endingOf, isMove, movesOf, STOPPED } from './log-file.ts';
import { stubStage } from './stub-session.ts';
import { asks, says, stage } from './window.ts';

const on = stage();
const stubs = stubStage();

const ABORT_GRACE_MS = 1000;

/** A turn that is stopped waits a second for its tool. On a busy machine a process may take longer to be gone. */
function holdTheSecond(): void {
  const sleep = nodeClock.sleep.bind(nodeClock);
  vi.spyOn(nodeClock, 'sleep').mockImplementation((ms, signal) =>
    sleep(ms === ABORT_GRACE_MS ? 60 * ms : ms, signal),
  );
}

describe('Stop', () => {
  it('before the first word ends the turn and the request, and leaves no answer', async () => {
    const arrived = Promise.withResolvers<void>();
    await on.script(() => {
      arrived.resolve();
      return { kind: 'silence' };
    }, says('Here.'));
    const window = await on.open();
    await window.send('Hello.');
    await arrived.promise;
    await window.stop();
    expect(await window.rests()).toBe('interrupted');
    expect(endingOf(await on.events())).toEqual(STOPPED);
    expect(await on.of('assistant_message')).toEqual([]);
    expect(await on.requests[0]?.closed).toBe('client_closed');
    expect(window.failures).toEqual([]);
    expect(await window.turn('Again.')).toBe('completed');
  });

  it('in the middle of an answer shows the text before the badge, and keeps it as partial', async () => {
    await on.script(hangs('Half of it'));
    const window = await on.open();
    await window.send('Hello.');
    await window.until((message) => message.type === 'delta');
    await window.stop();
    expect(await window.rests()).toBe('interrupted');
    expect(endingOf(await on.events())).toEqual(STOPPED);
    expect(await on.of('assistant_message')).toMatchObject([
      { text: 'Half of it', metadata: { partial: true, interrupted_reason: 'user_cancelled' } },
    ]);
    const badge = window.messages.findIndex(
      (message) => message.type === 'turn_state' && message.state === 'interrupted',
    );
    const streamed = window.messages.flatMap((message, at) =>
      message.type === 'delta' ? [{ at, text: message.text }] : [],
    );
    expect(streamed.map(({ text }) => text).join('')).toBe('Half of it');
    expect(streamed.every(({ at }) => at < badge)).toBe(true);
    const partial = window.messages.findIndex(
      (message) =>
        message.type === 'append' && message.items.some((item) => item.type === 'assistant_message'),
    );
    expect(partial).toBeLessThan(badge);
    expect(window.messages[badge]).toMatchObject({ reason: 'user_cancelled' });
  });

  it('right after the words arrive still shows all that is kept, before the badge', async () => {
    const answer = held({ text: ['A', 'B', 'C'] });
    await on.script(answer.reply);
    const window = await on.open();
    await window.send('Hello.');
    await window.until(
      (message) => message.type === 'turn_state' && message.activity?.text === 'Receiving the answer',
    );
    await window.stop();
    await window.rests();
    const badge = window.messages.findIndex(
      (message) => message.type === 'turn_state' && message.state === 'interrupted',
    );
    const shown = window.messages
      .slice(0, badge)
      .flatMap((message) => (message.type === 'delta' ? [message.text] : []));
    expect((await on.of('assistant_message')).map(({ text }) => text).join('')).toBe(shown.join(''));
    expect(window.messages.slice(badge).filter((message) => message.type === 'delta')).toEqual([]);
  });

  it('in a wait closes what is pending without running it', async () => {
    await on.script(asks(write('c1', 'a.txt'), ['q1', 'ask_user', { question: 'Which?' }]));
    const window = await on.open();
    expect(await window.turn('Go.')).toBe('waiting');
    await window.stop();
    expect(await window.rests()).toBe('interrupted');
    const events = await on.events();
    expect(endingOf(events)).toEqual(STOPPED);
    expect([movesOf(events, 'c1'), movesOf(events, 'q1')]).toEqual([
      ['suspended', 'cancelled'],
      ['running', 'suspended', 'cancelled'],
    ]);
    expect((await on.of('tool_result')).map(({ ok, error }) => [ok, error?.kind])).toEqual([
      [false, 'cancelled'],
      [false, 'cancelled'],
    ]);
    await window.decide('c1', 'resume');
    expect(window.failures).toMatchObject([{ for: 'decide' }]);
    expect(await on.read('a.txt')).toBeNull();
  });

  it('between two attempts ends the wait for the next', async () => {
    await on.script(apiError(503, { message: 'down' }, { 'retry-after-ms': '60000' }), says('Too late.'));
    const window = await on.open();
    await window.send('Hello.');
    await window.until(
      (message) =>
        message.type === 'turn_state' && message.activity?.text.startsWith('Trying again') === true,
    );
    await window.stop();
    expect(await window.rests()).toBe('interrupted');
    expect(endingOf(await on.events())).toEqual(STOPPED);
    expect(on.requests).toHaveLength(1);
  });

  it('in a command ends its whole process tree', async () => {
    holdTheSecond();
    await on.script(asks(run('c1', 'sleep 300 & echo $! > child; echo $$ > shell; wait')));
    const window = await on.open({ permissionMode: 'auto' });
    await window.send('Go.');
    await expect.poll(() => on.read('shell')).toMatch(/^\d+\n/);
    const pids = [Number(await on.read('shell')), Number(await on.read('child'))];
    await window.stop();
    expect(await window.rests()).toBe('interrupted');
    await expect.poll(() => pids.map(isRunning)).toEqual([false, false]);
    const events = await on.events();
    expect(endingOf(events)).toEqual(STOPPED);
    expect(movesOf(events, 'c1')).toEqual(['running', 'cancelled']);
  });

  it('in a round keeps what has ended, ends what runs and closes what waits', async () => {
    await on.write('in.txt', 'content');
    await on.script(
      asks(
        ['c1', 'read_file', { path: 'in.txt' }],
        run('c2', 'touch began; sleep 300'),
        write('c3', 'a.txt'),
        run('c4', 'touch never'),
      ),
      says('Go on.'),
    );
    const window = await on.open({ permissions: { allow: ['run_command(*)'], ask: [], deny: [] } });
    await window.send('Go.');
    await window.call('c1', 'succeeded');
    await expect.poll(() => on.read('began')).toBe('');
    await window.stop();
    expect(await window.rests()).toBe('interrupted');
    const events = await on.events();
    expect(endingOf(events)).toEqual(STOPPED);
    expect(['c1', 'c2', 'c3', 'c4'].map((id) => movesOf(events, id))).toEqual([
      ['running', 'succeeded'],
      ['running', 'cancelled'],
      ['suspended', 'cancelled'],
      ['cancelled'],
    ]);
    const results = await on.of('tool_result');
    expect(Object.fromEntries(results.map(({ call_id, ok, error }) => [call_id, ok || error?.kind]))).toEqual(
      {
        c1: true,
        c2: 'cancelled',
        c3: 'cancelled',
        c4: 'never_started',
      },
    );
    expect([await on.read('a.txt'), await on.read('never')]).toEqual([null, null]);
    expect(await window.turn('Go on.')).toBe('completed');
    expect(on.output(1, 'c1')).toContain('content');
  });

  it('pressed again and again, and with the window closed on top, is one Stop', async () => {
    await on.script(hangs('Half of it'));
    const window = await on.open();
    await window.send('Hello.');
    await window.until((message) => message.type === 'delta');
    await Promise.all([window.stop(), window.stop(), window.stop(), window.close()]);
    const log = await on.events();
    expect(log.filter((event) => event.type === 'turn_failed')).toHaveLength(1);
    expect(log.filter((event) => event.type === 'assistant_message')).toHaveLength(1);
  });

  it('with nothing under way changes nothing', async () => {
    await on.script(says('Done.'));
    const window = await on.open();
    await window.turn('Hello.');
    const before = (await on.events()).length;
    await window.stop();
    expect(await window.rests()).toBe('completed');
    expect(await on.events()).toHaveLength(before);
  });
});

describe('a tool that is told to stop', () => {
  it.each([
    [
      'suspends itself instead',
      {
        kind: 'suspended',
        suspension: { reason: 'q', message: 'Hm?', resume_mode: 'replay_tool_call' },
      } as const,
      'interrupted',
    ],
    ['fails', fail('broken'), 'broken'],
    ['says that it was cancelled', fail('cancelled'), 'cancelled'],
  ])('and %s leaves a cancelled run that never waits', async (_name, outcome, kind) => {
    const began = Promise.withResolvers<void>();
    const slow: ToolStub = {
      effect: 'read',
      run: (_call, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(outcome));
          began.resolve();
        }),
    };
    await stubs.script(asks(['c1', 'slow', {}]));
    const session = await stubs.open({ tools: { slow } });
    await session.send('Go.');
    await began.promise;
    await session.session.stop('user_cancelled');
    expect(await session.rests()).toBe('interrupted');
    expect(endingOf(session.log.events)).toEqual(STOPPED);
    expect(movesOf(session.log.events, 'c1')).not.toContain('suspended');
    expect(session.of('tool_result')).toMatchObject([{ call_id: 'c1', ok: false, error: { kind } }]);
    expect(session.of('run_status').map(({ status }) => status)).toEqual(['running', 'done']);
    const again = await stubs.open({ tools: { slow }, lines: session.log.lines });
    expect([again.state, again.log.lines.length]).toEqual(['interrupted', session.log.lines.length]);
  });

  it('and does not hear it is left behind, and what it says later is not believed', async () => {
    const end = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const deaf: ToolStub = {
      effect: 'read',
      run: async () => {
        began.resolve();
        await end.promise;
        queueMicrotask(() => ended.resolve());
        return succeed('late');
      },
    };
    await stubs.script(asks(['c1', 'deaf', {}]), says('Here.'));
    const session = await stubs.open({ tools: { deaf } });
    await session.send('Go.');
    await session.until(isMove('c1', 'running'));
    await began.promise;
    await session.session.stop('user_cancelled');
    expect(await session.rests()).toBe('interrupted');
    expect(session.of('tool_result')).toMatchObject([{ ok: false, error: { kind: 'cancelled' } }]);
    const lines = session.log.lines.length;
    end.resolve();
    await ended.promise;
    expect(session.log.lines).toHaveLength(lines);
    await session.send('Again.', 'client_2');
    expect(await session.rests()).toBe('completed');
  });
});

import { describe, expect, it } from 'vitest';
import { PENDING_OUTPUT } from '../../src/runtime/replay/labels.ts';
import { CUT, events, stream, wait } from '../support/responses-server/reply.ts';
import { unfinishedEvents, type Answer } from '../support/responses-server/response-events.ts';
import { run, write } from './calls.ts';
import { held, type HeldReply } from './held-replies.ts';
import { endingOf, isMove, logText, movesOf, STOPPED } from './log-file.ts';
import { asks, says, stage, type Window } from './window.ts';

const on = stage();

const BATCH = { 'approvals.batch': true };
/** A command that ends when the test says so. */
const WAITS = 'touch began; until [ -e go ]; do sleep 0.02; done';

const READ = ['c2', 'read_file', { path: 'in.txt' }] as const;

/** A turn in which the model answers while calls of it wait for a person; it may say more after that. */
async function answering(calls: Answer, answer: HeldReply, ...more: readonly Answer[]): Promise<Window> {
  await on.write('in.txt', 'content');
  await on.script(calls, answer.reply, ...more);
  const window = await on.open();
  await window.send('Go.');
  await answer.arrived;
  return window;
}

describe('a decision while the model answers', () => {
  it('is applied at once, and the answer that did not know the result is not the last', async () => {
    const answer = held({ text: 'I still wait for the write.' });
    const window = await answering(asks(write('c1', 'a.txt'), READ), answer, says('It is written.'));
    await window.until((message) => message.type === 'delta');
    await window.decide('c1', 'resume');
    await window.call('c1', 'succeeded');
    expect(await on.read('a.txt')).toBe('by c1');
    expect(on.requests).toHaveLength(2);
    expect(on.output(1, 'c1')).toBe(PENDING_OUTPUT);
    answer.release();
    expect(await window.rests()).toBe('completed');
    expect(on.requests).toHaveLength(3);
    expect(on.output(2, 'c1')).toMatch(/^Created/);
    const events = await on.events();
    const said = events.flatMap((event) => (event.type === 'assistant_message' ? [event.data.text] : []));
    expect(said).toEqual(['I still wait for the write.', 'It is written.']);
    expect(events.flatMap((event) => (event.type === 'run_status' ? [event.data.status] : []))).toEqual([
      'running',
      'done',
    ]);
  });

  it('that denies is applied at once as well', async () => {
    const answer = held({ text: 'I wait.' });
    const window = await answering(asks(write('c1', 'a.txt'), READ), answer, says('Denied then.'));
    await window.decide('c1', 'cancel', { reason: 'no' });
    await window.call('c1', 'cancelled');
    answer.release();
    expect(await window.rests()).toBe('completed');
    expect(String(on.output(2, 'c1'))).toContain('Their reason: no');
    expect(await on.read('a.txt')).toBeNull();
  });

  it('to calls that the answer asks for: both rounds come to their results', async () => {
    const answer = held(asks(write('c3', 'b.txt')));
    const window = await answering(asks(write('c1', 'a.txt'), READ), answer, says('Both written.'));
    await window.decide('c1', 'resume');
    await window.call('c1', 'succeeded');
    answer.release();
    expect(await window.rests()).toBe('waiting');
    expect(on.requests).toHaveLength(2);
    expect(await window.decided('c3', 'resume')).toBe('completed');
    expect([on.output(2, 'c1'), on.output(2, 'c3')]).toEqual([
      expect.stringMatching(/^Created a/),
      expect.stringMatching(/^Created b/),
    ]);
  });
});

describe('a decision while the model answers, whatever becomes of the answer', () => {
  it('is carried to its end before the next request, also when the answer is there first', async () => {
    const answer = held({ text: 'I wait.' });
    const window = await answering(asks(run('c1', WAITS), READ), answer, says('It ran.'));
    await window.decide('c1', 'resume');
    await expect.poll(() => on.read('began')).toBe('');
    answer.release();
    await window.until(
      (message) =>
        message.type === 'append' && message.items.some((item) => item.type === 'assistant_message'),
    );
    expect([window.state, on.requests.length]).toEqual(['running', 2]);
    await on.write('go', '');
    expect(await window.rests()).toBe('completed');
    expect(on.requests).toHaveLength(3);
    expect(String(on.output(2, 'c1'))).toContain('exit code 0');
  });

  it('keeps its result when the answer breaks off, and what is still pending is closed', async () => {
    await on.write('in.txt', 'content');
    const cut = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    await on.script(asks(write('c1', 'a.txt'), READ, write('c3', 'b.txt')), () => {
      arrived.resolve();
      return stream([events(unfinishedEvents({ text: 'Half' })), wait(cut.promise), CUT]);
    });
    const window = await on.open();
    await window.send('Go.');
    await arrived.promise;
    await window.decide('c1', 'resume');
    await window.call('c1', 'succeeded');
    cut.resolve();
    expect(await window.rests()).toBe('partial_failed');
    const log = await on.events();
    expect(['c1', 'c3'].map((id) => movesOf(log, id).at(-1))).toEqual(['succeeded', 'cancelled']);
    expect([await on.read('a.txt'), await on.read('b.txt')]).toEqual(['by c1', null]);
  });

  it('is stopped with it: nothing that was decided is left half done', async () => {
    const answer = held({ text: 'I wait.' });
    const window = await answering(asks(run('c1', WAITS), READ), answer);
    await window.until((message) => message.type === 'delta');
    await window.decide('c1', 'resume');
    await expect.poll(() => on.read('began')).toBe('');
    await window.stop();
    expect(await window.rests()).toBe('interrupted');
    const log = await on.events();
    expect(movesOf(log, 'c1')).toEqual(['suspended', 'resuming', 'running', 'cancelled']);
    expect(endingOf(log)).toEqual(STOPPED);
  });
});

describe('a decision and a Stop at once', () => {
  it.each(['decide', 'stop'])('%s first: the file is there exactly if the log says so', async (first) => {
    const window = await on.turn('Go.', [asks(write('c1', 'a.txt')), says('Done.')]);
    const both = [() => window.decide('c1', 'resume'), () => window.stop()];
    if (first === 'stop') both.reverse();
    await Promise.all(both.map((act) => act()));
    expect(['interrupted', 'completed']).toContain(await window.rests());
    const results = await on.of('tool_result');
    expect(results).toHaveLength(1);
    expect(await on.read('a.txt')).toBe(results[0]?.ok === true ? 'by c1' : null);
    if (first === 'stop') expect(results[0]?.ok).toBe(false);
  });
});

describe('a decision while the round runs', () => {
  it('is applied at once, and the next request has its result instead of a placeholder', async () => {
    await on.script(
      asks(run('c1', WAITS), ['q1', 'ask_user', { question: 'Which?' }], write('c2', 'a.txt')),
      says('Done.'),
    );
    const window = await on.open({
      permissions: { allow: ['run_command(*)'], ask: [], deny: [] },
    });
    await window.send('Go.');
    await expect.poll(() => on.read('began')).toBe('');
    await window.call('q1', 'suspended');
    await window.decide('q1', 'resume', { result: 'this one' });
    await window.decide('c2', 'cancel');
    await window.call('q1', 'succeeded');
    await window.call('c2', 'cancelled');
    expect(movesOf(await on.events(), 'c1')).toEqual(['running']);
    await on.write('go', '');
    expect(await window.rests()).toBe('completed');
    expect(on.requests).toHaveLength(2);
    expect(on.output(1, 'q1')).toBe('this one');
    expect(JSON.stringify(on.input(1))).not.toContain(PENDING_OUTPUT);
  });

  it('about a write is carried out beside a running command', async () => {
    await on.script(asks(run('c1', WAITS), write('c2', 'a.txt')), says('Done.'));
    const window = await on.open({ permissions: { allow: ['run_command(*)'], ask: [], deny: [] } });
    await window.send('Go.');
    await expect.poll(() => on.read('began')).toBe('');
    await window.decide('c2', 'resume');
    await window.call('c2', 'succeeded');
    await on.write('go', '');
    expect(await window.rests()).toBe('completed');
    const events = await on.events();
    expect(events.findIndex(isMove('c2', 'succeeded'))).toBeLessThan(
      events.findIndex(isMove('c1', 'succeeded')),
    );
    expect(on.requests).toHaveLength(2);
    expect(on.output(1, 'c2')).toMatch(/^Created/);
  });
});

describe('approvals as a batch', () => {
  it('run nothing of the round before all of it is decided', async () => {
    const window = await on.turn(
      'Write all.',
      [asks(write('c1', 'a'), write('c2', 'b'), write('c3', 'c')), says('Done.')],
      BATCH,
    );
    await window.decide('c3', 'resume');
    expect(await window.decided('c1', 'resume')).toBe('waiting');
    expect(await Promise.all(['a', 'b', 'c'].map((path) => on.read(path)))).toEqual([null, null, null]);
    expect(window.messages.findLast((message) => message.type === 'turn_state')).toMatchObject({
      pending: [
        { call_id: 'c1', decided: true },
        { call_id: 'c2', decided: false },
        { call_id: 'c3', decided: true },
      ],
    });
    expect(await window.decided('c2', 'cancel')).toBe('completed');
    expect(await Promise.all(['a', 'b', 'c'].map((path) => on.read(path)))).toEqual(['by c1', null, 'by c3']);
    expect(on.requests).toHaveLength(2);
  });

  it('that are decided in part keep the first decision, also across a restart', async () => {
    const window = await on.turn(
      'Write all.',
      [asks(write('c1', 'a'), write('c2', 'b')), says('Done.')],
      BATCH,
    );
    await window.decide('c1', 'resume');
    const log = await logText(on.place);
    await window.decide('c1', 'cancel');
    expect(window.failures).toMatchObject([{ kind: 'already_decided' }]);
    expect(await logText(on.place)).toBe(log);
    await window.close();
    const again = await on.open(BATCH);
    expect(await again.rests()).toBe('waiting');
    expect(await on.read('a')).toBeNull();
    expect(await again.decided('c2', 'resume')).toBe('completed');
    expect([await on.read('a'), await on.read('b')]).toEqual(['by c1', 'by c2']);
  });

  it('of a mixed round wait without another inference', async () => {
    await on.write('in.txt', 'content');
    const window = await on.turn(
      'Go.',
      [asks(write('c1', 'a'), ['c2', 'read_file', { path: 'in.txt' }]), says('Done.')],
      BATCH,
    );
    expect(window.state).toBe('waiting');
    expect(on.requests).toHaveLength(1);
    expect(await window.decided('c1', 'resume')).toBe('completed');
    expect(on.requests).toHaveLength(2);
  });
});

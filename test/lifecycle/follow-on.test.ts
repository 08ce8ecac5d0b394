import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { apiError } from '../support/responses-server/reply.ts';
import { startResponsesServer, type Replier } from '../support/responses-server/server.ts';
import { breaksOff, responds } from '../support/responses-server/whole-replies.ts';
import { hangs, held } from './held-replies.ts';
import { endingOf, logText, movesOf, SUPERSEDED } from './log-file.ts';
import { asks, says, stage, Window } from './window.ts';

const on = stage();

const WRITE = ['c1', 'write_file', { path: 'a.txt', content: 'new' }] as const;

async function prompts(): Promise<readonly string[]> {
  return (await on.of('user_message')).map(({ client_turn_id }) => client_turn_id);
}

/** What a request says, one text an item, with its role. */
function texts(index: number): readonly string[] {
  return on.input(index).flatMap((item) => {
    const content = item['content'] as readonly { readonly text: string }[] | undefined;
    return content === undefined
      ? []
      : [`${String(item['role'])}: ${content.map(({ text }) => text).join('')}`];
  });
}

/** The first may be superseded before it has asked for anything. */
const answersTheSecond: Replier = ({ raw }) =>
  raw.includes('Two.') ? responds({ text: 'Second.' }) : hangs('First');

/** Answered with the state of its turn; nothing is written and nothing is asked. */
async function again(window: Window, id: string, state: string): Promise<void> {
  const [log, requests, told] = [
    await logText(on.place),
    on.requests.length,
    window.messages.length,
  ] as const;
  await window.send('Anything else.', id);
  const answer = window.messages.slice(told).findLast((message) => message.type === 'turn_state');
  expect(answer).toMatchObject({ client_turn_id: id, state });
  expect(await logText(on.place)).toBe(log);
  expect(on.requests).toHaveLength(requests);
  expect(window.failures).toEqual([]);
}

describe('a new message', () => {
  it('to a turn that waits supersedes it: its calls are cancelled, and exactly one new turn starts', async () => {
    await on.script(asks(WRITE, ['q1', 'ask_user', { question: 'Which?' }]), says('Something else then.'));
    const window = await on.open();
    expect(await window.turn('Write.', 't1')).toBe('waiting');
    expect(await window.turn('Never mind.', 't2')).toBe('completed');
    const log = await on.events();
    expect([movesOf(log, 'c1').at(-1), movesOf(log, 'q1').at(-1)]).toEqual(['cancelled', 'cancelled']);
    expect((await on.of('tool_result')).map(({ error }) => error?.kind)).toEqual(['cancelled', 'cancelled']);
    expect(await on.of('turn_failed')).toMatchObject([
      { client_turn_id: 't1', terminal_status: 'interrupted', interrupted_reason: 'superseded' },
    ]);
    expect(await prompts()).toEqual(['t1', 't2']);
    expect(on.requests).toHaveLength(2);
    expect(String(on.output(1, 'c1'))).toContain('did not run');
    expect(await on.of('interruption_note')).toMatchObject([{ reason: 'superseded', client_turn_id: 't2' }]);
    await window.decide('c1', 'resume');
    expect(window.failures).toMatchObject([{ for: 'decide', kind: 'already_settled' }]);
    expect(await on.read('a.txt')).toBeNull();
  });

  it('to a turn that is being answered supersedes it, and both its prompt and its words are kept', async () => {
    await on.script(hangs('The first answer'), says('The second answer'));
    const window = await on.open();
    await window.send('First.', 't1');
    await window.until((message) => message.type === 'delta');
    expect(await window.turn('Second.', 't2')).toBe('completed');
    const log = await on.events();
    const failed = log.findIndex((event) => event.type === 'turn_failed');
    expect(endingOf(log.slice(0, failed + 2))).toEqual(SUPERSEDED);
    expect(await prompts()).toEqual(['t1', 't2']);
    expect((await on.of('assistant_message')).map(({ text, metadata }) => [text, metadata.partial])).toEqual([
      ['The first answer', true],
      ['The second answer', false],
    ]);
    expect(window.failures).toEqual([]);
  });

  it('to a turn with a running command ends that first', async () => {
    await on.script(asks(['c1', 'run_command', { command: 'touch began; sleep 300' }]), says('Second.'));
    const window = await on.open({ permissionMode: 'auto' });
    await window.send('First.', 't1');
    await expect.poll(() => on.read('began')).toBe('');
    expect(await window.turn('Second.', 't2')).toBe('completed');
    expect(movesOf(await on.events(), 'c1')).toEqual(['running', 'cancelled']);
    expect(await prompts()).toEqual(['t1', 't2']);
    const starts = (await on.events()).flatMap((event) =>
      event.type === 'run_status' ? [`${event.data.client_turn_id} ${event.data.status}`] : [],
    );
    expect(starts).toEqual(['t1 running', 't1 done', 't2 running', 't2 done']);
  });

  it('sent before the session is known waits for it: one session, and one turn for each message', async () => {
    const server = await startResponsesServer({ handler: answersTheSecond });
    const window = new Window(on.place, { baseUrl: server.url }, 's1', { trusted: true });
    try {
      await Promise.all([window.send('One.', 't1'), window.send('Two.', 't2')]);
      expect(await window.rests()).toBe('completed');
      expect(await prompts()).toEqual(['t1', 't2']);
      expect(await on.of('turn_failed')).toMatchObject([
        { client_turn_id: 't1', interrupted_reason: 'superseded' },
      ]);
      const logs = (await readdir(join(on.place.storage, 'sessions'))).filter((name) =>
        name.endsWith('.jsonl'),
      );
      expect(logs).toEqual(['s1.jsonl']);
    } finally {
      await window.close();
      await server.close();
    }
  });

  it('of three at once each has its turn, and only the last goes on', async () => {
    await on.script(says('Answer.'), says('Answer.'), says('Answer.'));
    const window = await on.open();
    await Promise.all(['t1', 't2', 't3'].map((id) => window.send(id, id)));
    expect(await window.rests()).toBe('completed');
    expect(await prompts()).toEqual(['t1', 't2', 't3']);
    const log = await on.events();
    const open = log.filter((event) => event.type === 'run_status' && event.data.status === 'running');
    const done = log.filter((event) => event.type === 'run_status' && event.data.status === 'done');
    expect([open.length, done.length]).toEqual([3, 3]);
  });
});

describe('the same message again', () => {
  it('while its turn runs, waits, is completed, has failed or was stopped returns what became of it', async () => {
    const answer = held({ text: 'Slowly.' });
    await on.script(
      answer.reply,
      asks(WRITE),
      says('Written.'),
      apiError(401, { message: 'Incorrect API key provided', code: 'invalid_api_key' }),
      hangs('Half'),
    );
    const window = await on.open();
    await window.send('One.', 't1');
    await window.until((message) => message.type === 'delta');
    await again(window, 't1', 'running');
    answer.release();
    expect(await window.rests()).toBe('completed');
    await again(window, 't1', 'completed');
    expect(await window.turn('Two.', 't2')).toBe('waiting');
    await again(window, 't2', 'waiting');
    await again(window, 't1', 'completed');
    expect(await window.decided('c1', 'resume')).toBe('completed');
    expect(await window.turn('Three.', 't3')).toBe('failed');
    await again(window, 't3', 'failed');
    const before = window.messages.length;
    await window.send('Four.', 't4');
    await window.until((message) => window.messages.indexOf(message) >= before && message.type === 'delta');
    await window.stop();
    await window.rests();
    await again(window, 't4', 'interrupted');
    await window.close();
    const reopened = await on.open();
    for (const [id, state] of [
      ['t1', 'completed'],
      ['t2', 'completed'],
      ['t3', 'failed'],
      ['t4', 'interrupted'],
    ] as const)
      await again(reopened, id, state);
    expect(await prompts()).toEqual(['t1', 't2', 't3', 't4']);
  });

  it('twice at once is one turn', async () => {
    await on.script(says('Once.'));
    const window = await on.open();
    await Promise.all([1, 2, 3].map(() => window.send('Hello.', 't1')));
    expect(await window.rests()).toBe('completed');
    expect(await prompts()).toEqual(['t1']);
    expect(on.requests).toHaveLength(1);
  });

  it('of a turn that waits after a restart still waits', async () => {
    await on.script(asks(WRITE));
    const window = await on.open();
    await window.turn('Write.', 't1');
    await window.close();
    await again(await on.open(), 't1', 'waiting');
  });
});

describe('what the model hears of a turn that did not end well', () => {
  const NOTE = 'the previous answer is unfinished';

  it('is one labelled note after an interruption, which is no answer and stays in its place', async () => {
    await on.script(hangs('Half an answer'), says('Second.'), says('Third.'));
    const window = await on.open();
    await window.send('First.');
    await window.until((message) => message.type === 'delta');
    await window.stop();
    await window.rests();
    await window.turn('Go on.');
    const second = texts(1);
    expect(second.filter((text) => text.includes(NOTE))).toHaveLength(1);
    expect(second.at(-2)).toMatch(/^user: \[Ledgerline note: the previous answer is unfinished\]/);
    expect(second.at(-2)).toContain('Half an answer');
    expect(second.at(-1)).toBe('user: Go on.');
    expect(second.filter((text) => text.startsWith('assistant'))).toEqual([]);
    await window.turn('And on.');
    expect(texts(2).filter((text) => text.includes(NOTE))).toHaveLength(1);
    expect(texts(2).slice(0, second.length)).toEqual(second);
    expect(await on.of('interruption_note')).toHaveLength(1);
  });

  it('is nothing after a failure, and nothing of what it had said', async () => {
    const window = await on.turn('First.', [
      breaksOff('Broken words'),
      apiError(401, { message: 'Incorrect API key provided', code: 'invalid_api_key' }),
      says('Fine.'),
    ]);
    expect(window.state).toBe('partial_failed');
    expect(await window.turn('Second.')).toBe('failed');
    expect(await window.turn('Third.')).toBe('completed');
    expect(texts(2).slice(1)).toEqual(['user: First.', 'user: Second.', 'user: Third.']);
    expect(JSON.stringify(on.input(2))).not.toContain('Broken words');
    expect(await on.of('interruption_note')).toEqual([]);
  });
});

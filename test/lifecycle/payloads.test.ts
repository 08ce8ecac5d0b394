import { describe, expect, it } from 'vitest';
import { logText } from './log-file.ts';
import { asks, says, stage } from './window.ts';

const on = stage();

const FALSY: readonly (readonly [value: unknown, asText: string])[] = [
  [false, 'false'],
  [0, '0'],
  ['', ''],
  [null, 'null'],
  [[], '[]'],
];

const WRITE = ['c1', 'write_file', { path: 'a.txt', content: 'new' }] as const;
const question = (call_id: string) => [call_id, 'ask_user', { question: `${call_id}?` }] as const;

describe('a question to the person', () => {
  it('suspends itself, and the answer becomes its output', async () => {
    const window = await on.turn('Paint.', [
      asks(['q1', 'ask_user', { question: 'Which colour?', schema: { enum: ['red', 'blue'] } }]),
      says('Blue it is.'),
    ]);
    expect(window.state).toBe('waiting');
    expect(await window.call('q1', 'suspended')).toMatchObject({
      suspension: {
        reason: 'question',
        message: 'Which colour?',
        resume_mode: 'use_decision_as_result',
        response_schema: { enum: ['red', 'blue'] },
      },
    });
    expect(await window.decided('q1', 'resume', { result: 'blue' })).toBe('completed');
    expect(on.output(1, 'q1')).toBe('blue');
  });

  it('gets any answer that is given, whatever a program would take it for', async () => {
    const window = await on.turn('Ask.', [
      asks(...FALSY.map((_, index) => question(`q${index}`))),
      says('Understood.'),
    ]);
    expect(window.state).toBe('waiting');
    for (const [index, [result]] of FALSY.entries()) await window.decide(`q${index}`, 'resume', { result });
    expect(await window.rests()).toBe('completed');
    expect(FALSY.map((_, index) => on.output(1, `q${index}`))).toEqual(FALSY.map(([, text]) => text));
    expect((await on.of('tool_result')).map(({ ok }) => ok)).toEqual(FALSY.map(() => true));
    expect((await on.of('tool_call_decision')).map(({ result }) => result)).toEqual(
      FALSY.map(([value]) => value),
    );
  });

  it('is not answered by a decision without an answer', async () => {
    const window = await on.turn('Ask.', [asks(question('q1'))]);
    const log = await logText(on.place);
    await window.decide('q1', 'resume');
    expect(window.failures).toMatchObject([{ for: 'decide', kind: 'missing_result' }]);
    expect(await window.rests()).toBe('waiting');
    expect(await logText(on.place)).toBe(log);
  });

  it('that is declined gives an error result with the reason', async () => {
    const window = await on.turn('Ask.', [asks(question('q1')), says('Then I decide.')]);
    expect(await window.decided('q1', 'cancel', { reason: 'You decide.' })).toBe('completed');
    expect(await on.of('tool_result')).toMatchObject([{ call_id: 'q1', ok: false }]);
    expect(on.output(1, 'q1')).toContain('You decide.');
  });
});

describe('an answer to a question with a schema', () => {
  const COLOUR = ['q1', 'ask_user', { question: 'Which?', schema: { enum: ['red', 'blue'] } }] as const;
  const REFUSED = {
    for: 'decide',
    kind: 'invalid_answer',
    message:
      'The answer is "green", but the question takes only one of these: "red", "blue". Nothing was changed.',
    target_id: 'q1',
  };

  it.each(['at once', 'after a restart'])('is refused when it does not fit, %s', async (when) => {
    await on.script(asks(COLOUR), says('Blue it is.'));
    const first = await on.open();
    await first.turn('Paint.');
    if (when === 'after a restart') await first.close();
    const window = when === 'after a restart' ? await on.open() : first;
    const log = await logText(on.place);
    await window.decide('q1', 'resume', { result: 'green' });
    expect(window.failures).toMatchObject([REFUSED]);
    expect(await window.rests()).toBe('waiting');
    expect(await logText(on.place)).toBe(log);
    expect(await window.decided('q1', 'resume', { result: 'blue' })).toBe('completed');
    expect(on.output(1, 'q1')).toBe('blue');
  });

  it('is refused alone where a round is decided together', async () => {
    const window = await on.turn('Paint and write.', [asks(COLOUR, WRITE), says('Done.')], {
      'approvals.batch': true,
    });
    await Promise.all([
      window.decide('q1', 'resume', { result: 'green' }),
      window.decide('c1', 'resume', { result: null }),
    ]);
    expect(window.failures).toMatchObject([REFUSED]);
    expect(await window.rests()).toBe('waiting');
    expect(await on.read('a.txt')).toBeNull();
    expect(await window.decided('q1', 'resume', { result: 'red' })).toBe('completed');
    expect([on.output(1, 'q1'), await on.read('a.txt')]).toEqual(['red', 'new']);
  });

  it('of several fields reaches the model as an object, and is refused without a field it needs', async () => {
    const schema = {
      type: 'object',
      properties: { engine: { enum: ['node', 'deno'] }, port: { type: 'integer' } },
      required: ['engine'],
    };
    const window = await on.turn('Ask.', [
      asks(['q1', 'ask_user', { question: 'How?', schema }]),
      says('So be it.'),
    ]);
    await window.decide('q1', 'resume', { result: { port: 80 } });
    expect(window.failures).toMatchObject([
      { message: 'The answer has no "engine", which the question needs. Nothing was changed.' },
    ]);
    expect(await window.rests()).toBe('waiting');
    expect(await window.decided('q1', 'resume', { result: { engine: 'deno', port: 80 } })).toBe('completed');
    expect(on.output(1, 'q1')).toBe('{"engine":"deno","port":80}');
  });

  it('is taken where the schema says more than is understood', async () => {
    const schema = { type: 'string', pattern: '^x$', minLength: 9, not: { const: 'y' } };
    const window = await on.turn('Ask.', [
      asks(['q1', 'ask_user', { question: 'Which?', schema }]),
      says('So be it.'),
    ]);
    await window.decide('q1', 'resume', { result: 'y' });
    expect(window.failures).toEqual([]);
    expect(await window.rests()).toBe('completed');
  });
});

describe('a pending write', () => {
  it.each([[null], [''], [{}], [undefined]])(
    'is approved by a resume with %j for a result',
    async (result) => {
      const window = await on.turn('Write.', [asks(WRITE), says('Written.')]);
      await window.decide('c1', 'resume', { result });
      expect(window.failures).toEqual([]);
      expect(await window.rests()).toBe('completed');
      expect(await on.read('a.txt')).toBe('new');
    },
  );

  it.each([[false], [0], [[]], [{ approved: false }]])(
    'is not approved by a resume with %j for a result',
    async (result) => {
      const window = await on.turn('Write.', [asks(WRITE)]);
      const log = await logText(on.place);
      await window.decide('c1', 'resume', { result });
      expect(window.failures).toMatchObject([{ for: 'decide', kind: 'contradictory_decision' }]);
      expect(await window.rests()).toBe('waiting');
      expect(await logText(on.place)).toBe(log);
      expect(await on.read('a.txt')).toBeNull();
    },
  );

  it('is not approved by anything but an explicit resume', async () => {
    const window = await on.turn('Write.', [asks(WRITE), says('Done.')]);
    const log = await logText(on.place);
    const actions = ['', 'approve', 'Resume', 'resume ', 'yes', 'true', true, false, 0, 1, null, [], {}];
    for (const [index, action] of actions.entries())
      await window.receive({ type: 'decide', target_id: 'c1', decision_id: `d${index}`, action });
    await window.receive({ type: 'decide', target_id: 'c1', decision_id: 'none' });
    await window.receive({ type: 'decide', target_id: 'c1', decision_id: 'result', result: true });
    await window.receive({ type: 'decide' });
    await window.receive({});
    expect(window.failures).toHaveLength(actions.length + 4);
    expect(await window.rests()).toBe('waiting');
    expect(await logText(on.place)).toBe(log);
    expect(await on.read('a.txt')).toBeNull();
    await window.receive({ type: 'decide', target_id: 'c1', decision_id: 'd0', action: 'resume' });
    expect(await window.rests()).toBe('completed');
    expect(await on.read('a.txt')).toBe('new');
  });

  it('cannot be resumed in a way that was not offered', async () => {
    const window = await on.turn('Write.', [asks(WRITE)]);
    const log = await logText(on.place);
    for (const resume_mode of ['use_decision_as_result', 'pass_decision_to_tool'])
      await window.decide('c1', 'resume', { resume_mode, result: 'It is written.' });
    expect(window.failures.map(({ kind }) => kind)).toEqual(['bad_resume_mode', 'bad_resume_mode']);
    expect(await window.rests()).toBe('waiting');
    expect(await logText(on.place)).toBe(log);
  });
});

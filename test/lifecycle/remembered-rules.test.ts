import { describe, expect, it } from 'vitest';
import { run } from './calls.ts';
import { logText, movesOf } from './log-file.ts';
import { asks, says, stage, type Window } from './window.ts';

const on = stage();

const write = (call_id: string, path: string, content = 'new') =>
  [call_id, 'write_file', { path, content }] as const;

interface Offer {
  readonly always: readonly string[];
  readonly never: readonly string[];
}

async function offer(window: Window, callId: string): Promise<Offer> {
  const told = await window.call(callId, 'suspended');
  const suspension = told.type === 'tool_state' ? told.suspension : undefined;
  return (suspension as { readonly parameters: Offer }).parameters;
}

describe('an approval that is remembered', () => {
  it('lets the same call run without asking: in the same turn, the next, another session and another process', async () => {
    const window = await on.turn('Go.', [
      asks(run('c1', 'mkdir -p made')),
      ...['c2', 'c3', 'c4', 'c5'].flatMap((id) => [asks(run(id, 'mkdir -p made')), says(`${id} ran.`)]),
    ]);
    expect(await window.decided('c1', 'resume', { remember: true })).toBe('completed');
    const { always } = await offer(window, 'c1');
    expect(always.length).toBeGreaterThan(0);
    expect((await on.of('tool_call_decision')).map(({ rule }) => rule)).toEqual([always.join(', ')]);
    expect(await window.turn('Again.')).toBe('completed');
    await window.close();
    const other = await on.open({}, 's2');
    expect(await other.turn('Go.')).toBe('completed');
    await other.close();
    const reopened = await on.open();
    expect(await reopened.turn('Once more.', 'client_3')).toBe('completed');
    const events = [...(await on.events()), ...(await on.events('s2'))];
    for (const id of ['c2', 'c3', 'c4', 'c5']) expect(movesOf(events, id)).toEqual(['running', 'succeeded']);
    const allowed = events.flatMap((event) =>
      event.type === 'permission_decision' && event.data.call_id === 'c4' ? [event.data] : [],
    );
    expect(allowed).toMatchObject([{ decision: 'allow', decided_by: 'rule', rule: always.join(', ') }]);
  });

  it('is narrow: it covers no other command, no longer one, and no other path', async () => {
    const window = await on.turn('Go.', [
      asks(run('c1', 'touch one'), write('c2', 'a.txt')),
      asks(
        run('c3', 'touch two'),
        run('c4', 'touch one two'),
        run('c5', 'touch one; rm -rf one'),
        run('c6', 'touch one && touch "$(cat x)"'),
        write('c7', 'b.txt'),
      ),
    ]);
    await window.decide('c1', 'resume', { remember: true });
    expect(await window.decided('c2', 'resume', { remember: true })).toBe('waiting');
    const events = await on.events();
    expect(['c3', 'c4', 'c5', 'c6', 'c7'].map((id) => movesOf(events, id))).toEqual(
      Array.from({ length: 5 }, () => ['suspended']),
    );
    expect([await on.read('one'), await on.read('two'), await on.read('b.txt')]).toEqual(['', null, null]);
  });

  it('lets the calls that ask the same already go on, and the log says by which rule', async () => {
    const window = await on.turn('Go.', [
      asks(run('c1', 'mkdir -p made'), run('c2', 'mkdir -p made'), run('c3', 'mkdir -p other')),
      says('Done.'),
    ]);
    expect(await window.decided('c1', 'resume', { remember: true })).toBe('waiting');
    const { always } = await offer(window, 'c1');
    const events = await on.events();
    expect(movesOf(events, 'c2')).toEqual(['suspended', 'resuming', 'running', 'succeeded']);
    expect(movesOf(events, 'c3')).toEqual(['suspended']);
    const rule = always.join(', ');
    expect(await on.of('tool_call_decision')).toMatchObject([
      { call_id: 'c1', action: 'resume', decided_by: 'user', rule },
      { call_id: 'c2', action: 'resume', decided_by: 'rule', rule },
    ]);
    const permissions = (await on.of('permission_decision')).filter(({ call_id }) => call_id === 'c2');
    expect(permissions).toMatchObject([
      { decision: 'ask', decided_by: 'policy' },
      { decision: 'allow', decided_by: 'rule', rule, scope: 'call' },
    ]);
    expect(await window.decided('c3', 'cancel')).toBe('completed');
  });

  it('counts in a window that was open before', async () => {
    await on.script(
      asks(run('c1', 'mkdir -p made')),
      says('One.'),
      asks(run('c2', 'mkdir -p made')),
      says('Two.'),
    );
    const [window, other] = [await on.open(), await on.open({}, 's2')];
    await window.turn('Go.');
    await window.decide('c1', 'resume', { remember: true });
    await window.rests();
    expect(await other.turn('Go.')).toBe('completed');
  });

  it('without being asked to remember is for once', async () => {
    const window = await on.turn('Go.', [asks(run('c1', 'mkdir -p made')), asks(run('c2', 'mkdir -p made'))]);
    expect(await window.decided('c1', 'resume', { remember: false })).toBe('waiting');
    expect(movesOf(await on.events(), 'c2')).toEqual(['suspended']);
  });

  it('does not count where a rule denies', async () => {
    const window = await on.turn('Go.', [
      asks(run('c1', 'touch one')),
      says('One.'),
      asks(run('c2', 'touch one')),
      says('Two.'),
    ]);
    await window.decide('c1', 'resume', { remember: true });
    await window.rests();
    await window.close();
    const strict = await on.open({ permissions: { allow: [], ask: [], deny: ['run_command(touch *)'] } });
    expect(await strict.turn('Again.', 'client_2')).toBe('completed');
    expect(movesOf(await on.events(), 'c2')).toEqual(['failed']);
  });
});

describe('a denial that is remembered', () => {
  it('makes the same call fail without asking, and the person is not asked again anywhere', async () => {
    const window = await on.turn('Go.', [
      asks(run('c1', 'touch one')),
      asks(run('c2', 'touch one')),
      says('First.'),
      asks(run('c3', 'touch one'), run('c4', 'touch two')),
      says('The other waits.'),
    ]);
    expect(await window.decided('c1', 'cancel', { remember: true, reason: 'never' })).toBe('completed');
    await window.close();
    const other = await on.open({}, 's2');
    expect(await other.turn('Go.')).toBe('waiting');
    const events = [...(await on.events()), ...(await on.events('s2'))];
    expect(['c1', 'c2', 'c3', 'c4'].map((id) => movesOf(events, id))).toEqual([
      ['suspended', 'cancelled'],
      ['failed'],
      ['failed'],
      ['suspended'],
    ]);
    const results = await on.of('tool_result');
    expect(results.map(({ error }) => error?.kind)).toEqual(['denied', 'permission_denied']);
    expect(await on.read('one')).toBeNull();
  });
});

describe('a rule that was not offered', () => {
  it.each([
    ['the whole tool', ['run_command']],
    ['a wider pattern', ['run_command(touch *)']],
    ['a rule of another tool', ['write_file(a.txt)']],
    ['no rule at all', []],
    ['a word', 'yes'],
    ['a number', 1],
    ['an object', { rule: 'run_command' }],
  ])('is not remembered, and nothing is decided: %s', async (_name, remember) => {
    const window = await on.turn('Go.', [asks(run('c1', 'touch one')), says('Done.')]);
    const log = await logText(on.place);
    await window.decide('c1', 'resume', { remember });
    await window.decide('c1', 'cancel', { remember });
    expect(window.failures.map(({ kind }) => kind)).toEqual(['unknown_rule', 'unknown_rule']);
    expect(await window.rests()).toBe('waiting');
    expect(await logText(on.place)).toBe(log);
    expect(await on.read('one')).toBeNull();
  });

  it('and the one that was offered can be named', async () => {
    const window = await on.turn('Go.', [asks(run('c1', 'touch one')), says('Done.')]);
    const { always } = await offer(window, 'c1');
    expect(await window.decided('c1', 'resume', { remember: always })).toBe('completed');
    expect(await on.read('one')).toBe('');
  });

  it('nothing is offered for a protected path, which is asked every time', async () => {
    const window = await on.turn('Go.', [asks(write('c1', 'AGENTS.md')), says('Done.')]);
    expect((await offer(window, 'c1')).always).toEqual([]);
    await window.decide('c1', 'resume', { remember: true });
    expect(window.failures).toMatchObject([{ kind: 'unknown_rule' }]);
    expect(await on.read('AGENTS.md')).toBeNull();
  });
});

import { describe, expect, test } from 'vitest';
import type { HostMessage } from '../../../src/presenter/protocol.ts';
import { announcement, type Hearable } from '../../../webview/announcements.ts';
import { childrenWaiting } from '../../../webview/agents/child-waiting.ts';
import { heardCrew } from '../../../webview/agents/crew-announcements.ts';
import type { Presenter } from '../../../webview/presenter.ts';
import { lastTurn, turnStateOf, type State } from '../../../webview/state.ts';
import { apply, applyGesture } from '../../../webview/store.ts';
import { phraseOf } from '../../../webview/turn-phrases.ts';
import { countsOf } from '../../../webview/waiting-calls.ts';
import { click, elementsIn, type SmallElement } from '../../support/small-dom.ts';
import { append, call, suspended, turnState } from '../log-items.ts';
import { asks, begun, child, children, ended, flow, type LiveQuestion } from './crew-items.ts';
import { buttons, byClass, drawnTurn, named, shown, texts } from './drawn-crew.tsx';

const RUNNING = turnState('running');

function asked(...questions: readonly LiveQuestion[]): State {
  return shown(begun(1), RUNNING, children({ subagent_id: 'a1', questions: [...questions] }));
}

function groups(node: SmallElement, name: string): readonly SmallElement[] {
  return elementsIn(node).filter(
    ({ attributes }) => attributes.get('role') === 'group' && attributes.get('aria-label') === name,
  );
}

function group(node: SmallElement, name: string): SmallElement {
  const [found] = groups(node, name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}

/** What is posted and what changes at once, when these buttons are pressed. */
function pressed(state: State, ...names: readonly string[]): readonly unknown[] {
  const heard: unknown[] = [];
  const presenter: Presenter = {
    post: (message) => heard.push({ ...message, decision_id: 'd' }),
    gesture: (gesture) => heard.push(gesture),
  };
  const turn = drawnTurn(state, presenter);
  for (const name of names) click(named(turn, name));
  return heard;
}

function heard(state: State): Hearable {
  const turn = lastTurn(state);
  return {
    session_id: 'one',
    turn_id: 't1',
    state: turn === undefined ? null : turnStateOf(state, turn),
    waiting: childrenWaiting(state.crew, state.decided),
    crew: heardCrew(state),
  };
}

const QUESTION = asks('q1', {
  name: 'ask_user',
  suspension: {
    id: 'q1',
    reason: 'question',
    message: '',
    parameters: { question: 'Which branch?' },
    response_schema: { type: 'string', enum: ['main', 'next'] },
  },
});

describe('an approval that a child asks for', () => {
  test('is asked for in the turn like one of its own, with who asks', () => {
    const turn = drawnTurn(asked(asks('p1')));
    const card = group(turn, 'Approval');
    expect(texts(card, 'asker')).toEqual(['explorer · Find the clock asks']);
    expect(buttons(card).map(([name]) => name)).toEqual(['Approve', 'Deny', 'Reason…', 'Always allow']);
    expect(elementsIn(card).find(({ localName }) => localName === 'pre')?.textContent).toBe('npm test');
    const who = card.attributes.get('aria-describedby');
    expect(byClass(card, 'asker')[0]?.attributes.get('id')).toBe(who);
  });

  test('names all the way down to who asks', () => {
    const asked_by = [
      { subagent_id: 'a1', agent: 'worker' },
      { subagent_id: 'b1', agent: 'explorer' },
    ];
    const turn = drawnTurn(asked(asks('p1', { asked_by })));
    expect(texts(turn, 'asker')).toEqual(['worker › explorer · Find the clock asks']);
  });

  test.each([
    ['Approve', { action: 'resume' }],
    ['Deny', { action: 'cancel' }],
    ['Always allow', { action: 'resume', remember: true }],
  ])('is decided by the id of what waits: %s', (name, decision) => {
    expect(pressed(asked(asks('p1')), name)).toEqual([
      { type: 'decide', target_id: 'p1', decision_id: 'd', ...decision },
      { kind: 'decided', suspension_id: 'p1' },
    ]);
  });

  test('is not decided by the second click of a double click', () => {
    const heard: unknown[] = [];
    const presenter: Presenter = { post: (message) => heard.push(message), gesture: () => undefined };
    const turn = drawnTurn(asked(asks('p1')), presenter);
    click(named(turn, 'Approve'), 2);
    expect(heard).toEqual([]);
  });

  test('says that the decision is sent, and goes when the child asks no more', () => {
    const sent = applyGesture(asked(asks('p1')), { kind: 'decided', suspension_id: 'p1' });
    expect(texts(drawnTurn(sent), 'standing')).toEqual(['Decision sent']);
    const settled = apply(sent, children({ subagent_id: 'a1' }), 9);
    expect(groups(drawnTurn(settled), 'Approval')).toEqual([]);
  });

  test('can be decided again when the decision was refused', () => {
    const sent = applyGesture(asked(asks('p1')), { kind: 'decided', suspension_id: 'p1' });
    const refused: HostMessage = {
      v: 1,
      type: 'failure',
      for: 'decide',
      kind: 'refused',
      message: 'No.',
      next_actions: [],
      target_id: 'p1',
    };
    expect(texts(drawnTurn(apply(sent, refused, 9)), 'standing')).toEqual([]);
  });

  test('goes with its child', () => {
    const over = apply(asked(asks('p1')), append([ended(50, 'cancelled')]), 9);
    expect(groups(drawnTurn(over), 'Approval')).toEqual([]);
  });

  test('shows the change that it is about, and opens all of it by what waits', () => {
    const change = { path: 'src/a.ts', created: false, added: 1, removed: 0, diff: '@@ line 1 @@\n+x\n' };
    const suspension = {
      id: 'p1',
      reason: 'approval',
      message: '',
      parameters: { subject: 'src/a.ts', change },
    };
    expect(pressed(asked(asks('p1', { name: 'edit_file', suspension })), 'Diff of src/a.ts')).toEqual([
      { type: 'show_change', turn_id: 't1', call_id: 'call_1', target_id: 'p1', decision_id: 'd' },
    ]);
  });

  test('is not taken for a call of the turn that has the same id', () => {
    const state = shown(
      [call(1), ...begun(2)],
      RUNNING,
      children({ subagent_id: 'a1', questions: [asks('p1')] }),
    );
    const turn = drawnTurn(state);
    const line = elementsIn(turn).find(({ attributes }) => attributes.get('data-call-id') === 'call_1');
    expect(line === undefined ? [] : groups(line, 'Approval')).toEqual([]);
    expect(groups(turn, 'Approval')).toHaveLength(1);
  });

  test('is decided together with the others, the own ones among them', () => {
    const state = shown(
      [call(1), suspended(2), ...begun(3)],
      RUNNING,
      children({ subagent_id: 'a1', questions: [asks('p1'), asks('p2', { call_id: 'call_2' })] }),
    );
    expect(pressed(state, 'Approve all (3)').filter((one) => JSON.stringify(one).includes('resume'))).toEqual(
      [
        { type: 'decide', target_id: 'p_call_1', decision_id: 'd', action: 'resume' },
        { type: 'decide', target_id: 'p1', decision_id: 'd', action: 'resume' },
        { type: 'decide', target_id: 'p2', decision_id: 'd', action: 'resume' },
      ],
    );
    expect(byClass(drawnTurn(state), 'primary')).toHaveLength(1);
  });

  test('is asked for also where nothing else of its child is shown', () => {
    const state = shown([], RUNNING, children({ subagent_id: 'a1', questions: [asks('p1')] }));
    const turn = drawnTurn(state);
    expect(texts(turn, 'asker')).toEqual(['explorer asks']);
    expect(byClass(turn, 'agent')).toHaveLength(1);
  });
});

describe('a question of a child', () => {
  test('is answered like one of the turn', () => {
    const state = asked(QUESTION);
    expect(texts(group(drawnTurn(state), 'Question'), 'question')).toEqual(['Which branch?']);
    expect(pressed(state, 'next')[0]).toEqual({
      type: 'decide',
      target_id: 'q1',
      decision_id: 'd',
      action: 'resume',
      result: 'next',
    });
    expect(pressed(state, 'Skip')[0]).toMatchObject({ target_id: 'q1', action: 'cancel' });
  });
});

describe('what children ask', () => {
  test('is counted with what the turn asks', () => {
    const state = asked(asks('p1'), QUESTION);
    const waiting = childrenWaiting(state.crew, []);
    expect(countsOf(waiting)).toBe('1 approval, 1 question');
    const turn = lastTurn(state);
    if (turn === undefined) throw new Error('there is no turn');
    const facts = { turn, told: null, waiting, stopping: false, now: 0, newsAt: 0 };
    expect(phraseOf({ ...facts, state: 'running' }).detail).toBe('needs you: 1 approval, 1 question');
  });

  test('is told aloud once, and so is an end; what goes on is not', () => {
    const open = shown(begun(1), RUNNING);
    const beat = apply(open, append([child(20, 'heartbeat', 'running')]), 1);
    const live = apply(beat, children({ subagent_id: 'a1', activity: { text: 'Reading', since: 0 } }), 2);
    const asking = apply(live, children({ subagent_id: 'a1', questions: [asks('p1')] }), 3);
    const over = apply(asking, append([ended(30, 'failed')]), 4);
    const steps = [open, beat, live, asking, asking, over, over].map(heard);
    expect(steps.slice(1).map((now, index) => announcement(steps[index] ?? null, now))).toEqual([
      null,
      null,
      'explorer · Find the clock asks: Run npm test needs your approval (Ctrl+Alt+Enter)',
      null,
      'explorer · Find the clock: Failed',
      null,
    ]);
  });

  test('of many at work, only those are called out that did not complete, and the last ones', () => {
    const ids = Array.from({ length: 8 }, (_, n) => `k${n}`);
    const all = ids.flatMap((subagent_id, n) => begun(1 + n * 3, { subagent_id, task: subagent_id }));
    const ends = ids.map((subagent_id, n) =>
      ended(100 + n, n === 1 ? 'failed' : 'completed', { subagent_id, task: subagent_id }),
    );
    const steps = ends.reduce<State[]>(
      (before, one) => [...before, ...before.slice(-1).map((state) => apply(state, append([one]), 1))],
      [shown(all, RUNNING)],
    );
    const told = steps.map(heard);
    expect(told.slice(1).map((now, index) => announcement(told[index] ?? null, now))).toEqual([
      null,
      'explorer · k1: Failed',
      null,
      ...['k3', 'k4', 'k5', 'k6', 'k7'].map((id) => `explorer · ${id}: Completed`),
    ]);
  });

  test('and ends of steps are told with their workflow', () => {
    const step = { workflow_id: 'w1', step_id: 'build' };
    const before = shown([
      flow(1, 'workflow_started', { name: 'Release' }),
      child(2, 'spawned', 'queued', step),
    ]);
    const during = apply(before, append([ended(3, 'completed', step)]), 1);
    const after = apply(during, append([flow(4, 'workflow_finished', { status: 'completed' })]), 2);
    expect(announcement(heard(before), heard(during))).toBeNull();
    expect(announcement(heard(during), heard(after))).toBe('Workflow Release: Completed');
  });
});

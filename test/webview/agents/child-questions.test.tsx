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
import { AgentBench } from '../../support/agent-bench.ts';
import { asks, later, NOTHING, says, spawn, wait, type Ask } from '../../support/cast-provider.ts';
import { isEnd, ofChild } from '../../support/changed-log.ts';
import { handsOn, MINUTE, TASK } from '../../support/child-stories.ts';
import { fails } from '../../support/scripted-provider.ts';
import { READY, runsFlow } from '../../support/flow-stories.ts';
import { itemsOf, news, told } from './crew-items.ts';
import { buttons, byClass, drawnTurn, named, shown, texts } from './drawn-crew.tsx';

const COMMAND: Ask = ['ask', 'run_command', { command: 'npm test' }];
const SCHEMA = { type: 'string', enum: ['main', 'next'] };
const QUESTION: Ask = ['which', 'ask_user', { question: 'Which branch?', schema: SCHEMA }];
const P1 = 'suspension_c1';

/** A child that asks for this, and what the page has of it then. */
async function asking(...calls: readonly Ask[]): Promise<AgentBench> {
  return handsOn([asks(...calls), NOTHING], { agent: 'worker' }, { mode: 'ask' });
}

function seen({ items, children }: AgentBench): State {
  return shown(items, children);
}

const one = await asking(COMMAND);
const ASKED = seen(one);
const WHO = `worker · ${TASK}`;

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
    session_id: 's1',
    turn_id: 'turn_1',
    state: turn === undefined ? null : turnStateOf(state, turn),
    waiting: childrenWaiting(state.crew, state.decided),
    crew: heardCrew(state),
  };
}

describe('an approval that a child asks for', () => {
  test('is asked for in the turn like one of its own, with who asks', () => {
    const turn = drawnTurn(ASKED);
    const card = group(turn, 'Approval');
    expect(texts(card, 'asker')).toEqual([`${WHO} asks`]);
    expect(buttons(card).map(([name]) => name)).toEqual(['Approve', 'Deny', 'Reason…', 'Always allow']);
    expect(elementsIn(card).find(({ localName }) => localName === 'pre')?.textContent).toBe('npm test');
    const who = card.attributes.get('aria-describedby');
    expect(byClass(card, 'asker')[0]?.attributes.get('id')).toBe(who);
  });

  test('names all the way down to who asks', async () => {
    const bench = new AgentBench(
      {
        'Go.': [asks(spawn('c1', TASK, { agent: 'worker' })), asks(wait('c2'))],
        [TASK]: [asks(spawn('c1', 'Look below.')), asks(wait('c2'))],
        'Look below.': [asks(COMMAND)],
      },
      { mode: 'ask', limits: { max_depth: 2 } },
    );
    await bench.turn('Go.');
    expect(texts(drawnTurn(seen(bench)), 'asker')).toEqual([`worker › agent · ${TASK} asks`]);
  });

  test.each([
    ['Approve', { action: 'resume' }],
    ['Deny', { action: 'cancel' }],
    ['Always allow', { action: 'resume', remember: true }],
  ])('is decided by the id of what waits: %s', (name, decision) => {
    expect(pressed(ASKED, name)).toEqual([
      { type: 'decide', target_id: P1, decision_id: 'd', ...decision },
      { kind: 'decided', suspension_id: P1 },
    ]);
  });

  test('is not decided by the second click of a double click', () => {
    const heard: unknown[] = [];
    const presenter: Presenter = { post: (message) => heard.push(message), gesture: () => undefined };
    const turn = drawnTurn(ASKED, presenter);
    click(named(turn, 'Approve'), 2);
    expect(heard).toEqual([]);
  });

  test('says that the decision is sent, and goes when the child asks no more', async () => {
    const bench = await asking(COMMAND);
    const sent = applyGesture(seen(bench), { kind: 'decided', suspension_id: P1 });
    expect(texts(drawnTurn(sent), 'standing')).toEqual(['Decision sent']);
    await bench.decide(P1, 'cancel');
    const settled = apply(sent, bench.children, 9);
    expect(groups(drawnTurn(settled), 'Approval')).toEqual([]);
  });

  test('can be decided again when the decision was refused', () => {
    const sent = applyGesture(ASKED, { kind: 'decided', suspension_id: P1 });
    const refused: HostMessage = {
      v: 1,
      type: 'failure',
      for: 'decide',
      kind: 'refused',
      message: 'No.',
      next_actions: [],
      target_id: P1,
    };
    expect(texts(drawnTurn(apply(sent, refused, 9)), 'standing')).toEqual([]);
  });

  test('goes with its child', async () => {
    const bench = await asking(COMMAND);
    const before = seen(bench);
    await bench.stop();
    const over = apply(before, news(itemsOf(bench.events.filter(isEnd))), 9);
    expect(groups(drawnTurn(over), 'Approval')).toEqual([]);
  });

  test('shows the change that it is about, and opens all of it by what waits', () => {
    const change = { path: 'src/a.ts', created: false, added: 1, removed: 0, diff: '@@ line 1 @@\n+x\n' };
    const { children } = one;
    const questions = children.items.flatMap((item) =>
      item.questions.map((question) => ({
        ...question,
        name: 'edit_file',
        suspension: { ...(question.suspension as object), parameters: { subject: 'src/a.ts', change } },
      })),
    );
    const state = shown(one.items, told(children, { questions }));
    expect(pressed(state, 'Diff of src/a.ts')).toEqual([
      { type: 'show_change', turn_id: 'turn_1', call_id: 'ask', target_id: P1, decision_id: 'd' },
    ]);
  });

  test('is not taken for a call of the turn that has the same id', async () => {
    const bench = new AgentBench(
      {
        'Go.': [
          asks(spawn('c1', TASK), ['ask', 'ask_user', { question: 'And you?', schema: SCHEMA }]),
          NOTHING,
        ],
        [TASK]: [asks(COMMAND)],
      },
      { mode: 'ask' },
    );
    const turn = drawnTurn(seen(await bench.turn('Go.')));
    const line = elementsIn(turn).find(({ attributes }) => attributes.get('data-call-id') === 'ask');
    expect(line === undefined ? null : groups(line, 'Approval')).toEqual([]);
    expect(groups(turn, 'Approval')).toHaveLength(1);
  });

  test('is decided together with the others, the own ones among them', async () => {
    const bench = new AgentBench(
      {
        'Go.': [asks(spawn('c1', TASK), ['own', 'run_command', { command: 'make' }]), NOTHING],
        [TASK]: [asks(COMMAND, ['two', 'run_command', { command: 'npm run lint' }])],
      },
      { mode: 'ask' },
    );
    const state = seen(await bench.turn('Go.'));
    const posted = pressed(state, 'Approve all (3)');
    expect(posted.filter((gesture) => JSON.stringify(gesture).includes('resume'))).toEqual(
      ['suspension_1', 'suspension_c1', 'suspension_c2'].map((target_id) => ({
        type: 'decide',
        target_id,
        decision_id: 'd',
        action: 'resume',
      })),
    );
    expect(byClass(drawnTurn(state), 'primary')).toHaveLength(1);
  });

  test('is asked for also where nothing else of its child is shown', () => {
    const prompt = one.items.filter(({ type }) => type === 'user_message');
    const turn = drawnTurn(shown(prompt, one.children));
    expect(texts(turn, 'asker')).toEqual(['worker asks']);
    expect(byClass(turn, 'agent')).toHaveLength(1);
  });
});

describe('a question of a child', () => {
  test('is answered like one of the turn', async () => {
    const state = seen(await asking(QUESTION));
    expect(texts(group(drawnTurn(state), 'Question'), 'question')).toEqual(['Which branch?']);
    expect(pressed(state, 'next')[0]).toEqual({
      type: 'decide',
      target_id: P1,
      decision_id: 'd',
      action: 'resume',
      result: 'next',
    });
    expect(pressed(state, 'Skip')[0]).toMatchObject({ target_id: P1, action: 'cancel' });
  });
});

describe('what children ask', () => {
  test('is counted with what the turn asks', async () => {
    const state = seen(await asking(COMMAND, QUESTION));
    const waiting = childrenWaiting(state.crew, []);
    expect(countsOf(waiting)).toBe('1 approval, 1 question');
    const turn = lastTurn(state);
    if (turn === undefined) throw new Error('there is no turn');
    const facts = { turn, told: null, waiting, stopping: false, now: 0, newsAt: 0 };
    expect(phraseOf({ ...facts, state: 'running' }).detail).toBe('needs you: 1 approval, 1 question');
  });

  test('is told aloud once, and so is an end; what goes on is not', async () => {
    const lines = [later(2 * MINUTE, asks(COMMAND)), [fails('invalid_request')]];
    const bench = await handsOn(lines, { agent: 'worker' }, { mode: 'ask' });
    let state = shown(bench.items);
    const steps = [heard(state)];
    const look = (message: HostMessage): void => {
      state = apply(state, message, steps.length);
      steps.push(heard(state));
    };
    await bench.pass(MINUTE);
    look(news(itemsOf(bench.events.filter(ofChild('heartbeat')))));
    look(bench.children);
    await bench.pass(MINUTE);
    look(bench.children);
    look(bench.children);
    await bench.decide(P1, 'cancel');
    const end = news(itemsOf(bench.events.filter(isEnd)));
    look(end);
    look(end);
    expect(steps.slice(1).map((now, index) => announcement(steps[index] ?? null, now))).toEqual([
      null,
      null,
      `${WHO} asks: Run npm test needs your approval (Ctrl+Alt+Enter)`,
      null,
      expect.stringMatching(new RegExp(`^${WHO}: Failed`, 'u')),
      null,
    ]);
  });

  test('of many at work, only those are called out that did not complete, and the last ones', async () => {
    const tasks = Array.from({ length: 8 }, (_, n) => `k${n}`);
    const cast = {
      'Go.': [
        asks(...tasks.map((task) => spawn(task, task, { agent: 'explorer' }))),
        asks(wait('w')),
        NOTHING,
      ],
      ...Object.fromEntries(
        tasks.map((task, n) => [
          task,
          [later((n + 1) * 1000, n === 1 ? [fails('invalid_request')] : says('Done.'))],
        ]),
      ),
    };
    const bench = await new AgentBench(cast, { limits: { max_running: 8 } }).turn('Go.');
    let state = shown(bench.items);
    const heardSoFar = [heard(state)];
    for (const _ of tasks) {
      const before = bench.events.length;
      await bench.pass(1000);
      state = apply(state, news(itemsOf(bench.events.slice(before))), 1);
      heardSoFar.push(heard(state));
    }
    expect(heardSoFar.slice(1).map((now, index) => announcement(heardSoFar[index] ?? null, now))).toEqual([
      null,
      'explorer · k1: Failed',
      null,
      ...['k3', 'k4', 'k5', 'k6', 'k7'].map((id) => `explorer · ${id}: Completed`),
    ]);
  });

  test('of many that end together, that they did is said', async () => {
    const tasks = Array.from({ length: 8 }, (_, n) => `k${n}`);
    const cast = {
      'Go.': [asks(...tasks.map((task) => spawn(task, task))), asks(wait('w')), NOTHING],
      ...Object.fromEntries(tasks.map((task) => [task, [later(1000, says('Done.'))]])),
    };
    const bench = await new AgentBench(cast, { limits: { max_running: 8 } }).turn('Go.');
    const before = heard(shown(bench.items));
    await bench.pass(1000);
    expect(announcement(before, heard(shown(bench.items)))).toBe('8 agents ended');
  });

  test('and ends of steps are told with their workflow', async () => {
    const bench = await runsFlow({ name: 'Release', steps: { build: { says: READY } } });
    const { items, events } = bench;
    const [ended, over] = [events.find(isEnd)?.seq ?? 0, items.length];
    const [before, during, after] = [ended, ended + 1, over].map((seq) => shown(items.slice(0, seq)));
    if (before === undefined || during === undefined || after === undefined) throw new Error('no story');
    expect(announcement(heard(before), heard(during))).toBeNull();
    expect(heard(after).crew).not.toEqual(heard(during).crew);
    const finished = events.findIndex(
      ({ type, data }) => type === 'workflow_event' && data.event === 'workflow_finished',
    );
    const done = shown(items.slice(0, finished + 1));
    expect(announcement(heard(during), heard(done))).toBe('Workflow Release: Completed');
  });
});

import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/presenter/protocol.ts';
import { StepView } from '../../../webview/agents/step-node.tsx';
import type { State } from '../../../webview/state.ts';
import { apply } from '../../../webview/store.ts';
import {
  click,
  elementsIn,
  SmallDocument,
  type SmallElement,
  type SmallNode,
} from '../../support/small-dom.ts';
import { append, item } from '../log-items.ts';
import { asks, at, begun, child, children, ended, flow, result, spec, step } from './crew-items.ts';
import { buttons, byClass, drawnMeanwhile, drawnTurn, named, QUIET, shown, texts } from './drawn-crew.tsx';

const PLAN = spec([
  step('build'),
  step('lint', ['build'], { required: false, agent: 'explorer' }),
  step('test', ['build']),
  step('report', ['test', 'lint'], { agent: 'default' }),
]);

const CALL = item(1, 'tool_call', {
  call_id: 'call_f',
  name: 'run_workflow',
  args: '{"workflow":{"name":"Release"}}',
});

const STARTED = flow(2, 'workflow_started', { name: 'Release', call_id: 'call_f', spec: PLAN });

const KID = { subagent_id: 'b', child_session_id: 'session_b', workflow_id: 'w1', step_id: 'build' };

const BUILDING: readonly Item[] = [
  CALL,
  STARTED,
  flow(3, 'step_scheduled', { step_id: 'build' }),
  child(4, 'spawned', 'queued', { ...KID, agent: 'worker', task: 'Do build' }),
  child(5, 'started', 'running', KID),
  flow(6, 'step_started', { step_id: 'build', subagent_id: 'b' }),
];

const BUILT: readonly Item[] = [
  ...BUILDING,
  ended(7, 'completed', { ...KID, agent: 'worker', task: 'Do build' }),
  flow(8, 'checkpoint_decided', {
    step_id: 'build',
    status: 'checkpoint_ready',
    result: result('build', 'checkpoint_ready', {
      subagent_id: 'b',
      child_session_id: 'session_b',
      limitations: ['Not on Windows.'],
      verification: ['Ran it.'],
      artifacts: [{ path: 'dist/out.js', sha256: 'c0ffee0011223344' }],
    }),
  }),
];

/** What the head says of its time, and what it says on hover. */
function time(state: State): readonly (string | undefined)[] {
  const [head] = byClass(drawnTurn(state), 'workflow-head');
  const [found] = head === undefined ? [] : byClass(head, 'time');
  return [found?.textContent, found?.attributes.get('title')];
}

function finished(status: string, more: object = {}): Item {
  return flow(20, 'workflow_finished', {
    status,
    completion_ready: status === 'completed',
    partial_outcome_ready: status === 'partial',
    elapsed_ms: 18_000,
    next_actions: [{ label: 'Resume workflow', command: 'ledgerline.resumeWorkflow', args: [{}] }],
    ...more,
  });
}

function card(items: readonly Item[]): SmallElement {
  const [found] = byClass(drawnTurn(shown(items)), 'workflow');
  if (found === undefined) throw new Error('there is no workflow');
  return found;
}

/** Each step in its parts: its name, its facts, and how it stands, which is only heard. */
function labels(node: SmallElement): readonly string[] {
  return byClass(node, 'step').map((one) =>
    elementsIn(one)
      .filter(({ localName, childNodes }) => localName === 'span' && childNodes.every(isText))
      .map(({ textContent }) => textContent)
      .filter((text) => text !== '')
      .join(', '),
  );
}

function isText({ nodeType }: SmallNode): boolean {
  return nodeType === 3;
}

function stepButton(node: SmallElement, id: string): SmallElement {
  const found = byClass(node, 'step').find((one) => texts(one, 'step-id')[0] === id);
  if (found === undefined) throw new Error(`there is no step ${id}`);
  return found;
}

describe('the card of a workflow', () => {
  test('stands after its call, and has its children in it', () => {
    const turn = drawnTurn(shown(BUILDING));
    const [workflow] = byClass(turn, 'workflow');
    expect(workflow?.attributes.get('aria-label')).toBe('Workflow Release');
    expect(byClass(turn, 'agent')).toEqual([]);
    expect(texts(turn, 'subject')).toEqual(['Release']);
  });

  test('does not count the time in which a step waits for a person', () => {
    const waits = child(9, 'waiting', 'running', KID);
    const limit = { timeout_ms: 600_000, deadline_at: at(605) };
    const asking = [...BUILDING.slice(0, 4), child(5, 'started', 'running', { ...KID, ...limit }), waits];
    const held = drawnTurn(
      shown([...asking, flow(10, 'step_started', { step_id: 'build', subagent_id: 'b' })]),
    );
    expect(texts(held, 'step-facts')[0]).toBe('4 sworker');
  });

  test('says how far it is, and lists its steps with what each waits for', () => {
    const one = card(BUILT);
    expect(texts(one, 'workflow-state')).toEqual(['Working: 1 of 4 steps done']);
    expect(labels(one)).toEqual([
      'build, 2.0 s, worker, Completed in 2 s',
      'lint, explorer, optional, waits for build',
      'test, worker, waits for build',
      'report, waits for test, lint',
    ]);
    const list = elementsIn(one).find(({ attributes }) => attributes.get('aria-label') === 'Steps');
    expect(list?.attributes.get('role')).toBe('list');
  });

  test('says that it needs a person when a step does', () => {
    const state = shown(BUILDING, children({ subagent_id: 'b', questions: [asks('p1')] }));
    const turn = drawnTurn(state);
    expect(byClass(turn, 'workflow')[0]?.attributes.get('data-state')).toBe('waiting');
    expect(labels(turn)[0]).toMatch(/^build, .*, worker, Needs you$/u);
    expect(texts(turn, 'asker')).toEqual(['explorer · Do build asks']);
  });

  test('counts no time against its limit while it needs a person', () => {
    const due = { name: 'Release', call_id: 'call_f', spec: PLAN, deadline_at: '2026-01-02T03:34:00.000Z' };
    const timed = BUILDING.with(1, flow(2, 'workflow_started', due));
    expect(time(shown(timed))).toEqual([
      expect.stringMatching(/ of 30 min$/u),
      expect.stringContaining('Deadline 2026-01-02T03:34:00.000Z'),
    ]);
    const asking = shown(timed, children({ subagent_id: 'b', questions: [asks('p1')] }));
    expect(time(asking)).toEqual(['at most 30 min', '']);
    const moved = flow(7, 'deadline_moved', { deadline_at: '2026-01-02T03:44:00.000Z' });
    expect(time(shown([...timed, moved]))[1]).toBe(
      'Since 2026-01-02T03:14:00.000Z\nDeadline 2026-01-02T03:44:00.000Z',
    );
  });

  test.each([
    ['completed', 'completed', 'Completed in 18 s', ['Completion ready'], []],
    ['partial', 'partial', 'Partial result: Because.', ['Partial outcome ready'], ['Resume workflow']],
    ['failed', 'failed', 'Failed: Because.', [], ['Resume workflow']],
    ['timed_out', 'timed_out', 'Timed out after 30 min: Because.', [], ['Resume workflow']],
    ['held', 'held', 'Held: Because.', [], ['Resume workflow']],
    ['cancelled', 'cancelled', 'Cancelled: Because.', [], ['Resume workflow']],
  ])('says how it ended: %s', (status, state, words, outcome, actions) => {
    const one = card([...BUILT, finished(status, { reason: 'Because.' })]);
    expect(one.attributes.get('data-state')).toBe(state);
    expect(texts(one, 'workflow-state')).toEqual([words]);
    expect(texts(one, 'workflow-outcome')).toEqual(outcome);
    expect(texts(one, 'button')).toEqual(actions);
  });

  test('opens a step to what came of it, and to the child that did it', async () => {
    const one = card(BUILT);
    click(stepButton(one, 'build'));
    await expect.poll(() => byClass(one, 'step-details').length).toBe(1);
    const [details] = byClass(one, 'step-details');
    if (details === undefined) throw new Error('there are no details');
    const words = elementsIn(details).filter(({ localName }) => ['h3', 'li'].includes(localName));
    expect(words.map(({ textContent }) => textContent)).toEqual([
      'Summary',
      'Limitations',
      'Not on Windows.',
      'Verification',
      'Ran it.',
      'Artifacts',
      'dist/out.jsc0ffee00',
    ]);
    expect(byClass(details, 'agent')[0]?.attributes.get('aria-label')).toBe('Agent worker: Do build');
    expect(buttons(details).map(([name]) => name)).toContain('Open transcript of worker: Do build');
  });

  test('has Stop for the child of an opened step that runs', async () => {
    const one = card(BUILDING);
    click(stepButton(one, 'build'));
    await expect.poll(() => byClass(one, 'step-details').length).toBe(1);
    expect(buttons(one).map(([name]) => name)).toContain('End worker: Do build');
  });

  test('shows what is known where its beginning is not', () => {
    const one = card([flow(90, 'step_started', { step_id: 'build' })]);
    expect(one.attributes.get('aria-label')).toBe('Workflow w1');
    expect(one.textContent).toContain('It began before what is shown.');
    expect(labels(one)[0]).toMatch(/^build, .*, Working$/u);
  });
});

describe('a workflow of many steps', () => {
  const wide = Array.from({ length: 50 }, (_, index) => step(`wide-${index}`));
  const deep = Array.from({ length: 50 }, (_, index) =>
    step(`deep-${index}`, index === 0 ? [] : [`deep-${index - 1}`]),
  );

  function begunWith(steps: typeof wide): State {
    return shown([flow(1, 'workflow_started', { spec: spec(steps) })]);
  }

  async function opened(
    steps: typeof wide,
    state = begunWith(steps),
    document = new SmallDocument(),
  ): Promise<SmallElement> {
    const body = drawnTurn(state, QUIET, document);
    click(named(body, `${steps.length.toLocaleString('en')} steps`));
    await expect.poll(() => byClass(body, 'step').length).toBeGreaterThan(0);
    return body;
  }

  test.each([
    ['wide', wide],
    ['deep', deep],
  ])('that is %s is a list, folded until somebody asks', async (_, steps) => {
    const body = await opened(steps);
    expect(byClass(body, 'step-drawing')).toEqual([]);
    expect(byClass(body, 'step')).toHaveLength(50);
    const indents = elementsIn(body).map(({ style }) =>
      Number.parseInt(style['marginInlineStart'] ?? '0', 10),
    );
    expect(Math.max(...indents)).toBeLessThanOrEqual(60);
  });

  test('shows all of them only to who wants them', async () => {
    const steps = Array.from({ length: 2500 }, (_, index) => step(`s${index}`));
    const body = await opened(steps);
    expect(byClass(body, 'step')).toHaveLength(120);
    expect(buttons(body).map(([name]) => name)).toContain('Show all 2,500 steps');
  });

  test('draws a step again only when something of it changed', async () => {
    const document = new SmallDocument();
    const state = begunWith(wide);
    await opened(wide, state, document);
    const next = apply(state, append([flow(2, 'step_started', { step_id: 'wide-7' })]), 1);
    const drawn = drawnMeanwhile(StepView, () => drawnTurn(next, QUIET, document));
    expect(drawn).toMatchObject([{ step: { id: 'wide-7' } }]);
  });
});

test('a child beside a workflow has a card of its own', () => {
  const turn = drawnTurn(shown([...BUILDING, ...begun(30)]));
  expect(byClass(turn, 'workflow')).toHaveLength(1);
  expect(byClass(turn, 'agent')).toHaveLength(1);
});

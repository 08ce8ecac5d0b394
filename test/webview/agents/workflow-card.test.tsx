import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/presenter/protocol.ts';
import { sightOf } from '../../../webview/agents/shown-state.ts';
import { StepView } from '../../../webview/agents/step-node.tsx';
import { WorkflowCard } from '../../../webview/agents/workflow-card.tsx';
import type { State } from '../../../webview/state.ts';
import { apply } from '../../../webview/store.ts';
import {
  click,
  draw,
  elementsIn,
  SmallDocument,
  type SmallElement,
  type SmallNode,
} from '../../support/small-dom.ts';
import { AgentBench } from '../../support/agent-bench.ts';
import { asks, NOTHING, reports, run, slowly, spawn } from '../../support/cast-provider.ts';
import { changed, cutAfter, ofFlow } from '../../support/changed-log.ts';
import { MINUTE } from '../../support/child-stories.ts';
import { FLOW_ID, READY, runsFlow, type Plan } from '../../support/flow-stories.ts';
import { HASHER } from '../../support/session-bench.ts';
import type { Script } from '../../support/scripted-provider.ts';
import { COMMAND, itemsOf, news } from './crew-items.ts';
import { buttons, byClass, drawnMeanwhile, drawnTurn, named, QUIET, shown, texts } from './drawn-crew.tsx';

/** Four steps, of which the first says this, and those after it nothing. */
function release(build: readonly Script[], more: Partial<Plan> = {}): Plan {
  const steps = {
    build: { agent: 'worker', says: build },
    lint: { agent: 'explorer', depends_on: ['build'], required: false, says: [NOTHING] },
    test: { agent: 'worker', depends_on: ['build'], says: [NOTHING] },
    report: { depends_on: ['test', 'lint'] },
  };
  return { name: 'Release', max_concurrency: 1, steps, ...more };
}

const FILES = { 'dist/out.js': 'x' };
const REPORT = reports('checkpoint_ready', 'It is built.', {
  limitations: ['Not on Windows.'],
  verification: ['Ran it.'],
  artifacts: ['dist/out.js'],
});

const building = await runsFlow(release([NOTHING]));
const BUILDING = building.items;
const built = await (await runsFlow(release(slowly(2000, REPORT)), { files: FILES })).pass(2000);
const BUILT = built.items.slice(0, built.events.findIndex(ofFlow('checkpoint_decided', 'build')) + 1);

/** A workflow of one step that needs these lines, and what comes after it, all of it on record. */
async function ended(lines: readonly Script[], more: Partial<Plan> = {}): Promise<AgentBench> {
  const steps = { build: { says: slowly(18_000, lines) }, test: { depends_on: ['build'] } };
  return (await runsFlow({ name: 'Release', steps, ...more })).pass(18_000);
}

function card(items: readonly Item[]): SmallElement {
  const [found] = byClass(drawnTurn(shown(items)), 'workflow');
  if (found === undefined) throw new Error('there is no workflow');
  return found;
}

/** What the head says of its time, and what it says on hover. */
function time(state: State): readonly (string | undefined)[] {
  const [head] = byClass(drawnTurn(state), 'workflow-head');
  const [found] = head === undefined ? [] : byClass(head, 'time');
  return [found?.textContent, found?.attributes.get('title')];
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

  test('says that it needs a person when a step does', async () => {
    const bench = await runsFlow(release([COMMAND]), { mode: 'ask' });
    const turn = drawnTurn(shown(bench.items, bench.children));
    expect(byClass(turn, 'workflow')[0]?.attributes.get('data-state')).toBe('waiting');
    expect(labels(turn)[0]).toMatch(/^build, .*, worker, Needs you$/u);
    expect(texts(turn, 'asker')).toEqual(['worker · Do build. asks']);
  });

  test('counts no time against its limits while it needs a person', async () => {
    const lines = slowly(4000, [COMMAND, NOTHING]);
    const bench = await runsFlow(release(lines, { timeout_ms: 30 * MINUTE }), { mode: 'ask' });
    const [start] = time(shown(bench.items, bench.children));
    expect(start).toMatch(/ of 30 min$/u);
    await bench.pass(4000);
    await bench.pass(10 * MINUTE);
    const asking = shown(bench.items, bench.children);
    expect(time(asking)).toEqual(['at most 30 min', 'Its time stands still while it needs you']);
    expect(texts(drawnTurn(asking), 'step-facts')[0]).toBe('4 sworker');
    await bench.decide('suspension_c1', 'cancel');
    expect(time(shown(bench.items, bench.children))[1]).toBe(
      'Since 2026-01-01T00:10:00.000Z\nDeadline 2026-01-01T00:40:00.000Z',
    );
  });

  const RESUME = ['Resume workflow', 'Open transcript: build'];
  test.each([
    ['completed', 'Completed in 18 s', ['Completion ready'], [], () => ended(READY)],
    [
      'partial',
      'Partial result',
      ['Partial outcome ready'],
      ['Resume workflow'],
      () => ended(reports('partial', 'Half.')),
    ],
    ['failed', 'Failed: build', [], RESUME, () => ended(reports('failed', 'No.'))],
    [
      'timed_out',
      'Timed out after 10 s',
      [],
      RESUME,
      async () => (await ended([NOTHING], { timeout_ms: 10_000 })).pass(MINUTE),
    ],
    ['held', 'Held', [], RESUME, () => ended(reports('held', 'Which?'))],
    ['cancelled', 'Cancelled', [], RESUME, async () => (await ended([NOTHING])).stop()],
  ] as const)('says how it ended: %s', async (state, words, outcome, actions, story) => {
    const { events } = await story();
    const one = card(itemsOf(cutAfter(events, ofFlow('workflow_finished'))));
    expect(one.attributes.get('data-state')).toBe(state);
    expect(texts(one, 'workflow-state')).toEqual([words]);
    expect(texts(one, 'workflow-outcome')).toEqual(outcome);
    expect(texts(one, 'button')).toEqual(actions);
  });

  test('does not offer to resume what only waits for an answer', async () => {
    const state = shown((await ended(reports('held', 'Which?'))).items);
    const offered = [true, false].map((isAsking) => {
      const props = {
        crew: state.crew,
        sight: sightOf(state),
        sessionId: 's1',
        locked: null,
        presenter: QUIET,
      };
      return texts(draw(<WorkflowCard id={FLOW_ID} isAsking={isAsking} {...props} />).body, 'button');
    });
    expect(offered).toEqual([['Open transcript: build'], ['Resume workflow', 'Open transcript: build']]);
  });

  test('says of a step that failed what its agent says of it', async () => {
    const one = card((await ended(reports('failed', 'There is no compiler.'))).items);
    expect(labels(one)[0]).toBe('build, 18 s, Failed: There is no compiler.');
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
      `dist/out.js${HASHER.sha256('x').slice(0, 8)}`,
    ]);
    expect(byClass(details, 'agent')[0]?.attributes.get('aria-label')).toBe('Agent worker: Do build.');
    expect(buttons(details).map(([name]) => name)).toContain('Open transcript of worker: Do build.');
  });

  test('has Stop for the child of an opened step that runs', async () => {
    const one = card(BUILDING);
    click(stepButton(one, 'build'));
    await expect.poll(() => byClass(one, 'step-details').length).toBe(1);
    expect(buttons(one).map(([name]) => name)).toContain('End worker: Do build.');
  });

  test('shows what is known where its beginning is not', () => {
    const one = card(itemsOf(building.events.filter(ofFlow('step_started'))));
    expect(one.attributes.get('aria-label')).toBe('Workflow wf_flow');
    expect(one.textContent).toContain('It began before what is shown.');
    expect(labels(one)[0]).toMatch(/^build, .*, Working$/u);
  });
});

type Steps = readonly { readonly id: string; readonly depends_on?: readonly string[] }[];

async function opened(count: number, state: State, document = new SmallDocument()): Promise<SmallElement> {
  const body = drawnTurn(state, QUIET, document);
  click(named(body, `${count.toLocaleString('en')} steps`));
  await expect.poll(() => byClass(body, 'step').length).toBeGreaterThan(0);
  return body;
}

describe('a workflow of many steps', () => {
  const wide: Steps = Array.from({ length: 50 }, (_, index) => ({ id: `wide-${index}` }));
  const deep: Steps = Array.from({ length: 50 }, (_, index) => ({
    id: `deep-${index}`,
    depends_on: index === 0 ? [] : [`deep-${index - 1}`],
  }));

  function flowOf(steps: Steps): Promise<AgentBench> {
    const plan = steps.map(({ id, ...step }) => [id, { ...step, says: [NOTHING] }] as const);
    return runsFlow({ steps: Object.fromEntries(plan) });
  }

  test.each([
    ['wide', wide],
    ['deep', deep],
  ])('that is %s is a list, folded until somebody asks', async (_, steps) => {
    const body = await opened(50, shown((await flowOf(steps)).items));
    expect(byClass(body, 'step-drawing')).toEqual([]);
    expect(byClass(body, 'step')).toHaveLength(50);
    const indents = elementsIn(body).map(({ style }) =>
      Number.parseInt(style['marginInlineStart'] ?? '0', 10),
    );
    expect(Math.max(...indents)).toBeLessThanOrEqual(60);
  });

  test('shows all of them only to who wants them', async () => {
    const log = changed(building.events, ofFlow('workflow_started'), (data) => {
      const spec = data['spec'] as { readonly steps: readonly object[] };
      const steps = Array.from({ length: 2500 }, (_, index) => ({ ...spec.steps[0], id: `s${index}` }));
      return { ...data, spec: { ...spec, steps } };
    });
    const body = await opened(
      2500,
      shown(itemsOf(log.slice(0, log.findIndex(ofFlow('workflow_started')) + 1))),
    );
    expect(byClass(body, 'step')).toHaveLength(120);
    expect(buttons(body).map(([name]) => name)).toContain('Show all 2,500 steps');
  });

  test('draws a step again only when something of it changed', async () => {
    const document = new SmallDocument();
    const { events, items } = await flowOf(wide);
    const at = events.findIndex(ofFlow('step_started', 'wide-3'));
    const state = shown(items.slice(0, at));
    await opened(50, state, document);
    const next = apply(state, news(items.slice(at, at + 1)), 1);
    const drawn = drawnMeanwhile(StepView, () => drawnTurn(next, QUIET, document));
    expect(drawn).toMatchObject([{ step: { id: 'wide-3' } }]);
  });
});

test('a child beside a workflow has a card of its own', async () => {
  const workflow = { name: 'Flow', steps: [{ id: 'build', task: 'Build.' }] };
  const cast = {
    'Go.': [asks(run('flow', workflow), spawn('c1', 'Look.'))],
    'Build.': [NOTHING],
    'Look.': [NOTHING],
  };
  const turn = drawnTurn(shown((await new AgentBench(cast).turn('Go.')).items));
  expect(byClass(turn, 'workflow')).toHaveLength(1);
  expect(byClass(turn, 'agent')).toHaveLength(1);
});

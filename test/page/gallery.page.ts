import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { StepStatus, WorkflowStatus } from '../../src/runtime/agent-events.ts';
import { CHILD_MOVES } from '../../src/runtime/agents/child-states.ts';
import { toldState } from '../../src/runtime/inspection/node-state.ts';
import type { TurnState } from '../../src/runtime/turn.ts';
import { type PageServer, startPageServer } from './bridge/server.ts';
import { STATES } from './gallery/all-states.ts';
import { HEIGHT, WIDTHS } from './gallery/looks.ts';
import { drawn } from './gallery/pictures.ts';
import { Stage } from './gallery/stage.ts';

/** The words of the log for states: one more of them does not compile before it is here, and fails without a picture. */
const TURNS = {
  running: true,
  waiting: true,
  completed: true,
  partial_failed: true,
  failed: true,
  interrupted: true,
  timed_out: true,
} as const satisfies Record<TurnState, true>;
const STEPS = {
  checkpoint_ready: true,
  partial: true,
  failed: true,
  held: true,
  needs_orchestrator: true,
  timed_out: true,
  cancelled: true,
  skipped: true,
  not_run: true,
} as const satisfies Record<StepStatus, true>;
const WORKFLOWS = {
  completed: true,
  partial: true,
  failed: true,
  timed_out: true,
  held: true,
  cancelled: true,
} as const satisfies Record<WorkflowStatus, true>;

/** What was seen of each, by the selector of those that have it. */
const seen: Readonly<Record<string, Set<string>>> = {
  '.turn': new Set(),
  '.agent': new Set(),
  '.step': new Set(),
  '.workflow': new Set(),
};

const MARKS = STATES.map(({ name, look, says = '' }) => ({ name, look, says }));
/** By the name of a state: the states whose marks its page has. */
const marked = new Map<string, readonly string[]>();

const idle: Page[] = [];
let browser: Browser;
let server: PageServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([chromium.connect(inject('browser')), startPageServer()]);
});

afterAll(async () => {
  await server.close();
  await browser.close();
});

function newPage(): Promise<Page> {
  return browser.newPage({ viewport: { width: WIDTHS[0], height: HEIGHT }, reducedMotion: 'reduce' });
}

describe.concurrent('every state of the gallery', () => {
  test.for(STATES)('opens, draws what it is named for, and fits into a side bar: $name', async (state) => {
    const stage = await Stage.open(server, state, 'dark');
    let page = idle.pop();
    const faults: string[] = [];
    try {
      page ??= await newPage();
      page.on('pageerror', (error) => faults.push(String(error)));
      page.on('console', (message) => {
        if (message.text().includes('Content Security Policy')) faults.push(message.text());
      });
      await page.goto(stage.url);
      const inside = await drawn(page, state);
      const { overflow, states, marks } = await inside
        .locator('html')
        .evaluate(look, { selectors: Object.keys(seen), marks: MARKS });
      for (const [selector, state] of states) seen[selector]?.add(state);
      expect(marks).toContain(state.name);
      marked.set(state.name, marks);
      expect(overflow).toBeLessThanOrEqual(0);
      expect(faults).toEqual([]);
    } finally {
      page?.removeAllListeners();
      await stage.close();
      if (page !== undefined) idle.push(page);
    }
  });
});

interface Drawn {
  readonly overflow: number;
  /** Each selector with a state that it was seen in. */
  readonly states: readonly (readonly [selector: string, state: string])[];
  /** The names of the marks that are there. */
  readonly marks: readonly string[];
}

/** Runs in the page. */
function look(
  root: Element,
  { selectors, marks }: { readonly selectors: readonly string[]; readonly marks: typeof MARKS },
): Drawn {
  const statesOf = (selector: string) =>
    [...root.querySelectorAll(`${selector}[data-state]`)].map(
      (one) => [selector, one.getAttribute('data-state') ?? ''] as const,
    );
  return {
    overflow: root.scrollWidth - root.clientWidth,
    states: selectors.flatMap(statesOf),
    marks: marks
      .filter(({ look, says }) =>
        // Numbers have a space before their unit that does not break.
        [...root.querySelectorAll(look)].some((one) =>
          one.textContent.replaceAll(/\s+/gu, ' ').includes(says),
        ),
      )
      .map(({ name }) => name),
  };
}

function missing(selector: string, states: readonly string[]): readonly string[] {
  return states.filter((state) => seen[selector]?.has(state) !== true);
}

test('there is a picture of every state that a turn, a child, a step and a workflow can be in', () => {
  expect(missing('.turn', Object.keys(TURNS))).toEqual([]);
  expect(missing('.agent', Object.keys(CHILD_MOVES))).toEqual([]);
  expect(missing('.step', Object.keys(STEPS).map(toldState))).toEqual([]);
  expect(missing('.workflow', Object.keys(WORKFLOWS).map(toldState))).toEqual([]);
});

test('no two states could be taken for each other: one of them has a mark that the other has not', () => {
  expect([...marked.keys()].toSorted()).toEqual(STATES.map(({ name }) => name).toSorted());
  const alike = STATES.flatMap(({ name }, at) =>
    STATES.slice(at + 1)
      .filter((other) => marked.get(name)?.includes(other.name) && marked.get(other.name)?.includes(name))
      .map((other) => `${name} and ${other.name}`),
  );
  expect(alike).toEqual([]);
});

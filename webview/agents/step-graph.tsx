import type { RefObject, VNode } from 'preact';
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { NodeState } from '../../src/presenter/agent-states.ts';
import { t, whole } from '../l10n.ts';
import type { CrewProps } from './agent-list.tsx';
import type { Child } from './child-facts.ts';
import { StepDetails } from './step-details.tsx';
import { drawingOf, fitsDrawing, stepLevels, type Drawing, type Edge } from './step-levels.ts';
import { StepNode, type StepNodeProps } from './step-node.tsx';
import { stepState } from './shown-state.ts';
import type { Step, Workflow } from './workflow-facts.ts';

interface Props extends CrewProps {
  readonly workflow: Workflow;
}

/** The steps, each below those that it waits for: as a drawing where there is room, else as a list by levels. */
export function StepGraph({ workflow, ...crewProps }: Props): VNode {
  const { crew, sight } = crewProps;
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [open, setOpen] = useState<string | null>(null);
  const toggle = useCallback((id: string) => setOpen((before) => (before === id ? null : id)), []);
  // What depends on what is said once; all else about a step changes while it runs.
  const order = workflow.steps.map(({ id, depends_on }) => `${id} < ${depends_on.join()}`).join('\n');
  const plan = useMemo(() => stepLevels(workflow.steps), [order]);
  const now = new Map(workflow.steps.map((step) => [step.id, step]));
  const levels = plan.map((level) => level.map((step) => now.get(step.id) ?? step));
  const stateOf = (step: Step): NodeState | null => stepState(step, workflow, crew, sight);
  const chosen = open === null ? undefined : now.get(open);
  const details = chosen !== undefined && (
    <StepDetails step={chosen} state={stateOf(chosen)} {...crewProps} />
  );
  const childOf = ({ subagent_id: id }: Step): Child | undefined =>
    id === null ? undefined : crew.children.get(id);
  const common = { stateOf, childOf, open, toggle };
  return (
    <div class="steps" ref={box}>
      {fitsDrawing(levels, width) ? (
        <>
          <StepDrawing drawing={drawingOf(levels)} {...common} />
          {details}
        </>
      ) : (
        <StepList levels={levels} details={details} {...common} />
      )}
    </div>
  );
}

interface Common {
  readonly stateOf: (step: Step) => NodeState | null;
  readonly childOf: (step: Step) => Child | undefined;
  readonly open: string | null;
  readonly toggle: (id: string) => void;
}

function nodeProps(step: Step, { stateOf, childOf, open, toggle }: Common): StepNodeProps {
  return { step, state: stateOf(step), child: childOf(step), isOpen: open === step.id, toggle };
}

/** As in the style sheet: how high a step is, and a row with what is between rows. */
const STEP_PX = 38;
const ROW_PX = 54;

function StepDrawing({ drawing, ...common }: Common & { readonly drawing: Drawing }): VNode {
  const { stateOf } = common;
  const { spots, edges, rows } = drawing;
  const height = rows * ROW_PX - (ROW_PX - STEP_PX);
  return (
    <div class="step-drawing" style={{ height: `${height}px` }}>
      <svg class="step-edges" viewBox={`0 0 100 ${height}`} preserveAspectRatio="none" aria-hidden="true">
        {edges.map((edge) => (
          <path
            key={`${edge.from.step.id} ${edge.to.step.id}`}
            d={pathOf(edge)}
            data-done={isDone(edge, stateOf)}
          />
        ))}
      </svg>
      <ul role="list" aria-label={t('Steps')}>
        {spots.map(({ step, x, width, row }) => (
          <li
            key={step.id}
            class="step-spot"
            style={{ left: `${x - width / 2}%`, width: `${width}%`, top: `${row * ROW_PX}px` }}
          >
            <StepNode {...nodeProps(step, common)} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function pathOf({ from, to }: Edge): string {
  const [start, end] = [from.row * ROW_PX + STEP_PX, to.row * ROW_PX];
  const middle = end - (ROW_PX - STEP_PX) / 2;
  return `M${from.x} ${start}V${middle}L${to.x} ${middle}V${end}`;
}

function isDone({ from }: Edge, stateOf: Common['stateOf']): boolean {
  return stateOf(from.step) === 'completed';
}

/** So many are drawn unasked. */
const MOST_SHOWN = 120;
/** Further in than this, a narrow view would have no room for the words. */
const MOST_INDENT = 6;
const INDENT_PX = 10;

interface ListProps extends Common {
  readonly levels: readonly (readonly Step[])[];
  readonly details: VNode | false;
}

function StepList({ levels, details, ...common }: ListProps): VNode {
  const [all, setAll] = useState(false);
  const lines = levels.flatMap((level, depth) => level.map((step) => ({ step, depth })));
  const shown = all ? lines : lines.slice(0, MOST_SHOWN);
  return (
    <>
      <ul class="step-list" role="list" aria-label={t('Steps')}>
        {shown.map(({ step, depth }) => (
          <li key={step.id} style={{ marginInlineStart: `${Math.min(depth, MOST_INDENT) * INDENT_PX}px` }}>
            <StepNode {...nodeProps(step, common)} />
            {common.open === step.id && details}
          </li>
        ))}
      </ul>
      {shown.length < lines.length && (
        <button type="button" class="link-button" onClick={() => setAll(true)}>
          {t('Show all {0} steps', whole(lines.length))}
        </button>
      )}
    </>
  );
}

/** Around it, of the page. Until it is measured, it is as wide as the page without that. */
const AROUND_PX = 48;
const NARROW_PX = 300;

function useWidth(box: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(() => (globalThis.innerWidth ?? NARROW_PX) - AROUND_PX);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || globalThis.ResizeObserver === undefined) return undefined;
    setWidth(element.clientWidth);
    const resized = new ResizeObserver(() => setWidth(element.clientWidth));
    resized.observe(element);
    return () => resized.disconnect();
  }, []);
  return width;
}

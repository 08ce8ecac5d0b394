import { describe, expect, test } from 'vitest';
import type { ToolOutcome } from '../../src/runtime/ports.ts';
import type { WorkflowRequest } from '../../src/runtime/workflows/request.ts';
import { STEP_FIELDS, SPEC_FIELDS } from '../../src/runtime/workflows/spec.ts';
import { runWorkflowTool } from '../../src/tools/run-workflow.ts';
import { succeeded } from '../../src/tools/tool.ts';
import { RecordingContext } from './tool-fixture.ts';

const SPEC = { name: 'Check', steps: [{ id: 'a', task: 'Look.' }] };

function bench() {
  const requests: WorkflowRequest[] = [];
  const tool = runWorkflowTool({
    run: async (request): Promise<ToolOutcome> => {
      requests.push(request);
      return succeeded('{}');
    },
  });
  return { tool, requests };
}

/** The words of the refusal, a line each. */
function refusal(args: unknown): readonly string[] {
  const prepared = bench().tool.prepare(args);
  return prepared.ok ? [] : prepared.error.message.split('\n');
}

describe('a call of run_workflow', () => {
  test.each([
    [{ workflow: SPEC }, 'spec', 'Check'],
    [SPEC, 'spec', 'Check'],
    [{ workflow: JSON.stringify(SPEC) }, 'spec', 'Check'],
    [{ workflow: JSON.stringify({ template: 'check' }) }, 'template', 'check'],
    [{ workflow: SPEC, template: null, parameters: null, resume: null }, 'spec', 'Check'],
    [{ template: 'check', parameters: { a: 1 } }, 'template', 'check'],
    [{ template: 'check' }, 'template', 'check'],
    [{ workflow: null, template: 'check', parameters: null }, 'template', 'check'],
    [{ workflow: { template: 'check', parameters: { a: 1 } } }, 'template', 'check'],
    [{ resume: 'wf_1' }, 'resume', 'wf_1'],
    [{ workflow: { resume: 'wf_1' } }, 'resume', 'wf_1'],
  ])('with %j is a %s, named by %s', async (args, kind, subject) => {
    const { tool, requests } = bench();
    const prepared = tool.prepare(args);
    if (!prepared.ok) throw new Error(prepared.error.message);
    expect(prepared.value).toMatchObject({ subject, writes: [] });
    expect(await tool.run(prepared.value.input, new RecordingContext(), subject)).toEqual(succeeded('{}'));
    expect(requests.map((request) => request.kind)).toEqual([kind]);
  });

  test('hands over the workflow with its defaults, and the parameters as they are', async () => {
    const { tool, requests } = bench();
    await tool.run({ workflow: SPEC }, new RecordingContext(), '');
    await tool.run({ template: 'x', parameters: { deep: [1] } }, new RecordingContext(), '');
    expect(requests).toMatchObject([
      { spec: { id: 'check', name: 'Check', steps: [{ agent: 'default', required: true }] } },
      { template: 'x', parameters: { deep: [1] } },
    ]);
  });

  const HEAD = 'The arguments of run_workflow are not valid, and nothing was started:';

  test.each([
    [null, ['arguments: is not an object']],
    [{}, ['workflow: is missing: give a workflow, a template or one to resume']],
    [{ parameters: {} }, ['template: is missing']],
    [{ template: 'x', parameters: [] }, ['parameters: is not an object']],
    [{ template: 'x', resume: 'y' }, ['resume: does not go with a template']],
    [{ workflow: SPEC, resume: 'y' }, ['resume: does not go with a workflow that is written out']],
    [{ workflow: { template: 'x' }, template: 'y' }, ['workflow: is told twice']],
    [{ template: 7 }, ['template: is not text']],
    [{ steps: [] }, ['name: is missing', 'steps: has no step']],
    [
      { template: 'x', tasks: [] },
      ['tasks: is no field here; the fields are workflow, template, parameters, resume'],
    ],
    [
      { workflow: { steps: [{ id: 'a' }, { id: 'a', task: '' }] } },
      [
        'name: is missing',
        'steps[0].task: is missing',
        'steps[1].task: is empty',
        'steps[1].id: is the id of steps[0] already',
      ],
    ],
    [{ workflow: 'later' }, ['workflow: is not an object']],
  ])('with %j is refused before anything starts: %j', async (args, lines) => {
    expect(refusal(args)).toEqual([HEAD, ...lines]);
    const { tool, requests } = bench();
    expect(await tool.run(args, new RecordingContext(), '')).toMatchObject({
      kind: 'failure',
      error: { kind: 'invalid_arguments' },
    });
    expect(requests).toEqual([]);
  });

  test('with all of it nested without end is refused, not a fault of ours', () => {
    const deep: unknown = JSON.parse(`{"workflow":${'['.repeat(50_000)}${']'.repeat(50_000)}}`);
    expect(refusal(deep)).toEqual([HEAD, 'workflow: is not an object']);
  });
});

test('the model is told of every field that a workflow may have', () => {
  const { spec } = bench().tool;
  expect([spec.effect, spec.strict]).toEqual(['interact', false]);
  expect(spec.parameters).toMatchObject({
    properties: {
      workflow: {
        properties: { ...named(SPEC_FIELDS), steps: { items: { properties: named(STEP_FIELDS) } } },
      },
    },
  });
});

function named(fields: readonly string[]): object {
  return Object.fromEntries(fields.map((field) => [field, expect.anything()]));
}

import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { FoundTemplate } from '../../src/app/workflow-templates.ts';
import { pickWorkflow, type PickerChat } from '../../src/host/workflow-picker.ts';
import { parseTemplate } from '../../src/runtime/workflows/template.ts';
import { parsePresenterMessage } from '../../src/presenter/protocol.ts';
import { double } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

const STEPS = [{ id: 'a', task: 'T' }];
let presented: unknown[] = [];

beforeEach(() => {
  presented = [];
});

function found(name: string, value: unknown): FoundTemplate {
  const file = `/w/.ledgerline/workflows/${name}.json`;
  return { name, path: `.ledgerline/workflows/${name}.json`, file, skill: null, ...parseTemplate(value) };
}

function chatWith(...templates: readonly FoundTemplate[]): PickerChat {
  return {
    host: async () => ({ templates: async () => templates }),
    present: async (message) => void presented.push(message),
  };
}

const PLAIN = found('check', { name: 'Check', description: 'Checks it.', steps: STEPS });
const ASKING = found('review', {
  name: 'Review',
  parameters: {
    area: { type: 'string', description: 'What to look at.' },
    note: { type: 'string', required: false },
    rounds: { type: 'number', default: 2 },
    depth: { type: 'enum', values: ['shallow', 'deep'], default: 'deep' },
    strict: { type: 'boolean', default: false },
  },
  steps: STEPS,
});
const BAD = found('broken', { steps: [{ id: 'a' }] });

describe('running a workflow from the palette', () => {
  test('offers every template with where it is, those that cannot be used last', async () => {
    await pickWorkflow(chatWith(BAD, PLAIN, ASKING));
    expect(double.offered).toEqual([
      ['check', '.ledgerline/workflows/check.json'],
      ['review', '.ledgerline/workflows/review.json'],
      ['Not usable; opens the file', ''],
      ['broken', '.ledgerline/workflows/broken.json'],
    ]);
    expect(presented).toEqual([]);
  });

  test('hands what was picked to the conversation', async () => {
    double.answer = 'check';
    await pickWorkflow(chatWith(PLAIN));
    expect(presented).toEqual([
      {
        type: 'run_workflow',
        client_turn_id: expect.stringMatching(/^[\da-f-]{36}$/u),
        workflow: { template: 'check', parameters: {} },
      },
    ]);
    expect(parsePresenterMessage(presented[0]).ok).toBe(true);
  });

  test('asks for each parameter as what it is, beginning with its default', async () => {
    double.answers = ['review', 'shallow', 'Yes'];
    double.typings = ['login', '', '3'];
    await pickWorkflow(chatWith(ASKING));
    expect(presented).toMatchObject([
      {
        workflow: {
          template: 'review',
          parameters: { area: 'login', note: '', rounds: 3, depth: 'shallow', strict: true },
        },
      },
    ]);
    expect(double.boxes.map(({ title, prompt, value }) => [title, prompt, value])).toEqual([
      ['review: area (1 of 5)', 'What to look at.', ''],
      ['review: note (2 of 5)', 'note', ''],
      ['review: rounds (3 of 5)', 'rounds', '2'],
    ]);
    expect(double.focused).toBe('No');
    const [area, note, rounds] = double.boxes.map(({ validateInput }) => validateInput);
    expect([area?.(' '), area?.('x'), area?.('x'.repeat(4_001))]).toEqual([
      'Give some text.',
      null,
      'At most 4000 characters.',
    ]);
    expect([note?.(''), rounds?.('two'), rounds?.(''), rounds?.('2.5')]).toEqual([
      null,
      'Give a number.',
      'Give a number.',
      null,
    ]);
  });

  test('starts nothing when a box is left', async () => {
    double.answers = ['review'];
    await pickWorkflow(chatWith(ASKING));
    expect(presented).toEqual([]);
  });

  test('opens the file of one that cannot be used, and starts nothing', async () => {
    double.answer = 'broken';
    await pickWorkflow(chatWith(PLAIN, BAD));
    expect(double.shown.map(({ fsPath }) => fsPath)).toEqual(['/w/.ledgerline/workflows/broken.json']);
    expect(presented).toEqual([]);
  });

  test('says so where there are none, and shows an example that is one', async () => {
    double.answer = 'Show an Example';
    await pickWorkflow(chatWith());
    expect(double.questions).toEqual([expect.stringContaining('.ledgerline/workflows')]);
    const [document] = double.opened;
    const content = (document as { content: string }).content;
    expect(parseTemplate(JSON.parse(content)).ok).toBe(true);
    expect(presented).toEqual([]);
  });

  test('says so where the workspace is not trusted', async () => {
    double.trusted = false;
    await pickWorkflow(chatWith(PLAIN));
    expect(double.questions).toEqual(['This workspace is not trusted, so no workflow runs in it.']);
    expect(double.offered).toEqual([]);
  });
});

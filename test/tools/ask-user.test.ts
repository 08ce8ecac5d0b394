import { expect, test } from 'vitest';
import { requestBody } from '../../src/provider/request-body.ts';
import { createToolBox } from '../../src/tools/tool-box.ts';
import { REQUEST } from '../provider/requests.ts';
import { Fixture, MemoryBlobs } from './tool-fixture.ts';

test('a question suspends its call, and the answer will be the result', async () => {
  using fixture = new Fixture({ asks: true });
  expect(await fixture.run('ask_user', { question: 'Which one?' })).toEqual({
    kind: 'suspended',
    suspension: {
      reason: 'question',
      message: 'Which one?',
      parameters: { tool: 'ask_user', question: 'Which one?' },
      resume_mode: 'use_decision_as_result',
    },
  });
});

test('a schema for the answer is handed on as it is', async () => {
  using fixture = new Fixture({ asks: true });
  const schema = { type: 'string', enum: ['red', 'green'], $defs: { any: { deep: [1, null] } } };
  expect(await fixture.run('ask_user', { question: 'Which?', schema })).toMatchObject({
    suspension: { response_schema: schema },
  });
  expect(await fixture.run('ask_user', { question: 'Which?', schema: null })).not.toHaveProperty(
    'suspension.response_schema',
  );
});

test('a prepared question writes nothing and has itself as its subject', () => {
  using fixture = new Fixture({ asks: true });
  const asked = { effect: 'interact', writes: [], subject: 'Which one?' } as const;
  fixture.expectPrepared('ask_user', { question: 'Which one?' }, asked);
});

test.each([
  [{ question: ' \n' }, 'question: is empty'],
  [{ question: 'x'.repeat(4_001) }, 'question: has more than 4000 characters'],
  [{ question: 'x', schema: { enum: ['ä'.repeat(4_096)] } }, 'schema: has more than 8192 bytes as JSON'],
  [{ question: 'x', schema: [] }, 'schema: Invalid input: expected record, received array'],
  [{ question: 'x', choices: [] }, 'Unrecognized key: "choices"'],
])('it refuses %#', (args, why) => {
  using fixture = new Fixture({ asks: true });
  fixture.expectInvalid('ask_user', args, why);
});

test('a schema that is nested without end is refused, not a fault of ours', () => {
  using fixture = new Fixture({ asks: true });
  const args = `{"question":"x","schema":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
  expect(fixture.box.prepare({ call_id: 'c', name: 'ask_user', args })).toMatchObject({
    error: { kind: 'invalid_arguments' },
  });
});

test('it is offered where somebody can answer, also without a folder', () => {
  const options = { roots: [], storageDir: '/nowhere', blobs: new MemoryBlobs() };
  const box = createToolBox({ ...options, asks: true });
  expect(box.specs.map(({ name }) => name)).toEqual(['ask_user', 'update_plan']);
  expect(box.prepare({ call_id: 'c', name: 'read_file', args: '{}' })).toMatchObject({
    error: {
      message:
        'There is no tool read_file: no folder is open, so no workspace tool is offered. The tools are: ask_user, update_plan.',
    },
  });
  using silent = new Fixture();
  expect(silent.box.specs.map(({ name }) => name)).not.toContain('ask_user');
});

test('its schema is an ordinary one, and the provider is told so', () => {
  using fixture = new Fixture({ asks: true });
  const sent = requestBody({ ...REQUEST, tools: fixture.box.specs }).tools;
  expect(sent.map(({ name, strict }) => `${name} ${strict}`)).toEqual([
    'ask_user false',
    'edit_file true',
    'list_files true',
    'read_file true',
    'run_command true',
    'search_text true',
    'update_plan false',
    'write_file true',
  ]);
  expect(JSON.stringify(sent[0]?.parameters, null, 2)).toMatchSnapshot();
});

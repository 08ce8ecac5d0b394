import { expect, test } from 'vitest';
import { createToolBox } from '../../src/tools/tool-box.ts';
import { effectOf } from '../../src/tools/tool-effects.ts';
import { Fixture, MemoryBlobs } from './tool-fixture.ts';

test('without a folder no workspace tool is offered', () => {
  const box = createToolBox({ roots: [], storageDir: '/nowhere', blobs: new MemoryBlobs() });
  expect(box.specs).toEqual([]);
  expect(box.prepare({ call_id: 'c', name: 'read_file', args: '{}' })).toEqual({
    ok: false,
    error: {
      kind: 'unknown_tool',
      message: 'There is no tool read_file: no folder is open, so no workspace tool is offered.',
    },
  });
});

test('the specs are sorted by name and pinned byte for byte', () => {
  using fixture = new Fixture();
  expect(fixture.box.specs.map((spec) => spec.name)).toEqual(
    fixture.box.specs.map((spec) => spec.name).toSorted(),
  );
  expect(JSON.stringify(fixture.box.specs, null, 2)).toMatchSnapshot();
});

test('what a tool does to things is known without making it', () => {
  const roots = [{ name: 'w', path: '/w' }];
  const { specs } = createToolBox({ roots, asks: true, storageDir: '/nowhere', blobs: new MemoryBlobs() });
  expect(specs.length).toBeGreaterThan(6);
  expect(specs.map(({ name }) => [name, effectOf(name)])).toEqual(
    specs.map(({ name, effect }) => [name, effect]),
  );
  expect(effectOf('telepathy')).toBeNull();
});

test('every schema is one that strict function calling accepts', () => {
  using fixture = new Fixture();
  for (const spec of fixture.box.specs) {
    const { type, properties, required, additionalProperties, ...others } = spec.parameters as {
      type: string;
      properties: Record<string, { type: unknown; description: unknown }>;
      required: string[];
      additionalProperties: boolean;
    };
    expect({ type, required, additionalProperties, others }).toEqual({
      type: 'object',
      required: Object.keys(properties),
      additionalProperties: false,
      others: {},
    });
    for (const property of Object.values(properties)) {
      expect(Object.keys(property).sort()).toEqual(['description', 'type']);
      expect(['string', 'integer,null', 'string,null', 'boolean,null']).toContain(String(property.type));
      expect(property.description).toMatch(/\.$/);
    }
  }
});

test('an unknown tool is answered with the tools there are', () => {
  using fixture = new Fixture();
  expect(fixture.box.prepare({ call_id: 'c', name: 'rm', args: '{}' })).toEqual({
    ok: false,
    error: {
      kind: 'unknown_tool',
      message:
        'There is no tool rm. The tools are: edit_file, list_files, read_file, run_command, search_text, write_file.',
    },
  });
});

test('arguments that are not JSON are refused with the reason', () => {
  using fixture = new Fixture();
  const answer = fixture.box.prepare({ call_id: 'c', name: 'read_file', args: '{"path": ' });
  expect(answer).toMatchObject({ ok: false, error: { kind: 'invalid_arguments' } });
  expect(JSON.stringify(answer)).toContain('The arguments of read_file are not valid JSON');
});

test('everything that is wrong with the arguments is named', () => {
  using fixture = new Fixture();
  const args = JSON.stringify({ path: 7, start_line: 1.5, colour: 'red' });
  expect(fixture.box.prepare({ call_id: 'c', name: 'read_file', args })).toEqual({
    ok: false,
    error: {
      kind: 'invalid_arguments',
      message:
        'The arguments of read_file are not valid: path: Invalid input: expected string, received number; ' +
        'start_line: Invalid input: expected int, received number; Unrecognized key: "colour".',
    },
  });
});

test.each([
  ['read_file', { path: 'a', start_line: 5, end_line: 4 }, 'end_line is before start_line'],
  ['read_file', { path: 'a', start_line: 0 }, 'start_line: Too small: expected number to be >=1'],
  [
    'edit_file',
    { path: 'a', old_text: '', new_text: 'b' },
    'old_text: is empty; use write_file to create or replace a file',
  ],
  [
    'edit_file',
    { path: 'a', old_text: 'b', new_text: 'b' },
    'old_text and new_text are the same, so nothing would change',
  ],
  ['run_command', { command: ' ' }, 'command: is empty'],
  ['run_command', { command: 'ls', timeout_s: 601 }, 'timeout_s: Too big: expected number to be <=600'],
  ['search_text', { pattern: 'a\nb' }, 'pattern: must be part of one line'],
])('%s refuses %j', (name, args, why) => {
  using fixture = new Fixture();
  fixture.expectInvalid(name, args, why);
});

test('null for an optional argument means that it is absent', async () => {
  using fixture = new Fixture();
  fixture.write('a.txt', 'one\ntwo\n');
  const given = { path: 'a.txt', start_line: null, end_line: null };
  expect(await fixture.say('read_file', given)).toBe('one\ntwo\n');
  expect(await fixture.say('list_files', { path: null, glob: null })).toBe('a.txt');
  expect(await fixture.say('search_text', { pattern: 'two', path: null, glob: null, regex: null })).toBe(
    'a.txt:2: two',
  );
});

test('a prepared call says what it acts on and what it writes', () => {
  using fixture = new Fixture();
  const written = { effect: 'write', writes: [fixture.path('src/a.ts')], subject: 'src/a.ts' } as const;
  fixture.expectPrepared('write_file', { path: './src/../src/a.ts', content: '' }, written);
  const run = { effect: 'execute', writes: [], subject: 'npm test' } as const;
  fixture.expectPrepared('run_command', { command: 'npm test' }, run);
  expect(fixture.prepare('search_text', { pattern: 'x' })).toMatchObject({ subject: '.', writes: [] });
});

test('a path that would be refused is refused before anybody is asked', () => {
  using fixture = new Fixture();
  const args = JSON.stringify({ path: '.env', content: 'KEY=1' });
  expect(fixture.box.prepare({ call_id: 'c', name: 'write_file', args })).toEqual({
    ok: false,
    error: {
      kind: 'denied_path',
      message: '.env may hold secrets, so tools do not touch it. Ask the user for what you need from it.',
    },
  });
});

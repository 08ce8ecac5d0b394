import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { InputItem } from '../../../src/runtime/replay/items.ts';
import { PENDING_OUTPUT } from '../../../src/runtime/replay/labels.ts';
import { repair, RequestValidator, type RequestProblem } from '../../../src/runtime/replay/validator.ts';
import { naiveProblems } from './naive-checker.ts';
import { searchRuns } from '../../support/search-runs.ts';

/** Generated logs take as long as they take, also on a busy machine. */
const GENERATED = { timeout: searchRuns(60_000) };

function call(call_id: string): InputItem {
  return { type: 'function_call', call_id, name: 'read', arguments: '{}' };
}

function output(call_id: string, text = 'out'): InputItem {
  return { type: 'function_call_output', call_id, output: text };
}

const USER: InputItem = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] };
const ANSWER: InputItem = {
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Done.' }],
};

function reasoning(id: string): InputItem {
  return { type: 'reasoning', id };
}

const callId = fc.constantFrom('a', 'b', 'c');

/** Any input, most of them wrong in some way. Each item is an object of its own. */
const anyItem: fc.Arbitrary<InputItem> = fc.oneof(
  callId.map(call),
  callId.map((id) => output(id)),
  fc.constantFrom('r1', 'r2').map(reasoning),
  fc.constantFrom(USER, ANSWER).map((item) => ({ ...item })),
);
const anyInput = fc.array(anyItem, { maxLength: 14 });

function sorted(problems: readonly RequestProblem[]): readonly string[] {
  return problems.map((problem) => JSON.stringify(problem)).toSorted();
}

function acceptable(input: readonly InputItem[]): boolean {
  return naiveProblems(input).length === 0;
}

const RUNS = { numRuns: searchRuns(2000), seed: 20260103 };

describe('the request validator', GENERATED, () => {
  it('finds exactly the problems that the rules of the API name, on any input', () => {
    const property = fc.property(anyInput, (input) => {
      expect(sorted(new RequestValidator().check(input))).toEqual(sorted(naiveProblems(input)));
    });
    fc.assert(property, RUNS);
  });

  it('finds the same when the input grows, changes in the middle or shrinks between two checks', () => {
    const step = fc.record({ keep: fc.nat(14), added: fc.array(anyItem, { maxLength: 5 }) });
    const property = fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
      const validator = new RequestValidator();
      let input: readonly InputItem[] = [];
      for (const { keep, added } of steps) {
        input = [...input.slice(0, keep), ...added];
        expect(sorted(validator.check(input))).toEqual(sorted(naiveProblems(input)));
      }
    });
    fc.assert(property, RUNS);
  });

  it('names each problem with its place', () => {
    const input = [output('x'), call('a'), call('a'), output('a'), output('a'), call('b'), reasoning('r')];
    expect(new RequestValidator().check(input)).toEqual([
      { kind: 'output_without_call', index: 0, call_id: 'x' },
      { kind: 'duplicate_call', index: 2, call_id: 'a' },
      { kind: 'second_output', index: 4, call_id: 'a' },
      { kind: 'call_without_output', index: 5, call_id: 'b' },
      { kind: 'reasoning_without_following_item', index: 6 },
    ]);
  });

  it('refuses an empty input', () => {
    expect(new RequestValidator().check([])).toEqual([{ kind: 'empty_input' }]);
  });

  it('judges a whole run of reasoning by what follows the run', () => {
    const run = [USER, reasoning('r1'), reasoning('r2')];
    const alone = [1, 2].map((index) => ({ kind: 'reasoning_without_following_item', index }));
    const validator = new RequestValidator();
    expect(validator.check(run)).toEqual(alone);
    expect(validator.check([...run, ANSWER])).toEqual([]);
    expect(new RequestValidator().check([...run, USER])).toEqual(alone);
  });
});

describe('a repair', GENERATED, () => {
  it('makes any input acceptable that has anything to keep', () => {
    const property = fc.property(anyInput, (input) => {
      const repaired = repair(input, new RequestValidator().check(input));
      if (repaired.length > 0) expect(naiveProblems(repaired)).toEqual([]);
    });
    fc.assert(property, RUNS);
  });

  it('changes nothing where nothing is wrong', () => {
    const property = fc.property(anyInput, (input) => {
      fc.pre(acceptable(input));
      expect(repair(input, new RequestValidator().check(input))).toEqual(input);
    });
    fc.assert(property, { numRuns: searchRuns(300), seed: 20260104 });
  });

  it('only leaves out what is wrong and only adds labelled outputs', () => {
    const property = fc.property(anyInput, (input) => {
      const problems = new RequestValidator().check(input);
      const dropped = new Set(
        problems.flatMap((p) => ('index' in p && p.kind !== 'call_without_output' ? [p.index] : [])),
      );
      const repaired = repair(input, problems);
      const added = repaired.filter((item) => !input.includes(item));
      expect(repaired.filter((item) => input.includes(item))).toEqual(
        input.filter((_, index) => !dropped.has(index)),
      );
      expect(new Set(added.map((item) => ('output' in item ? item.output : null)))).toEqual(
        new Set(added.length === 0 ? [] : [PENDING_OUTPUT]),
      );
    });
    fc.assert(property, RUNS);
  });

  it('keeps the first of two calls with one id, and the output that came first', () => {
    const input = [USER, call('a'), output('a', 'first'), call('a'), output('a', 'second')];
    expect(repair(input, new RequestValidator().check(input))).toEqual([
      USER,
      call('a'),
      output('a', 'first'),
    ]);
  });
});

import { describe, expect, test } from 'vitest';
import { project } from '../../src/presenter/projection.ts';
import { kindIcon } from '../../webview/composer/kind-icon.ts';
import { presetWords, typedAnswer, answerForm } from '../../webview/answer-form.ts';
import { t } from '../../webview/l10n.ts';
import { INITIAL, liveCall } from '../../webview/state.ts';
import { apply } from '../../webview/store.ts';
import { toolLine } from '../../webview/tool-lines.ts';
import { verdictsOf } from '../../webview/verdicts.ts';
import { callOf, item, permission, prompt, snapshot } from './log-items.ts';

/** Names that every object inherits. Models, providers and logs may use them as any other. */
const NAMES = ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf'];

describe.each(NAMES)('%s', (name) => {
  const called = item(1, 'tool_call', { call_id: name, name, args: '{}', stream_run_id: 's1' });

  test('is a tool that has no words of its own', () => {
    expect(toolLine(callOf([prompt(0), called])).verb).toBe(name);
  });

  test('is the id of a call of which nothing was said yet', () => {
    const call = callOf([prompt(0), called]);
    expect(liveCall({}, call)).toEqual({ ...call, progress: '', process: null });
  });

  test('is the id of a call that the host tells of', () => {
    const told = { v: 1, type: 'tool_state', turn_id: 't1', call_id: name, name } as const;
    const state = apply(
      apply(INITIAL, snapshot([prompt(0), called]), 0),
      { ...told, state: 'running', progress: 'a' },
      1,
    );
    const call = callOf([prompt(0), called]);
    expect(liveCall(state.calls, call)).toMatchObject({ state: 'running', progress: 'a' });
    const more = apply(state, { ...told, state: 'running', progress: 'b' }, 2);
    expect(liveCall(more.calls, call).progress).toBe('ab');
  });

  test('is a kind of error, a decision and a rule that are shown as they are spelt', () => {
    const error = { kind: name, message: '' };
    const failed = item(2, 'tool_result', { call_id: name, ok: false, error, duration_ms: 0 });
    expect(toolLine(callOf([prompt(0), called, failed])).outcome).toBe(name.replaceAll('_', ' '));
    const decided = permission(2, { decision: name, decided_by: 'policy', rule: name }, name);
    const [verdict] = verdictsOf(callOf([prompt(0), called, decided]));
    expect(verdict).toBe(`${name}: ${name.replaceAll('_', ' ')}`);
  });

  test('is a word without a translation, and a kind of attachment without a picture', () => {
    expect(t(name)).toBe(name);
    expect(kindIcon(name)).toBe('file');
  });

  test('is a field of a question that nobody has filled in', () => {
    const form = answerForm({
      type: 'object',
      properties: Object.fromEntries([[name, { type: 'string' }]]),
      required: [name],
    });
    expect(typedAnswer(form, {})).toEqual(typedAnswer(form, presetWords(form)));
  });

  test('is a field of an event that presenters see', () => {
    const data: unknown = JSON.parse(`{"turn_id":"t1","${name}":"kept"}`);
    const event = { v: 1, id: 'e', session_id: 's', seq: 0, ts: '', type: 'run_status', data };
    expect(Object.entries(project(event as Parameters<typeof project>[0]).data)).toContainEqual([
      name,
      'kept',
    ]);
  });
});

import { describe, expect, test } from 'vitest';
import {
  commitMessageOf,
  commitRequest,
  NO_REPLY,
  plainCommitMessage,
  type Reply,
  replyAfter,
  subjectOf,
} from '../../src/host/commit-message.ts';
import { composedFix, composedRequest } from '../../src/host/selection-attachment.ts';
import {
  outputAttachment,
  plainText,
  selectedAttachment,
  startedOutput,
  withWritten,
} from '../../src/host/terminal-output.ts';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { answer, append, failure, prompt } from '../webview/log-items.ts';

function t(message: string, ...values: readonly (string | number)[]): string {
  return message.replaceAll(/\{(\d+)\}/g, (_, index: string) => String(values[Number(index)]));
}

const passage = { path: 'src/a.ts', first: 3, last: 9, text: 'const a = 1;' };

describe('a selection', () => {
  test('is attached with its place, and the words name it', () => {
    expect(composedRequest('explain', passage, t)).toEqual({
      v: 1,
      type: 'compose',
      text: 'Explain src/a.ts:3-9.',
      attachments: [{ kind: 'selection', label: 'src/a.ts:3-9', path: 'src/a.ts', text: 'const a = 1;' }],
    });
    expect(composedRequest('fix', { ...passage, last: 3 }, t).text).toBe(
      'Find and fix what is wrong in src/a.ts:3.',
    );
    expect(composedRequest('ask', passage, t).text).toBe('About src/a.ts:3-9: ');
  });

  test('that is very long says that it is cut', () => {
    const [attachment] = composedRequest('ask', { ...passage, text: 'x'.repeat(40_000) }, t).attachments;
    expect(attachment?.text?.endsWith('x\n[8000 more characters are left out]')).toBe(true);
  });

  test('with problems lists them, each on one line', () => {
    const { text } = composedFix(passage, ['ts: Cannot find\nname', 'b'], t);
    expect(text).toBe('Fix these problems in src/a.ts:3-9:\n- ts: Cannot find name\n- b');
    const many = Array.from({ length: 13 }, (_, index) => `p${index}`);
    expect(composedFix(passage, many, t).text.endsWith('- p9\n- and 3 more')).toBe(true);
  });
});

describe('the output of a terminal', () => {
  test('is plain text, without colours, titles and lines that were written over', () => {
    const raw = '\u001B]633;C\u0007\u001B[31mred\u001B[0m\r\n10 %\r100 %\r\nend\u0007\r\n';
    expect(plainText(raw)).toBe('red\n100 %\nend\n');
  });

  test('keeps its beginning and its end, and says what is gone', () => {
    const output = Array.from({ length: 5_000 }, (_, index) => `line ${index}\n`).reduce(
      withWritten,
      startedOutput('npm test'),
    );
    expect(output.head.length + output.tail.length).toBe(16_000);
    const attachment = outputAttachment({ ...output, exit_code: 1 });
    expect(attachment?.label).toBe('npm test (exit 1)');
    expect(attachment?.text).toMatch(/^\$ npm test \(exit 1\)\nline 0\n/);
    expect(attachment?.text).toContain(`[${output.dropped} characters are left out]`);
    expect(attachment?.text?.endsWith('line 4999')).toBe(true);
  });

  test('that is empty is nothing to ask about', () => {
    expect(outputAttachment(withWritten(startedOutput('true'), '\u001B[0m\r\n'))).toBeNull();
    expect(selectedAttachment('bash', ' \n')).toBeNull();
    expect(selectedAttachment('bash', 'oops')).toEqual({ kind: 'terminal', label: 'bash', text: 'oops' });
  });

  test('of which much is selected says what is left out', () => {
    expect(selectedAttachment('bash', 'x'.repeat(16_010))?.text).toBe(
      `${'x'.repeat(16_000)}\n[10 more characters are left out]`,
    );
  });
});

function told(state: string, more: object = {}): HostMessage {
  const message = { v: 1, type: 'turn_state', turn_id: 't1', client_turn_id: 'c', state, reason: null };
  return { ...message, next_actions: [], ...more } as HostMessage;
}

const asked = append([{ ...prompt(0), data: { client_turn_id: 'c', text: '' } }]);

function answered(text: string): HostMessage {
  return append([answer(1, text)]);
}

function reply(...messages: readonly HostMessage[]): Reply {
  return messages.reduce((now, one) => replyAfter(now, one, 'c'), NO_REPLY);
}

describe('a commit message', () => {
  test('is asked for in a message with the diff attached, which has no tools', () => {
    const request = commitRequest({ staged: true, diff: 'diff --git a/x b/x' }, 'c');
    expect(request).toMatchObject({
      attachments: [{ kind: 'diff', label: 'staged changes', text: 'diff --git a/x b/x' }],
      tools: 'none',
    });
    expect(commitRequest({ staged: false, diff: 'x' }, 'c').attachments[0]?.label).toBe('changes');
  });

  test('is there only when the turn is completed', () => {
    const text = answered('Fix the clock');
    expect(reply(asked, text).kind).toBe('pending');
    expect(reply(asked, text, told('completed'))).toEqual({ kind: 'answered', message: 'Fix the clock' });
  });

  test('is never taken from a partial answer', () => {
    const partial = told('partial_failed', { message: 'The stream was cut.' });
    expect(reply(asked, answered('Fix th'), partial)).toEqual({
      kind: 'none',
      state: 'partial_failed',
      reason: 'The stream was cut.',
    });
  });

  test('is not taken from another turn', () => {
    const other = told('completed', { turn_id: 't0' });
    expect(reply(asked, answered('Fix the clock'), other).kind).toBe('pending');
  });

  test('that could not be asked for says why', () => {
    const refused = {
      ...failure('send', 'There is no key.', 'missing_key'),
      client_turn_id: 'c',
    };
    expect(reply(refused)).toEqual({ kind: 'none', state: null, reason: 'There is no key.' });
  });

  test('loses the fence that a model put around it', () => {
    expect(commitMessageOf('```text\nFix it\n\nBody\n```\n')).toBe('Fix it\n\nBody');
    expect(commitMessageOf('  Fix it ')).toBe('Fix it');
  });

  test('is known by its first line', () => {
    expect(subjectOf('Fix it \n\nBody')).toBe('Fix it');
  });

  test('without a model is a list of the files', () => {
    expect(plainCommitMessage(['src/a.ts', 'b.ts'])).toBe('Change 2 files: a.ts, b.ts');
    expect(plainCommitMessage(['a'])).toBe('Change a');
    expect(plainCommitMessage(['a', 'b', 'c', 'd'])).toBe('Change 4 files: a, b, c and 1 more');
  });
});

test('a turn that waits for a person writes no commit message', () => {
  const begun: Reply = { kind: 'pending', turn_id: 't', text: '' };
  const waits = {
    v: 1,
    type: 'turn_state',
    turn_id: 't',
    client_turn_id: 'c',
    state: 'waiting',
    reason: null,
    next_actions: [],
  } as const;
  expect(replyAfter(begun, { ...waits, next_actions: [] }, 'c')).toMatchObject({
    kind: 'none',
    state: 'waiting',
  });
});

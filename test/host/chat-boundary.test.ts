import { describe, expect, test } from 'vitest';
import { allowedArguments } from '../../src/host/allowed-actions.ts';
import { chatPage } from '../../src/host/chat-page.ts';
import { factsAfter, NO_FACTS } from '../../src/host/conversation-facts.ts';
import { append, prompt, snapshot } from '../webview/log-items.ts';

test('the page loads our script by its nonce and our style, and nothing else', () => {
  const page = chatPage({ nonce: 'abc', source: 'https://own.example', script: 's.js', style: 's.css' });
  expect(page).toContain(
    `content="default-src 'none'; script-src 'nonce-abc'; style-src https://own.example"`,
  );
  expect(page).not.toMatch(/unsafe|<style|style=|\son\w+=/);
  expect(page.match(/<script/g)).toEqual(['<script']);
});

describe('a button', () => {
  test('runs own commands with their arguments', () => {
    expect(allowedArguments('ledgerline.openLog', ['one'])).toEqual(['one']);
    expect(allowedArguments('ledgerline.retryTurn', undefined)).toEqual([]);
  });

  test('opens own settings only', () => {
    expect(allowedArguments('workbench.action.openSettings', ['ledgerline.maxRounds'])).toEqual([
      'ledgerline.maxRounds',
    ]);
    expect(allowedArguments('workbench.action.openSettings', ['terminal'])).toEqual(['ledgerline']);
  });

  test('runs no other command, whatever a log says', () => {
    expect(allowedArguments('workbench.action.terminal.sendSequence', [{ text: 'x' }])).toBeNull();
    expect(allowedArguments('ledgerline.unknown', [])).toBeNull();
  });
});

test('the last prompt is known from what passes by, and whether it is whole', () => {
  const first = factsAfter(NO_FACTS, snapshot([prompt(0, 'one')]));
  expect(first).toEqual({ session_id: 'one', access: 'writer', prompt: { text: 'one', cut: false } });
  const long = { ...prompt(1, 'two'), data: { text: 'two', blob: 'abc' } };
  expect(factsAfter(first, append([long])).prompt).toEqual({ text: 'two', cut: true });
  expect(factsAfter(first, snapshot([], { session_id: 'two' })).prompt).toBeNull();
});

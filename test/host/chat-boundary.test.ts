import { describe, expect, test } from 'vitest';
import { allowedArguments } from '../../src/host/allowed-actions.ts';
import { chatPage } from '../../src/host/chat-page.ts';
import { factsAfter, needsSomebody, NO_FACTS } from '../../src/host/conversation-facts.ts';
import { byReference, isForVsCode, maySendWords } from '../../src/host/page-messages.ts';
import {
  parsePresenterMessage,
  type HostMessage,
  type PresenterMessage,
} from '../../src/presenter/protocol.ts';
import { handsOn } from '../support/child-stories.ts';
import { NOTHING } from '../support/cast-provider.ts';
import { COMMAND, opening } from '../webview/agents/crew-items.ts';
import { append, prompt, snapshot, turnState } from '../webview/log-items.ts';

const PAGE = {
  nonce: 'abc',
  source: 'https://own.example',
  script: 's.js',
  style: 's.css',
  language: 'de',
  words: { 'Say "<no>"': 'Sag' },
  session_id: null,
};

test('the page loads our script by its nonce, our style and images that it made itself, and nothing else', () => {
  const page = chatPage(PAGE);
  expect(page).toContain(
    `content="default-src 'none'; script-src 'nonce-abc'; style-src https://own.example; img-src blob:; base-uri 'none'; form-action 'none'"`,
  );
  expect(page).not.toMatch(/unsafe|<style|style=|\son\w+=/);
  expect(page.match(/<script/g)).toEqual(['<script']);
  expect(page).toContain('<html lang="de">');
  expect(page).toContain('data-words="{&quot;Say \\&quot;&lt;no>\\&quot;&quot;:&quot;Sag&quot;}"');
});

test('the page of one session says which, and no other does', () => {
  expect(chatPage(PAGE)).not.toContain('data-session');
  expect(chatPage({ ...PAGE, session_id: 'ses_1"<' })).toContain(' data-session="ses_1&quot;&lt;">');
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

  test('opens the transcript of one child, named as one', () => {
    expect(allowedArguments('ledgerline.openAgent', ['ses_1'])).toEqual(['ses_1']);
    for (const args of [undefined, [], [''], ['../x'], [{ session_id: 'ses_1' }], ['ses_1', 'ses_2'], [7]])
      expect([args, allowedArguments('ledgerline.openAgent', args)]).toEqual([args, null]);
  });

  test.each(['stopAgent', 'resumeAgent', 'discardAgent'])(
    'names a child for %s, and nothing else',
    (name) => {
      const command = `ledgerline.${name}`;
      const child = { session_id: 'ses_1', subagent_id: 'sub_1' };
      expect(allowedArguments(command, [child])).toEqual([child]);
      const odd: readonly unknown[] = [
        undefined,
        [],
        ['ses_1'],
        [child, child],
        [{ ...child, force: true }],
        [{ session_id: 'ses_1' }],
        [{ ...child, session_id: '../x' }],
        [{ ...child, subagent_id: '' }],
        [{ ...child, subagent_id: 'x'.repeat(201) }],
        [{ session_id: 'ses_1', workflow_id: 'w1' }],
        [['ses_1', 'sub_1']],
      ];
      for (const args of odd) expect([args, allowedArguments(command, args)]).toEqual([args, null]);
    },
  );

  test('names a workflow to be resumed, and nothing else', () => {
    const flow = { session_id: 'ses_1', workflow_id: 'w1' };
    expect(allowedArguments('ledgerline.resumeWorkflow', [flow])).toEqual([flow]);
    expect(
      allowedArguments('ledgerline.resumeWorkflow', [{ session_id: 'ses_1', subagent_id: 'w1' }]),
    ).toBeNull();
  });

  test('runs no other command, whatever a log says', () => {
    expect(allowedArguments('workbench.action.terminal.sendSequence', [{ text: 'x' }])).toBeNull();
    expect(allowedArguments('ledgerline.unknown', [])).toBeNull();
    for (const command of ['deleteSession', 'archiveSession', 'askTerminalSelection', 'runNextAction'])
      expect(allowedArguments(`ledgerline.${command}`, ['id'])).toBeNull();
  });
});

test('the session and whether it can be written to are known from what passes by', () => {
  const first = factsAfter(NO_FACTS, snapshot([prompt(0, 'one')]));
  expect(first).toEqual({
    session_id: 'one',
    access: 'writer',
    turn_id: null,
    waits: false,
    asked: new Map(),
    state: null,
  });
  expect(factsAfter(first, append([prompt(1, 'two')]))).toBe(first);
  expect(factsAfter(first, snapshot([], { session_id: 'two' })).session_id).toBe('two');
});

function waiting({ decided }: { readonly decided: boolean }): HostMessage {
  const pending = [{ call_id: 'c1', name: 'write_file', suspension: null, decided }];
  return turnState('waiting', { client_turn_id: null, pending });
}

test('what children ask is known until it is decided, or the session is left', async () => {
  const bench = await handsOn([COMMAND, NOTHING], {}, { mode: 'ask' });
  const here = factsAfter(NO_FACTS, opening(bench.items));
  const asking = bench.children;
  const asked = factsAfter(here, asking);
  await bench.decide('suspension_c1', 'cancel');
  const decided = factsAfter(asked, bench.children);
  const left = factsAfter(asked, snapshot([], { session_id: 'two' }));
  const elsewhere = factsAfter(here, { ...asking, session_id: 'two' });
  expect([here, asked, decided, left, elsewhere].map(needsSomebody)).toEqual([
    false,
    true,
    false,
    false,
    false,
  ]);
});

test('whether something waits for the person is known, too', () => {
  expect(factsAfter(NO_FACTS, waiting({ decided: false })).waits).toBe(true);
  expect(factsAfter(NO_FACTS, waiting({ decided: true })).waits).toBe(false);
});

function told(message: object): PresenterMessage {
  const parsed = parsePresenterMessage(message);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.message;
}

function action(command: string): PresenterMessage {
  return told({ type: 'run_action', command });
}

describe('a message of the page', () => {
  test("that names a command of VS Code is carried out there; the rest is the conversation's", () => {
    expect(
      ['ledgerline.openLog', 'ledgerline.openAgent', 'x'].map((name) => isForVsCode(action(name))),
    ).toEqual([true, true, true]);
    const own = ['ledgerline.retryTurn', 'ledgerline.continueTurn', 'ledgerline.endProcess'];
    const agents = ['stopAgent', 'resumeAgent', 'discardAgent', 'resumeWorkflow'].map(
      (name) => `ledgerline.${name}`,
    );
    for (const name of [...own, ...agents]) expect([name, isForVsCode(action(name))]).toEqual([name, false]);
    expect(isForVsCode(told({ type: 'stop' }))).toBe(false);
  });

  test('after which words may leave is known, so that none do while the endpoint is not certain', () => {
    const decide = told({ type: 'decide', target_id: 'c1', decision_id: 'd1', action: 'resume' });
    const send = told({ type: 'send', client_turn_id: 't1', text: 'Go.' });
    const compact = told({ type: 'compact', dry_run: true });
    const own = ['retryTurn', 'continueTurn', 'resumeAgent', 'resumeWorkflow'].map((name) =>
      action(`ledgerline.${name}`),
    );
    for (const message of [send, decide, compact, ...own])
      expect([message, maySendWords(message)]).toEqual([message, true]);
    const ending = ['endProcess', 'stopAgent', 'discardAgent'].map((name) => action(`ledgerline.${name}`));
    for (const message of [told({ type: 'ready' }), told({ type: 'stop' }), action('x'), ...ending])
      expect([message, maySendWords(message)]).toEqual([message, false]);
  });

  test('says what is attached, not what that holds', () => {
    const file = { kind: 'file', path: 'a.ts', text: 'forged' };
    const lines = { kind: 'selection', path: 'a.ts', start_line: 2, text: 'forged' };
    const words = { kind: 'selection', label: 'Untitled-1', text: 'its words' };
    const sent = byReference(
      told({ type: 'send', client_turn_id: 't1', text: 'Go.', attachments: [file, lines, words] }),
    );
    expect(sent).toMatchObject({
      attachments: [
        { kind: 'file', path: 'a.ts', text: undefined },
        { kind: 'selection', path: 'a.ts', start_line: 2, text: undefined },
        words,
      ],
    });
  });
});

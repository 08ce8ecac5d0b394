import { beforeEach, describe, expect, test, vi } from 'vitest';
import { agentCommands } from '../../src/host/agent-commands.ts';
import { diagnosticsCommands } from '../../src/host/diagnostics-commands.ts';
import { treeItem } from '../../src/host/node-look.ts';
import { sessionCommands } from '../../src/host/session-commands.ts';
import { node } from '../../src/runtime/inspection/tree-node.ts';
import { openChild, recordChild } from '../storage/child-log.ts';
import { openSession, record, TALK } from '../storage/recorded-session.ts';
import { programTime } from '../support/program-time.ts';
import { windowFixture, type OpenedWindow } from './opened-window.ts';
import { double, type WebviewPanel } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

const CHILD = { id: 'child', of: 'parent', agent: 'worker', task: 'Find the flaky test\nand mend it' };

const on = windowFixture();
const time = programTime();

beforeEach(async () => {
  await record(on.window.store, [{ ...TALK, say: 'Mend the build' }], 'parent');
});

function open(session: unknown): Promise<void> | void {
  return agentCommands(on.window.parts).openAgent(session);
}

function panel(index = 0): WebviewPanel {
  const found = double.panels[index];
  if (found === undefined) throw new Error(`there is no tab ${index}`);
  return found;
}

function last(of: WebviewPanel, type: string): Readonly<Record<string, unknown>> | undefined {
  return of.posted.findLast((message) => message.type === type);
}

async function shows(of: WebviewPanel, access: object): Promise<void> {
  await time.fly(expect.poll(() => last(of, 'snapshot')?.['access']).toMatchObject(access));
}

async function failsWith(of: WebviewPanel, message: object, failure: object): Promise<void> {
  of.send(message);
  await expect.poll(() => last(of, 'failure')).toMatchObject(failure);
}

/** A tab whose page has asked for everything. */
async function opened(): Promise<WebviewPanel> {
  await open('child');
  panel().send({ type: 'ready' });
  await expect.poll(() => last(panel(), 'snapshot')).toBeDefined();
  return panel();
}

describe('the transcript of a child', () => {
  test('opens in a tab that says what it is, and the chat stays where it is', async () => {
    await recordChild(on.window.store, CHILD);
    const before = (await on.window.chat.knownFacts()).session_id;
    const tab = await opened();
    expect([tab.viewType, tab.title]).toEqual(['ledgerline.agent', 'Worker: Find the flaky test']);
    expect(tab.webview.html).toContain("default-src 'none'; script-src 'nonce-");
    expect(tab.webview.html).toContain('data-session="child"');
    await shows(tab, { kind: 'writer' });
    expect(last(tab, 'snapshot')).toMatchObject({
      session_id: 'child',
      parent: { session_id: 'parent', title: 'Mend the build' },
    });
    expect((await on.window.chat.knownFacts()).session_id).toBe(before);
  });

  test('has one tab, which is brought forward when it is asked for again', async () => {
    await recordChild(on.window.store, CHILD);
    await Promise.all([open('child'), open('child')]);
    expect(double.panels).toHaveLength(1);
    const before = panel().revealed;
    await open({ session_id: 'child' });
    expect([double.panels.length, panel().revealed]).toEqual([1, before + 1]);
  });

  test('is read only while it works here for its parent, and can be written to once it is done', async () => {
    const running = await openChild(on.window.store, CHILD);
    await running.play({ ...TALK, say: 'Find the flaky test' });
    const tab = await opened();
    await shows(tab, {
      kind: 'read_only',
      message: 'This agent is working for another session. What it asks is decided there.',
      next_actions: [{ command: 'ledgerline.openSession', args: ['parent'] }],
    });
    await failsWith(tab, { type: 'take_over' }, { for: 'take_over', kind: 'session_held' });
    await failsWith(tab, { type: 'stop' }, { for: 'stop', kind: 'session_held' });
    await failsWith(tab, action('ledgerline.stop'), { for: 'stop', kind: 'session_held' });
    await failsWith(
      tab,
      { type: 'decide', target_id: 'c1', decision_id: 'd1', action: 'resume' },
      { for: 'decide', kind: 'session_held' },
    );
    await running.close();
    await shows(tab, { kind: 'writer' });
    tab.send({ type: 'send', client_turn_id: 't1', text: 'And then?' });
    await expect
      .poll(() => last(tab, 'turn_state'))
      .toMatchObject({ client_turn_id: 't1', state: 'completed' });
  });

  test('lets go of the log for another conversation here, and looks on from then', async () => {
    await recordChild(on.window.store, CHILD);
    const tab = await opened();
    await shows(tab, { kind: 'writer' });
    const taken: Awaited<ReturnType<typeof openSession>>[] = [];
    await on.window.agents.lend('child', async () => {
      taken.push(await openSession(on.window.store, 'child'));
    });
    expect(taken).toHaveLength(1);
    await shows(tab, { kind: 'read_only', reason: 'held' });
    await taken[0]?.close();
    await shows(tab, { kind: 'writer' });
    const failing = on.window.agents.lend('child', () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    await shows(tab, { kind: 'writer' });
  });

  test('is closed with its tab: its log is free then', async () => {
    await recordChild(on.window.store, CHILD);
    await shows(await opened(), { kind: 'writer' });
    panel().dispose();
    await open('child');
    panel(1).send({ type: 'ready' });
    // Not taken for a child at work: the first one was waited for.
    await shows(panel(1), { kind: 'writer' });
    expect(panel(1).posted.filter(({ type }) => type === 'snapshot').length).toBeGreaterThan(0);
    await on.window.agents.close(['child']);
    expect(panel(1).isClosed).toBe(true);
    await (await openSession(on.window.store, 'child')).close();
  });

  test('gets nothing while it is hidden, and all of it when it is shown again', async () => {
    await recordChild(on.window.store, CHILD);
    const tab = await opened();
    await shows(tab, { kind: 'writer' });
    tab.show(false);
    const before = tab.posted.length;
    await (await (await on.window.agents.panels()).hostOf('child'))?.refresh();
    expect(tab.posted.length).toBe(before);
    tab.show(true);
    tab.send({ type: 'ready' });
    await expect.poll(() => tab.posted.length).toBeGreaterThan(before);
  });

  test('is called what its session is called', async () => {
    await recordChild(on.window.store, CHILD);
    const tab = await opened();
    await (await on.window.parts.sessions.sessions()).rename('child', 'A better name');
    await on.window.parts.sessions.all();
    await expect.poll(() => tab.title).toBe('Worker: A better name');
  });
});

function action(command: string, ...args: readonly unknown[]): object {
  return { type: 'run_action', command, args };
}

describe('what the page of a child asks for', () => {
  beforeEach(async () => {
    await recordChild(on.window.store, CHILD);
    await shows(await opened(), { kind: 'writer' });
    double.commands = [];
  });

  test.each([
    [{ type: 'new_session' }, ['ledgerline.newSession']],
    [{ type: 'open_session', session_id: 'parent' }, ['ledgerline.openSession', 'parent']],
    [action('ledgerline.openSession', 'parent'), ['ledgerline.openSession', 'parent']],
    [action('ledgerline.openLog'), ['ledgerline.openLog', { session_id: 'child' }]],
    [action('ledgerline.diagnose'), ['ledgerline.diagnose', { session_id: 'child' }]],
    [
      action('ledgerline.openCheckpoint', { seq: 3 }),
      ['ledgerline.openCheckpoint', { session_id: 'child', seq: 3 }],
    ],
    [action('ledgerline.openAgent', 'other'), ['ledgerline.openAgent', 'other']],
  ])('%j is done by VS Code, about the session that is meant', async (message, command) => {
    panel().send(message);
    await expect.poll(() => double.commands).toContainEqual(command);
    expect(last(panel(), 'snapshot')).toMatchObject({ session_id: 'child' });
  });

  test.each([
    action('workbench.action.quit'),
    action('ledgerline.openAgent', '../x'),
    action('ledgerline.stopAgent', { session_id: 'child' }),
  ])('%j is refused', async (message) => {
    await failsWith(panel(), message, { for: 'run_action' });
    expect(double.commands).toEqual([]);
  });

  test('as a fork opens in the chat, and the tab stays with its child', async () => {
    panel().send({ type: 'fork' });
    await expect
      .poll(() => on.window.heard.findLast((message) => message.type === 'snapshot'))
      .toMatchObject({ title: 'Find the flaky test', access: { kind: 'writer' } });
    const { session_id } = await on.window.chat.knownFacts();
    expect([session_id === 'child', last(panel(), 'snapshot')?.['session_id']]).toEqual([false, 'child']);
  });

  test('as the edit of a prompt opens a fork in the chat, with its words in the composer', async () => {
    const items = last(panel(), 'snapshot')?.['items'] as readonly {
      readonly type: string;
      readonly seq: number;
    }[];
    const seq = items.find(({ type }) => type === 'user_message')?.seq;
    panel().send({ type: 'edit_prompt', seq });
    await expect
      .poll(() => on.window.heard.findLast((message) => message.type === 'draft'))
      .toMatchObject({ text: 'Find the flaky test\nand mend it' });
    const { session_id } = await on.window.chat.knownFacts();
    expect([session_id === 'child', last(panel(), 'snapshot')?.['session_id']]).toEqual([false, 'child']);
    await failsWith(panel(), { type: 'edit_prompt', seq: 999 }, { for: 'edit_prompt' });
  });

  test('as a preview of a compaction is answered here', async () => {
    await failsWith(panel(), action('ledgerline.compactDryRun'), { for: 'compact' });
  });

  test('as a place is shown here', async () => {
    panel().send(action('ledgerline.revealInChat', { turn_id: 't9' }));
    await expect.poll(() => last(panel(), 'reveal')).toMatchObject({ what: 'turn', turn_id: 't9' });
  });

  test('as an undo is about the last turn here', async () => {
    panel().send(action('ledgerline.undoTurn'));
    await expect.poll(() => double.questions.join()).toContain('There is nothing to undo');
  });
});

async function restored(state: unknown): Promise<WebviewPanel> {
  const { createWebviewPanel } = (await import('./vscode-double.ts')).vscodeDouble.window;
  const tab = createWebviewPanel('ledgerline.agent', 'Worker');
  type Given = Parameters<OpenedWindow['agents']['deserializeWebviewPanel']>[0];
  await on.window.agents.deserializeWebviewPanel(tab as unknown as Given, state);
  return tab;
}

describe('a tab after a reload of the window', () => {
  test('is filled again by the session that its page has kept', async () => {
    await recordChild(on.window.store, CHILD);
    const tab = await restored({ session_id: 'child', draft: null });
    tab.send({ type: 'ready' });
    await shows(tab, { kind: 'writer' });
    expect(tab.title).toBe('Worker: Find the flaky test');
  });

  test.each([undefined, {}, { session_id: '../x' }, { session_id: 'gone' }, { session_id: 'parent' }])(
    'goes where nothing can fill it: %j',
    async (state) => {
      expect((await restored(state)).isClosed).toBe(true);
    },
  );
});

describe('what is no child, or has no log', () => {
  test('is not opened in a tab', async () => {
    await open('parent');
    expect((await on.window.chat.knownFacts()).session_id).toBe('parent');
    await open('queued');
    expect(double.questions).toEqual([expect.stringContaining('it has not begun yet')]);
    await open('../x');
    expect(double.questions).toHaveLength(2);
    expect(double.panels).toEqual([]);
  });

  test('a child that is in the chat is shown there', async () => {
    await recordChild(on.window.store, CHILD);
    await on.window.chat.present({ type: 'open_session', session_id: 'child' });
    await open('child');
    expect(double.panels).toEqual([]);
    expect(double.commands.at(-1)).toEqual(['ledgerline.chat.focus']);
  });

  test('a child that is chosen among sessions has its tab as well', async () => {
    await recordChild(on.window.store, CHILD);
    await sessionCommands(on.window.parts).openSession('child');
    expect(double.panels).toHaveLength(1);
  });
});

test('a line of the diagnostics about a child leads to its transcript, and no other does', async () => {
  const draft = { id: 'one', parent: null, kind: 'subagent', state: 'running', label: 'Look.' } as const;
  const [of, other] = [node({ ...draft, child_session_id: 'child' }), node(draft)];
  expect([of, other].map((one) => treeItem(one, 's1', null).contextValue)).toEqual([
    'subagent transcript',
    'subagent',
  ]);
  const diagnostics = { node: (id: unknown) => (id === 'one' ? of : id === 'two' ? other : null) };
  const parts = { ...on.window.parts, diagnostics } as unknown as OpenedWindow['parts'];
  for (const id of ['one', 'two', 'three']) await diagnosticsCommands(parts).openNodeTranscript(id);
  expect(double.commands).toEqual([['ledgerline.openAgent', 'child']]);
});

describe('an action about a child', () => {
  const target = { session_id: 'parent', subagent_id: 'sub-child' };
  const answered = { type: 'failure', for: 'run_action', kind: 'unknown_agent' };

  test('is handed to the session that it names, which is opened for it', async () => {
    await agentCommands(on.window.parts).stopAgent(target);
    expect((await on.window.chat.knownFacts()).session_id).toBe('parent');
    // Whether it can be done is for the conversation to say.
    expect(on.window.heard.at(-1)).toMatchObject(answered);
    const shown = on.window.heard.filter((message) => message.type === 'snapshot').length;
    await agentCommands(on.window.parts).discardAgent(target);
    expect(on.window.heard.filter((message) => message.type === 'snapshot')).toHaveLength(shown);
  });

  test('is handed to the tab of a child that has children of its own', async () => {
    await recordChild(on.window.store, CHILD);
    const before = (await on.window.chat.knownFacts()).session_id;
    await agentCommands(on.window.parts).resumeWorkflow({ session_id: 'child', workflow_id: 'w1' });
    expect([double.panels.length, (await on.window.chat.knownFacts()).session_id]).toEqual([1, before]);
  });

  test('is not done where it names nothing, or too much', async () => {
    const before = (await on.window.chat.knownFacts()).session_id;
    for (const odd of [undefined, 'parent', { ...target, all: true }])
      await agentCommands(on.window.parts).resumeAgent(odd);
    expect([double.questions.length, (await on.window.chat.knownFacts()).session_id]).toEqual([3, before]);
  });
});

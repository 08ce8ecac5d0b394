import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DiagnosticsView } from '../../src/host/diagnostics-view.ts';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { NOTHING } from '../support/cast-provider.ts';
import { leavesAlone } from '../support/child-stories.ts';
import { makePlace } from '../support/headless.ts';
import { told } from '../webview/agents/crew-items.ts';
import { snapshot, turnState } from '../webview/log-items.ts';
import { emittingChat } from './opened-host.ts';
import { double } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

let place: Awaited<ReturnType<typeof makePlace>>;
let hear: (message: HostMessage) => void;
let view: DiagnosticsView;
let errors: string[];

beforeEach(async () => {
  errors = [];
  place = await makePlace();
  await mkdir(join(place.storage, 'sessions'), { recursive: true });
  const { chat, emit } = emittingChat();
  hear = emit;
  const log = { error: (text: string) => errors.push(text) };
  view = new DiagnosticsView({
    chat,
    storage: place.storage,
    log: log as unknown as ConstructorParameters<typeof DiagnosticsView>[0]['log'],
  });
});

afterEach(async () => {
  view.dispose();
  await place.remove();
});

function logOf(id: string): string {
  return join(place.storage, 'sessions', `${id}.jsonl`);
}

async function writeLog(id: string): Promise<void> {
  const data = { workspace: '/w', app_version: '1', prompt_contract_version: 'll1', permission_mode: 'ask' };
  const event = {
    v: 1,
    id: 'e0',
    session_id: id,
    seq: 0,
    ts: '2026-01-01T00:00:00.000Z',
    type: 'session_started',
    data: { ...data, fork_root_session_id: id },
  };
  await writeFile(logOf(id), `${JSON.stringify(event)}\n`);
}

test('a log that cannot be read is told in words, and is not shown as the session before it', async () => {
  // Nothing is read but what is asked for here.
  double.tree.visible = false;
  await writeLog('s1');
  hear(snapshot([], { session_id: 's1' }));
  expect(await view.getChildren()).toEqual(['session']);
  expect([view.shownSession, view.node('session')?.kind]).toEqual(['s1', 'session']);

  await mkdir(logOf('s2'));
  hear(snapshot([], { session_id: 's2' }));
  expect(await view.getChildren()).toEqual([]);
  expect(double.tree.message).toContain('The log of this session cannot be read.');
  expect(double.tree.message).not.toMatch(/E[A-Z]{3,}/);
  expect([view.shownSession, view.node('session')]).toEqual(['s2', null]);
  expect(errors.join()).toContain('EISDIR');

  await rmdir(logOf('s2'));
  await writeLog('s2');
  expect(await view.getChildren()).toEqual(['session']);
  expect(double.tree.message).toBe('');
});

function waits(reason: string): HostMessage {
  const pending = [{ call_id: 'c1', name: 'x', suspension: { id: 'p1', reason } }];
  return turnState('waiting', { client_turn_id: null, pending });
}

test('the number on the view says what needs a person now, and goes when it cannot be decided here', () => {
  hear(snapshot([], { session_id: 's1' }));
  hear(waits('approval'));
  expect(double.tree.badge).toEqual({ value: 1, tooltip: 'Needs you: 1 approval' });
  hear(waits('question'));
  expect(double.tree.badge).toEqual({ value: 1, tooltip: 'Needs you: 1 question' });
  const held = { kind: 'read_only', reason: 'held', message: 'Another has it.', next_actions: [] } as const;
  hear(snapshot([], { session_id: 's1', access: { ...held, next_actions: [] } }));
  hear(waits('question'));
  expect(double.tree.badge).toBeUndefined();
  hear(snapshot([], { session_id: 's1' }));
  hear(waits('question'));
  expect(double.tree.badge?.value).toBe(1);
  hear(snapshot([], { session_id: 's2' }));
  expect(double.tree.badge).toBeUndefined();
});

test('a child says what it is doing, as it was last told', async () => {
  double.tree.visible = false;
  const bench = await leavesAlone([NOTHING], NOTHING);
  await writeFile(logOf('s1'), bench.log.lines.map((line) => `${line}\n`).join(''));
  // A lease that is fresh binds, also where it cannot be read.
  await writeFile(join(place.storage, 'sessions', 's1.lease'), '');
  hear(snapshot([], { session_id: 's1' }));
  await view.getChildren();
  const id = 'turn:turn_1/subagent:agent_1';
  const said = (): unknown => view.getTreeItem(id).description;
  const before = said();
  hear({ ...bench.children, session_id: 's2' });
  expect(said(), 'of another session').toBe(before);
  hear(bench.children);
  expect(said()).toMatch(/^Working: waiting for the model, since /u);
  hear(told(bench.children, { activity: null }));
  expect(said()).toBe(before);
});

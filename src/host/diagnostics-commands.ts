import * as vscode from 'vscode';
import { translatedSentence } from '../presenter/host-sentences.ts';
import type { NextAction } from '../runtime/events.ts';
import type { TreeNode } from '../runtime/inspection/tree-node.ts';
import type { CommandHandler, CommandParts } from './command-parts.ts';
import { COMMANDS, EVIDENCE_KEY, type DiagnosticsCommand } from './contribution-ids.ts';
import { parseChatPlace, parseLogPlace, parseRequestPlace } from './diagnostics-arguments.ts';
import { showLog } from './log-editor.ts';
import { hasLog } from './log-presence.ts';
import { offeredActions, shownLabel, tooltipOf } from './node-look.ts';
import { warn } from './notifications.ts';
import { isForVsCode } from './page-messages.ts';
import { chooseOne } from './pick-lists.ts';
import type { ReportTopic } from './report-topics.ts';
import { foreign } from './shown-text.ts';

/** Commands that look behind a session. */
export function diagnosticsCommands(parts: CommandParts): Record<DiagnosticsCommand, CommandHandler> {
  const { diagnostics } = parts;
  /** Of a node that is there: ids come from menus, and the tree may have moved on. */
  const onNode =
    (work: (node: TreeNode, parts: CommandParts) => Promise<void>): CommandHandler =>
    async (id) => {
      const node = diagnostics.node(id);
      if (node !== null) await work(node, parts);
    };
  return {
    openLog: (place) => openLog(parts, place),
    inspectRequest: (place) => inspectRequest(parts, place),
    diagnose: (place) => diagnose(parts, place),
    revealLogLine: onNode(revealLogLine),
    inspectNodeRequest: onNode(inspectNodeRequest),
    openCheckpoint: (place) => openCheckpoint(parts, place),
    runNextAction: onNode(runNextAction),
    revealInChat: (place) => revealInChat(parts, place),
    copyNode: onNode(copyNode),
    openNodeTranscript: onNode(openNodeTranscript),
    showEarlierTurns: () => diagnostics.showEarlierTurns(),
  };
}

async function openSessionId({ chat }: CommandParts): Promise<string> {
  return (await chat.host()).sessionId;
}

/** The buttons of the view hand over the line that has the focus: what they do is about the session. */
function withoutNode({ diagnostics }: CommandParts, value: unknown): unknown {
  return diagnostics.node(value) === null ? value : undefined;
}

async function openLog(parts: CommandParts, value: unknown): Promise<void> {
  const place = parseLogPlace(withoutNode(parts, value));
  if (place === null) return sayNotUnderstood();
  const session_id = place.session_id ?? (await openSessionId(parts));
  if (!(await hasLog(parts.storage, session_id))) return;
  await showLog(parts.storage, { ...place, session_id }, parts.reports);
  await noteEvidenceSeen();
}

async function inspectRequest(parts: CommandParts, value: unknown): Promise<void> {
  const place = parseRequestPlace(withoutNode(parts, value));
  if (place === null) return sayNotUnderstood();
  const session_id = place.session_id ?? (await openSessionId(parts));
  await showReport(parts, { kind: 'request', session_id, at: place.at_seq ?? null, raw: false });
}

/** The request that something came of. */
async function inspectNodeRequest(node: TreeNode, { diagnostics, reports }: CommandParts): Promise<void> {
  const session_id = diagnostics.shownSession;
  if (session_id === null || node.request_at === null) return;
  await reports.show({ kind: 'request', session_id, at: node.request_at, raw: false });
}

/** Of a line of the tree, or of a place in a log; without a session, in that of the one that is open. */
async function openCheckpoint(parts: CommandParts, value: unknown): Promise<void> {
  const { diagnostics } = parts;
  const node = diagnostics.node(value);
  const known = { session_id: diagnostics.shownSession, seq: node?.seq };
  const { session_id = null, seq } = (node === null ? parseLogPlace(value) : known) ?? {};
  if (seq === undefined || seq === null) return sayNotUnderstood();
  const session = session_id ?? (await openSessionId(parts));
  await showReport(parts, { kind: 'checkpoint', session_id: session, seq, raw: false });
}

async function diagnose(parts: CommandParts, value: unknown): Promise<void> {
  const place = parseRequestPlace(withoutNode(parts, value));
  if (place === null) return sayNotUnderstood();
  const session_id = place.session_id ?? (await openSessionId(parts));
  await showReport(parts, { kind: 'diagnosis', session_id, raw: false });
}

/** Of nothing there is nothing to be said, and not that it is sound. */
async function showReport(
  { storage, reports }: CommandParts,
  topic: Exclude<ReportTopic, { kind: 'storage' }>,
): Promise<void> {
  if (!(await hasLog(storage, topic.session_id))) return;
  await reports.show(topic);
  await noteEvidenceSeen();
}

/** For the walkthrough, which is not to take a look at nothing for one. */
async function noteEvidenceSeen(): Promise<void> {
  await vscode.commands.executeCommand('setContext', EVIDENCE_KEY, true);
}

async function revealLogLine(node: TreeNode, parts: CommandParts): Promise<void> {
  const session_id = parts.diagnostics.shownSession;
  if (session_id === null) return;
  const place = node.line !== null ? { line: node.line } : node.seq !== null ? { seq: node.seq } : null;
  if (place !== null) await showLog(parts.storage, { session_id, ...place }, parts.reports);
}

async function runNextAction(node: TreeNode, parts: CommandParts): Promise<void> {
  const action = await chosen(offeredActions(node), shownLabel(node));
  if (action === null) return;
  const { command, args } = action;
  const message = { v: 1, type: 'run_action' as const, command, ...(args === undefined ? {} : { args }) };
  // What the conversation answers is seen in the chat; the rest opens what it opens.
  if (isForVsCode(message)) await (await parts.chat.host()).receive(message);
  else await parts.chat.present(message);
}

async function chosen(actions: readonly NextAction[], title: string): Promise<NextAction | null> {
  const [first] = actions;
  if (first === undefined) return null;
  if (actions.length === 1) return first;
  const picked = await chooseOne(
    actions.map((action) => ({ label: translatedSentence(action.label, vscode.l10n.t), action })),
    { title: foreign(title), placeHolder: vscode.l10n.t('What to do next') },
  );
  return picked?.action ?? null;
}

async function revealInChat({ chat, diagnostics }: CommandParts, value: unknown): Promise<void> {
  const node = diagnostics.node(value);
  const waits = node?.state === 'waiting' || node?.state === 'outcome_unknown';
  const place =
    node === null
      ? parseChatPlace(value)
      : node.turn_id === null
        ? null
        : {
            what: waits ? ('decision' as const) : ('turn' as const),
            turn_id: node.turn_id,
            ...(node.seq === null ? {} : { seq: node.seq }),
          };
  if (place !== null) await chat.tell({ v: 1, type: 'reveal', ...place });
}

/** Of the child that a line is about. */
async function openNodeTranscript(node: TreeNode): Promise<void> {
  if (node.child_session_id !== null)
    await vscode.commands.executeCommand(COMMANDS.openAgent, node.child_session_id);
}

async function copyNode(node: TreeNode): Promise<void> {
  await vscode.env.clipboard.writeText(tooltipOf(node));
}

async function sayNotUnderstood(): Promise<void> {
  await warn(vscode.l10n.t('The command was called with something it does not know. Nothing was opened.'));
}

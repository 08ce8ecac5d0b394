import * as vscode from 'vscode';
import { translatedSentence } from '../presenter/host-sentences.ts';
import { allowedArguments } from './allowed-actions.ts';
import type { ChatView } from './chat-view.ts';
import { needsSomebody } from './conversation-facts.ts';
import type { CommandHandler, CommandParts } from './command-parts.ts';
import { writeCommitMessage } from './commit-writer.ts';
import { COMMANDS, type EditorCommand, WALKTHROUGH } from './contribution-ids.ts';
import { inform, whileShown, warn } from './notifications.ts';
import { chooseOne } from './pick-lists.ts';
import { problemOf } from './problem-fixes.ts';
import {
  type Attachment,
  type Compose,
  compose,
  composedFix,
  composedRequest,
  type Passage,
  type Request,
} from './selection-attachment.ts';
import { outputAttachment, selectedAttachment } from './terminal-output.ts';
import { copiedFromTerminal } from './terminal-copy.ts';
import type { TerminalWatch } from './terminal-watch.ts';
import { workspacePath } from './workspace-path.ts';

/**
 * Commands of menus around the chat. They prepare a message and leave it to the person to send it: what leaves the
 * machine, and what it costs, is decided where it can be read.
 */
export function editorCommands(parts: CommandParts): Record<EditorCommand, CommandHandler> {
  const { chat, terminals } = parts;
  const writing = new Set<string>();
  return {
    explainSelection: () => composeSelection(chat, 'explain'),
    fixSelection: () => composeSelection(chat, 'fix'),
    askSelection: () => composeSelection(chat, 'ask'),
    fixProblem: (problem) => composeProblem(chat, problem),
    askTerminal: () => composeOutput(chat, terminals),
    askTerminalSelection: () => composeTerminalSelection(chat),
    writeCommitMessage: async (provider) => {
      await writeCommitMessage({ ...parts, writing }, provider);
    },
    goToDecision: () => goToDecision(chat),
    chooseProvider: () => chooseProvider(parts),
    openWalkthrough: async () => {
      await vscode.commands.executeCommand('workbench.action.openWalkthrough', WALKTHROUGH, false);
    },
  };
}

async function goToDecision(chat: ChatView): Promise<void> {
  if (needsSomebody(await chat.knownFacts())) return chat.tell({ v: 1, type: 'reveal', what: 'decision' });
  await inform(vscode.l10n.t('Nothing waits for you.'));
}

async function composeSelection(chat: ChatView, request: Request): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    await inform(vscode.l10n.t('Open a file and select something in it first.'));
    return;
  }
  const { document, selection } = editor;
  await prepare(chat, composedRequest(request, await passageOf(document, selection), vscode.l10n.t));
}

async function composeProblem(chat: ChatView, value: unknown): Promise<void> {
  const problem = problemOf(value);
  if (problem === null) return;
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(problem.uri, true));
  const lines = new vscode.Range(problem.first, 0, problem.last, Number.MAX_SAFE_INTEGER);
  await prepare(chat, composedFix(await passageOf(document, lines), problem.messages, vscode.l10n.t));
}

/** What could not be sent is not put into the composer either. */
async function prepare(chat: ChatView, message: Compose): Promise<void> {
  const found = await (await chat.host()).lookUp(message.attachments);
  const refusal = found.find((one) => !one.ok);
  if (refusal === undefined || refusal.ok) return chat.tell(message);
  const [action] = refusal.next_actions ?? [];
  const chosen = await warn(
    translatedSentence(refusal.why, vscode.l10n.t),
    ...(action === undefined ? [] : [vscode.l10n.t(action.label)]),
  );
  if (chosen === undefined || action === undefined) return;
  await vscode.commands.executeCommand(
    action.command,
    ...(allowedArguments(action.command, action.args) ?? []),
  );
}

/** Whole lines: a model reads half a line wrongly. A selection that ends before a line's first character has not got it. */
async function passageOf(document: vscode.TextDocument, selected: vscode.Range): Promise<Passage> {
  const range = document.validateRange(selected);
  const last =
    range.end.character === 0 && range.end.line > range.start.line ? range.end.line - 1 : range.end.line;
  return {
    path: workspacePath(document.uri) ?? vscode.workspace.asRelativePath(document.uri),
    first: range.start.line + 1,
    last: last + 1,
    text: document.getText(new vscode.Range(range.start.line, 0, last, document.lineAt(last).text.length)),
  };
}

async function composeOutput(chat: ChatView, terminals: TerminalWatch): Promise<void> {
  const terminal = vscode.window.activeTerminal;
  const attachment = terminal === undefined ? null : await lastAttachment(terminal, terminals);
  if (attachment !== null) return tellAbout(chat, attachment);
  await inform(
    vscode.l10n.t(
      'VS Code gives out what a command wrote only where its shell integration is on, and here is nothing yet. Select the text in the terminal and ask about the selection.',
    ),
  );
}

async function lastAttachment(
  terminal: vscode.Terminal,
  terminals: TerminalWatch,
): Promise<Attachment | null> {
  const title = vscode.l10n.t('Reading the terminal');
  const output = await whileShown(vscode.ProgressLocation.Window, title, () =>
    terminals.lastOutput(terminal),
  );
  const told = output === null ? null : outputAttachment(output);
  if (told !== null || output === null || !output.ended) return told;
  const head = await copied('workbench.action.terminal.copyLastCommandOutput');
  return outputAttachment({ ...output, head });
}

function copied(command: string): Promise<string> {
  return copiedFromTerminal(vscode.env.clipboard, () => vscode.commands.executeCommand(command));
}

async function composeTerminalSelection(chat: ChatView): Promise<void> {
  const text = await copied('workbench.action.terminal.copySelection');
  const name = vscode.window.activeTerminal?.name ?? vscode.l10n.t('Terminal');
  const attachment = selectedAttachment(name, text);
  if (attachment !== null) return tellAbout(chat, attachment);
  await inform(vscode.l10n.t('Nothing is selected in the terminal.'));
}

function tellAbout(chat: ChatView, attachment: Attachment): Promise<void> {
  return chat.tell(compose(vscode.l10n.t('What does this output mean?'), attachment));
}

async function chooseProvider({ choices, apiKey }: CommandParts): Promise<void> {
  const picked = await chooseOne(
    [
      {
        label: vscode.l10n.t('OpenAI, with your API key'),
        detail: vscode.l10n.t(
          'A real model. Prompts and the files that tools read are sent to the endpoint.',
        ),
        command: COMMANDS.setApiKey,
      },
      {
        label: vscode.l10n.t('Offline model'),
        detail: vscode.l10n.t('A fixed script for trying things out. Needs no key and sends nothing.'),
        command: COMMANDS.useOfflineModel,
      },
    ],
    { title: vscode.l10n.t('Choose what answers') },
  );
  if (picked === undefined) return;
  const takesKey = picked.command === COMMANDS.setApiKey;
  if (takesKey) await choices.choose({ provider: 'openai' });
  // One that is there stays; who wants another says so.
  if (takesKey && (await apiKey.read()) !== null) return;
  await vscode.commands.executeCommand(picked.command);
}

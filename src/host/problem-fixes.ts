import * as vscode from 'vscode';
import { COMMANDS } from './contribution-ids.ts';

/** "Fix with Ledgerline" on every problem, in the light bulb, on hover and in the Problems panel. */
export class ProblemFixes implements vscode.CodeActionProvider {
  static readonly kinds = [vscode.CodeActionKind.QuickFix];

  provideCodeActions(
    document: vscode.TextDocument,
    range: vscode.Range,
    { diagnostics }: vscode.CodeActionContext,
  ): vscode.CodeAction[] {
    if (diagnostics.length === 0) return [];
    const action = new vscode.CodeAction(
      vscode.l10n.t('Fix with Ledgerline'),
      vscode.CodeActionKind.QuickFix,
    );
    const span = diagnostics.reduce((all, one) => all.union(one.range), diagnostics[0]?.range ?? range);
    const problem: Problem = {
      uri: document.uri.toString(),
      first: span.start.line,
      last: span.end.line,
      messages: diagnostics.map(({ source, message }) =>
        source === undefined ? message : `${source}: ${message}`,
      ),
    };
    action.diagnostics = [...diagnostics];
    action.command = { command: COMMANDS.fixProblem, title: action.title, arguments: [problem] };
    return [action];
  }
}

/** Lines begin at 0, as in the editor. */
export interface Problem {
  readonly uri: string;
  readonly first: number;
  readonly last: number;
  readonly messages: readonly string[];
}

/** Commands can be called by anyone: null for what is no problem. */
export function problemOf(value: unknown): Problem | null {
  if (typeof value !== 'object' || value === null) return null;
  if (!('uri' in value && 'first' in value && 'last' in value && 'messages' in value)) return null;
  const { uri, first, last, messages } = value;
  if (typeof uri !== 'string' || typeof first !== 'number' || typeof last !== 'number') return null;
  if (!Array.isArray(messages)) return null;
  return { uri, first, last, messages: messages.filter((one: unknown) => typeof one === 'string') };
}

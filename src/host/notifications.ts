import * as vscode from 'vscode';
import { withoutLinks } from './shown-text.ts';

/**
 * The only place that notifies, asks or shows progress. VS Code makes links of what is written like one, and ours have
 * none: so none comes in with the words of others either.
 */

/** Answers with the button that was pressed. */
export async function inform(message: string, ...buttons: readonly string[]): Promise<string | undefined> {
  return vscode.window.showInformationMessage(withoutLinks(message), ...buttons);
}

export async function warn(message: string, ...buttons: readonly string[]): Promise<string | undefined> {
  return vscode.window.showWarningMessage(withoutLinks(message), ...buttons);
}

/** Asks in the way of everything else. The first button is the one that Enter takes. */
export async function insist<T extends vscode.MessageItem>(
  question: string,
  ...buttons: readonly T[]
): Promise<T | undefined> {
  return vscode.window.showWarningMessage(withoutLinks(question), { modal: true }, ...buttons);
}

/** The same, with more to read before one answers. */
export async function insistOn<T extends vscode.MessageItem>(
  question: string,
  detail: string,
  ...buttons: readonly T[]
): Promise<T | undefined> {
  const options = { modal: true, detail: withoutLinks(detail) };
  return vscode.window.showWarningMessage(withoutLinks(question), options, ...buttons);
}

export async function whileShown<T>(
  location: vscode.ProgressLocation,
  title: string,
  work: () => Promise<T>,
): Promise<T> {
  return vscode.window.withProgress({ location, title: withoutLinks(title) }, work);
}

/** In a notification with which the person can end it. */
export async function untilCancelled<T>(
  title: string,
  work: (token: vscode.CancellationToken) => Promise<T>,
): Promise<T> {
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title: withoutLinks(title), cancellable: true }, (_, token) =>
    work(token),
  );
}

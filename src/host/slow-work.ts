import * as vscode from 'vscode';
import { untilCancelled, whileShown } from './notifications.ts';

/** What takes longer than this is said to be under way. */
const PATIENCE_MS = 700;

/** Waits for work, and says what it is while it takes long; with a way to end it, where there is one. */
export async function saidWhileSlow<T>(title: string, work: Thenable<T>, end?: () => void): Promise<T> {
  const over = Promise.resolve(work).then(
    () => undefined,
    // Whoever waits for the work is told.
    () => undefined,
  );
  const timer = setTimeout(() => void saidUntil(over, title, end), PATIENCE_MS);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

function saidUntil(over: Promise<void>, title: string, end: (() => void) | undefined): Promise<void> {
  if (end === undefined) return whileShown(vscode.ProgressLocation.Notification, title, () => over);
  return untilCancelled(title, (token) => {
    token.onCancellationRequested(end);
    return over;
  });
}

import * as vscode from 'vscode';
import { whileShown } from './notifications.ts';

/** What takes longer than this is said to be under way. */
const PATIENCE_MS = 700;

/** Waits for work, and says what it is while it takes long. */
export async function saidWhileSlow<T>(title: string, work: Thenable<T>): Promise<T> {
  const over = Promise.resolve(work).then(
    () => undefined,
    // Whoever waits for the work is told.
    () => undefined,
  );
  const location = vscode.ProgressLocation.Notification;
  const timer = setTimeout(() => void whileShown(location, title, () => over), PATIENCE_MS);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

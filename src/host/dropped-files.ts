import * as vscode from 'vscode';
import type { HostMessage } from '../presenter/protocol.ts';
import { workspacePath } from './workspace-path.ts';

type Compose = Extract<HostMessage, { type: 'compose' }>;

/** Files by the names that they have everywhere else, so that each is attached once. What may be read is decided later. */
export async function composedFiles(paths: readonly string[]): Promise<Compose> {
  const attachments = await Promise.all(
    paths.map(async (given) => {
      const uri = vscode.Uri.file(given.replace(/[/\\]+$/u, ''));
      const path = workspacePath(uri) ?? given;
      const label = path.split(/[/\\]/u).findLast((part) => part !== '') ?? path;
      return { kind: (await isFolder(uri)) ? 'folder' : 'file', label, path };
    }),
  );
  return { v: 1, type: 'compose', text: '', attachments };
}

/** What is not there any more is said when the message is sent. */
async function isFolder(uri: vscode.Uri): Promise<boolean> {
  try {
    return ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.Directory) !== 0;
  } catch (error) {
    if (error instanceof vscode.FileSystemError) return false;
    throw error;
  }
}

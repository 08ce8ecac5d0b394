import * as vscode from 'vscode';
import { IMAGE_SCHEME } from './contribution-ids.ts';

/** In memory; one that has gone is opened again from the conversation. */
const KEPT = 20;

/** Images of the log, for VS Code's own viewer: read-only, and only for as long as the window is there. */
export class ShownImages implements vscode.FileSystemProvider {
  private readonly images = new Map<string, Uint8Array>();
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;
  private readonly registered = vscode.workspace.registerFileSystemProvider(IMAGE_SCHEME, this, {
    isReadonly: true,
  });

  /** Under its own name, in a folder that makes it one of its kind. */
  async show(name: string, bytes: Uint8Array, key: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: IMAGE_SCHEME, path: `/${key}/${name.replaceAll(/[/\\]/g, '_')}` });
    this.images.delete(uri.path);
    this.images.set(uri.path, bytes);
    for (const path of [...this.images.keys()].slice(0, -KEPT)) this.images.delete(path);
    await vscode.commands.executeCommand('vscode.open', uri, { preview: true });
  }

  stat({ path }: vscode.Uri): vscode.FileStat {
    const bytes = this.images.get(path);
    if (bytes !== undefined) return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: bytes.length };
    const isFolder = [...this.images.keys()].some((one) => one.startsWith(`${path.replace(/\/$/, '')}/`));
    if (!isFolder) throw vscode.FileSystemError.FileNotFound(path);
    return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
  }

  readFile({ path }: vscode.Uri): Uint8Array {
    const bytes = this.images.get(path);
    if (bytes === undefined) throw vscode.FileSystemError.FileNotFound(path);
    return bytes;
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.registered.dispose();
    this.changed.dispose();
  }
}

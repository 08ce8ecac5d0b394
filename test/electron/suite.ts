import assert from 'node:assert/strict';
import * as vscode from 'vscode';

/** Runs inside desktop VS Code (`npm run test:electron`). What can be seen from outside is tested end to end. */
export async function run(): Promise<void> {
  const extension = vscode.extensions.getExtension('ledgerline.ledgerline');
  assert.ok(extension !== undefined, 'the extension is installed');
  await extension.activate();
  assert.equal(extension.isActive, true);
  const contributed = commandsOf(extension.packageJSON);
  const known = new Set(await vscode.commands.getCommands(true));
  assert.ok(contributed.length > 20);
  assert.deepEqual(
    contributed.filter((command) => !known.has(command)),
    [],
    'every contributed command is registered',
  );
  await vscode.commands.executeCommand('ledgerline.newSession');
}

function commandsOf(manifest: unknown): readonly string[] {
  const { contributes } = manifest as { contributes: { commands: readonly { command: string }[] } };
  return contributes.commands.map(({ command }) => command);
}

import { basename, resolve } from 'node:path';
import { compactSession, previewCompaction } from '../app/compact-session.ts';
import type { Command } from './arguments.ts';
import type { Terminal } from './terminal.ts';
import { terminalLogger } from './terminal-logger.ts';
import { VERSION } from './version.ts';

/** Prints what was recorded, or would be. A dry run answers a question, whatever the answer is. */
export async function compact(
  command: Extract<Command, { kind: 'compact' }>,
  terminal: Terminal,
): Promise<number> {
  const { session_id, dry_run, settings, workspace } = command;
  const folder = workspace === null ? null : resolve(workspace);
  const options = {
    storage: resolve(command.storage),
    roots: folder === null ? [] : [{ name: basename(folder), path: folder }],
    home: terminal.home,
    settings: () => settings,
    api_key: async () => terminal.env['OPENAI_API_KEY'] ?? null,
    trusted: () => true,
    app_version: VERSION,
    app_root: null,
    logger: terminalLogger(terminal),
  };
  const document = await (dry_run ? previewCompaction : compactSession)(options, session_id);
  terminal.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  return document.ok || dry_run ? 0 : 3;
}

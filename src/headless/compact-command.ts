import { homedir } from 'node:os';
import { basename, resolve } from 'node:path';
import { compactSession, previewCompaction } from '../app/compact-session.ts';
import type { Command } from './arguments.ts';
import { stderrLogger } from './stderr-logger.ts';
import { VERSION } from './version.ts';

/** Prints what was recorded, or would be. A dry run answers a question, whatever the answer is. */
export async function compact(command: Extract<Command, { kind: 'compact' }>): Promise<number> {
  const { session_id, dry_run, settings, workspace } = command;
  const folder = workspace === null ? null : resolve(workspace);
  const options = {
    storage: resolve(command.storage),
    roots: folder === null ? [] : [{ name: basename(folder), path: folder }],
    home: homedir(),
    settings: () => settings,
    api_key: async () => process.env['OPENAI_API_KEY'] ?? null,
    trusted: () => true,
    app_version: VERSION,
    app_root: null,
    logger: stderrLogger,
  };
  const document = await (dry_run ? previewCompaction : compactSession)(options, session_id);
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  return document.ok || dry_run ? 0 : 3;
}

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ModelConnection } from '../../src/app/model-connection.ts';
import { runPorts } from '../../src/app/run-ports.ts';
import { parseSettings } from '../../src/app/settings.ts';
import { WorkspaceRules } from '../../src/app/workspace-rules.ts';
import { nodeStorePorts } from '../../src/app/node-ports.ts';
import type { RunPorts } from '../../src/runtime/session-ports.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { SessionStore } from '../../src/storage/session-store.ts';

async function listed({ tools }: RunPorts): Promise<unknown> {
  const prepared = tools.prepare({ call_id: 'c1', name: 'list_files', args: '{}' });
  if (!prepared.ok) throw new Error(prepared.error.message);
  const { signal } = new AbortController();
  const outcome = await tools.run(prepared.call, { signal, progress() {}, started: async () => undefined });
  return outcome.kind === 'success' ? outcome.output : outcome;
}

test('what rules deny, those of the settings and those remembered since, is hidden from a listing above it', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'll-run-ports-')));
  try {
    const storage = join(folder, 'storage');
    mkdirSync(storage);
    const workspace = join(folder, 'workspace');
    for (const name of ['src', 'lib']) {
      mkdirSync(join(workspace, name), { recursive: true });
      writeFileSync(join(workspace, name, 'a.txt'), '');
    }
    const parsed = parseSettings({ provider: 'offline', permissions: { deny: ['list_files(src/**)'] } });
    if (!parsed.ok) throw new Error(parsed.problems.join());
    const rules = new WorkspaceRules(new NodeDisk(), storage, (reason) => {
      throw new Error(reason);
    });
    const { blobs } = new SessionStore(
      nodeStorePorts(() => undefined),
      storage,
    );
    const ports = await runPorts(
      {
        storage,
        roots: [{ name: 'workspace', path: workspace }],
        settings: () => parsed.settings,
        api_key: async () => null,
        trusted: () => true,
        app_version: 'test',
        app_root: null,
        home: null,
        logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
        emit: () => undefined,
      },
      parsed.settings,
      { blobs, rules, connection: new ModelConnection() },
    );
    expect(ports.settings.workspace).toBe(workspace);
    expect(await listed(ports)).toBe(
      'lib/\nlib/a.txt\n[Left out because a rule denies or asks about it: 1.]',
    );
    await rules.remember({ decision: 'deny', rules: ['list_files(lib/**)'] });
    expect(await listed(ports)).toBe(
      '[Nothing to list in .. Left out because a rule denies or asks about it: 2.]',
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

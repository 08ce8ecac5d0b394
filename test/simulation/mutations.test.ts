import { expect, test } from 'vitest';
import type { Provider, ToolBox, ToolOutcome } from '../../src/runtime/ports.ts';
import type { Disk, DiskFile } from '../../src/storage/disk.ts';
import { simulate, type Faulty } from './simulation.ts';

/** A simulation that cannot fail proves nothing: each of these unsound programs has to be caught, and soon. */
const SEEDS = 60;

const UNSOUND: Readonly<
  Record<string, { readonly faulty: Faulty; readonly seeds?: number; readonly caught: RegExp }>
> = {
  'a log that is acknowledged before it is synced': {
    faulty: {
      disk: (disk) => withFile(disk, '.jsonl', (file) => ({ ...file, sync: async () => undefined })),
    },
    caught: /an event is durable before it is shown/,
  },
  'a session that believes what only the cache has': {
    faulty: { disk: (disk) => withFile(disk, '.jsonl', syncedOnlyAfterAppends) },
    seeds: 400,
    caught: /what an open session knows is durable|a turn has the state its evidence proves/,
  },
  'a new log whose name is never made durable': {
    faulty: { disk: (disk) => ({ ...bound(disk), syncFolder: async () => undefined }) },
    caught: /an event is durable before it is shown/,
  },
  'bodies that are not durable before the events that name them': {
    faulty: {
      disk: (disk) => withFile(disk, '/blobs/', (file) => ({ ...file, sync: async () => undefined })),
    },
    seeds: 400,
    caught: /a body is durable before its event/,
  },
  'a command that acts before running is durable': {
    faulty: {
      tools: (tools) => ({
        ...toolBox(tools),
        run: (call, context) => tools.run(call, { ...context, started: async () => undefined }),
      }),
    },
    caught: /running is durable before an effect/,
  },
  'a tool that acts twice': {
    faulty: {
      tools: (tools) => ({ ...toolBox(tools), run: (call, context) => twice(tools, call, context) }),
    },
    caught: /a call has its effect once/,
  },
  'a recovery that takes writers for readers': {
    faulty: {
      tools: (tools) => ({
        ...toolBox(tools),
        specs: tools.specs.map((spec) => ({ ...spec, effect: 'read' as const })),
      }),
    },
    seeds: 300,
    caught: /its outcome is unknown/,
  },
  'a fold that replays partial text': {
    faulty: {
      provider: (provider) =>
        withInput(provider, (input) => [
          ...input,
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'and th' }] },
        ]),
    },
    caught: /a request is the fold of the durable log/,
  },
  'a request that forgets its first item': {
    faulty: { provider: (provider) => withInput(provider, (input) => input.slice(1)) },
    caught: /a request is the fold of the durable log/,
  },
  'text that streams in and is not kept': {
    faulty: {
      disk: (disk) => ({
        ...bound(disk),
        rename: (from, to) => (to.endsWith('.stream') ? disk.remove(from) : disk.rename(from, to)),
      }),
    },
    seeds: 400,
    caught: /text that was shown and kept survives a crash/,
  },
};

for (const [program, { faulty, seeds = SEEDS, caught }] of Object.entries(UNSOUND)) {
  test(`${program} is caught`, async () => {
    for (let seed = 1; seed <= seeds; seed += 1) {
      const { broken } = await simulate(seed, faulty);
      if (broken === null) continue;
      expect(broken.message).toMatch(caught);
      return;
    }
    expect.unreachable(`not caught within ${seeds} seeds`);
  });
}

function withFile(disk: Disk, inPath: string, change: (file: DiskFile) => DiskFile): Disk {
  return {
    ...bound(disk),
    open: async (path, how) => {
      const file = await disk.open(path, how);
      return path.includes(inPath) ? change(boundFile(file)) : file;
    },
  };
}

function withInput(
  provider: Provider,
  change: (input: Parameters<Provider['stream']>[0]['input']) => Parameters<Provider['stream']>[0]['input'],
): Provider {
  const { endpoint, transport } = provider;
  return {
    endpoint,
    transport,
    stream: (request, signal) => provider.stream({ ...request, input: change(request.input) }, signal),
  };
}

async function twice(tools: ToolBox, ...[call, context]: Parameters<ToolBox['run']>): Promise<ToolOutcome> {
  if (call.effect === 'write') await tools.run(call, context);
  return tools.run(call, context);
}

function toolBox(tools: ToolBox): ToolBox {
  return {
    specs: tools.specs,
    prepare: (call) => tools.prepare(call),
    preview: (call, signal) => tools.preview(call, signal),
    run: (call, context) => tools.run(call, context),
  };
}

function bound(disk: Disk): Disk {
  return {
    open: (path, how) => disk.open(path, how),
    stat: (path) => disk.stat(path),
    list: (folder) => disk.list(folder),
    makeFolder: (path) => disk.makeFolder(path),
    rename: (from, to) => disk.rename(from, to),
    link: (from, to) => disk.link(from, to),
    remove: (path) => disk.remove(path),
    syncFolder: (path) => disk.syncFolder(path),
  };
}

function boundFile(file: DiskFile): DiskFile {
  return {
    append: (bytes) => file.append(bytes),
    overwrite: (bytes) => file.overwrite(bytes),
    sync: () => file.sync(),
    size: () => file.size(),
    read: (offset, length) => file.read(offset, length),
    truncate: (size) => file.truncate(size),
    close: () => file.close(),
  };
}

function syncedOnlyAfterAppends(file: DiskFile): DiskFile {
  let appended = false;
  return {
    ...file,
    append: async (bytes) => {
      appended = true;
      await file.append(bytes);
    },
    sync: async () => {
      if (appended) await file.sync();
    },
  };
}

import { expect, test } from 'vitest';
import type { Decision } from '../../src/runtime/decisions.ts';
import type { PreviewResult, Provider, ToolBox, ToolOutcome } from '../../src/runtime/ports.ts';
import type { Disk, DiskFile } from '../../src/storage/disk.ts';
import { simulate, type Faulty } from './simulation.ts';

/** A simulation that cannot fail proves nothing: each of these unsound programs has to be caught, and soon. */
const SEEDS = 60;

const UNSOUND: Readonly<
  Record<
    string,
    {
      readonly faulty: Faulty;
      readonly seeds?: number;
      /** Where to begin: what is rare is looked for where it is known to be. */
      readonly from?: number;
      readonly caught: RegExp;
    }
  >
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
    from: 150,
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
  'a decision that is acted on before it is durable': {
    faulty: { disk: (disk) => withFile(disk, '.jsonl', undecided) },
    seeds: 400,
    caught: /a decision is durable before it is answered for|an event is durable before it is shown/,
  },
  'a decision that acts again when it is repeated': {
    faulty: { decision: renamed() },
    seeds: 400,
    caught: /a decision_id acts once|every decision on record is what a person said/,
  },
  'a recovery that resumes by itself': {
    faulty: {
      opened: (session, ports) => {
        for (const { call_id, decision } of session.state.turn?.open.values() ?? [])
          if (decision === null)
            void session.decide(
              { decision_id: `self_${call_id}`, target_id: call_id, action: 'resume' },
              ports,
            );
      },
    },
    seeds: 400,
    caught: /every decision on record is what a person said/,
  },
  'any answer that is taken for an approval': {
    faulty: { decision: (decision) => ({ ...decision, action: 'resume' }) },
    seeds: 400,
    caught: /every decision on record is what a person said|only an explicit resume approves/,
  },
  'a round that is not decided together': {
    faulty: { settings: (settings) => ({ ...settings, batch_approvals: false }) },
    seeds: 400,
    caught: /nothing of a round goes on while one of it is undecided/,
  },
  'an approval that holds for whatever the file is by now': {
    faulty: { tools: (tools) => ({ ...toolBox(tools), preview: shownOnce(tools), run: careless(tools) }) },
    seeds: 1000,
    from: 200,
    caught: /what runs is what a person was shown/,
  },
  'a command that is never waited for': {
    faulty: { isAlive: () => false },
    seeds: 2000,
    caught: /a command does not run again beside itself/,
  },
};

for (const [program, { faulty, seeds = SEEDS, from = 1, caught }] of Object.entries(UNSOUND)) {
  test(`${program} is caught`, async () => {
    for (let seed = from; seed < from + seeds; seed += 1) {
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

/** The log's lines that hold a decision are acknowledged without being synced. */
function undecided(file: DiskFile): DiskFile {
  let decided = false;
  return {
    ...file,
    append: async (bytes) => {
      decided = Buffer.from(bytes).includes('"tool_call_decision"');
      await file.append(bytes);
    },
    sync: async () => {
      if (!decided) await file.sync();
    },
  };
}

/** What it has heard before is new to it. */
function renamed(): (decision: Decision) => Decision {
  const heard = new Map<string, number>();
  return (decision) => {
    const times = (heard.get(decision.decision_id) ?? 0) + 1;
    heard.set(decision.decision_id, times);
    return times === 1 ? decision : { ...decision, decision_id: `${decision.decision_id}_${times}` };
  };
}

/** Looks at a file for the first question, and then no more. */
function shownOnce(tools: ToolBox): ToolBox['preview'] {
  const shown = new Map<string, PreviewResult>();
  return async (call, signal) => {
    const preview = shown.get(call.call_id) ?? (await tools.preview(call, signal));
    shown.set(call.call_id, preview);
    return preview;
  };
}

function careless(tools: ToolBox): ToolBox['run'] {
  return (call, { basis: _basis, ...context }) =>
    tools.run(call, {
      ...context,
      progress: (text) => context.progress(text),
      started: (process) => context.started(process),
    });
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
    touch: (path) => disk.touch(path),
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

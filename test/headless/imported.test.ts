import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { importBundle } from '../../src/app/bundle/import-bundle.ts';
import { makeBundle } from '../../src/app/bundle/make-bundle.ts';
import { nodeStorePorts } from '../../src/app/node-ports.ts';
import { forkLog } from '../../src/storage/fork-log.ts';
import { SessionStore } from '../../src/storage/session-store.ts';
import { placeArgs, readEvents, type Message } from '../support/headless.ts';
import { headlessHere, onceHere } from '../support/headless-here.ts';
import { says, served } from './served.ts';

const bench = served();

/** Every log there is, and every file of the workspace. */
async function everything(): Promise<Readonly<Record<string, string>>> {
  const { storage, workspace } = bench.place;
  const folders = [path.join(storage, 'sessions'), workspace];
  const files: Record<string, string> = {};
  for (const folder of folders)
    for (const name of await readdir(folder))
      if (folder === workspace || /\.(?:jsonl|imported\.json|lease)$/u.test(name))
        files[name] = await readFile(path.join(folder, name), 'utf8');
  return files;
}

function openStore(): SessionStore {
  return new SessionStore(
    nodeStorePorts((text) => expect.fail(text)),
    bench.place.storage,
  );
}

/** The session s1, with all that it says. */
async function bundled(store: SessionStore): Promise<Buffer> {
  const made = await makeBundle(store, {
    session_id: 's1',
    choices: { secrets: false, paths: false, file_names: false, contents: false },
    around: { workspaces: [], home: null, user: null, host: null, secrets: [] },
    app_version: '1',
    made_at: '',
    salt: '',
  });
  if (made.kind !== 'made') throw new Error(made.kind);
  return Buffer.from(made.text, 'utf8');
}

test('an imported session takes no message, decision, undo or compaction, and nothing of this machine changes', async () => {
  const { place } = bench;
  await onceHere(place, null, 'write note.txt: from the session');
  await writeFile(path.join(place.workspace, 'note.txt'), 'from the session');
  const asked = await onceHere(place, null, 'write other.txt: x', { set: ['permissionMode=ask'] });
  expect(asked.code).toBe(6);
  const store = openStore();
  const bytes = await bundled(store);
  const { session_id } = await importBundle(store, bytes);
  const again = await importBundle(store, bytes);
  expect(again.session_id).not.toBe(session_id);
  const events = await readEvents(place, session_id);
  const turn_id = events.find((event) => event.type === 'user_message')?.data.turn_id ?? '';
  const target_id = events.findLast((event) => event.type === 'tool_call')?.data.call_id ?? '';
  const before = await everything();

  const run = headlessHere(placeArgs(place, null, { session: session_id }));
  const requests = [
    { type: 'send', client_turn_id: 'k1', text: 'write third.txt: x' },
    { type: 'decide', target_id, decision_id: 'd1', action: 'resume' },
    { type: 'undo', turn_id },
    { type: 'compact', dry_run: false },
  ];
  run.send({ type: 'ready' });
  await run.until((message) => message.type === 'snapshot');
  for (const request of requests) {
    run.send(request);
    await run.until((message: Message) => message.type === 'failure' && message['for'] === request.type);
  }
  run.closeInput();
  expect(await run.exited).toBe(0);
  expect(await everything()).toEqual(before);
});

test('a fork of an imported session goes on where that ended, in a context that is its own', async () => {
  const { place } = bench;
  await onceHere(place, null, 'hello');
  const log = path.join(place.storage, 'sessions', 's1.jsonl');
  const theirs = (await readFile(log, 'utf8')).replaceAll(place.workspace, '/stranger');
  await writeFile(log, theirs);
  const store = openStore();
  const { session_id } = await importBundle(store, await bundled(store));
  const fork = await forkLog(store, session_id, null);
  const url = await bench.serve([says('Gone on.')]);
  const { code } = await onceHere(place, url, 'Go on.', { session: fork?.session_id ?? '' });
  expect(code).toBe(0);
  const input = bench.sent(0);
  expect(theirs).toContain('/stranger');
  expect(JSON.stringify(input)).not.toContain('/stranger');
  const developer = input.filter(({ role }) => role === 'developer');
  expect(developer).toHaveLength(1);
  expect(JSON.stringify(developer)).toContain(JSON.stringify(place.workspace).slice(1, -1));
  expect(input.map(({ role }) => role)).toEqual(['user', 'assistant', 'developer', 'user']);
});

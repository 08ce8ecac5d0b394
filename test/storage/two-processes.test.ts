import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { nodeProcesses } from '../../src/app/node-ports.ts';
import { Child, folderOnDisk } from './child-process.ts';
import { lookAt, storeIn } from './storage-place.ts';

it('a second process is told who has the session, and may take it over', { timeout: 30_000 }, async () => {
  const root = folderOnDisk();
  const [first, second] = [new Child(root, 1), new Child(root, 2)];
  first.order('open s1');
  await first.hears('acquired');
  second.order('open s1');
  expect(await second.hears('held')).toBe(`held ${first.pid}`);

  first.order('write');
  await first.lines(20);
  second.order('take_over s1');
  await second.hears('acquired');
  second.order('write');
  expect(await first.hears('failed')).toBe('failed lease_lost');
  await second.lines(second.said.length + 20);
  second.kill('SIGKILL');
  await Promise.all([first.finish(), second.ended]);

  const { damage, events } = await lookAt(storeIn(root));
  expect(damage).toEqual([]);
  const there = new Set(events.map((event) => `${event.seq}:${event.id}`));
  expect([...first.durable, ...second.durable].filter((event) => !there.has(event))).toEqual([]);
  expect(first.durable.length).toBeGreaterThan(10);
  expect(second.durable.length).toBeGreaterThan(10);
});

it('of several processes that find a dead lease exactly one gets it', { timeout: 30_000 }, async () => {
  const root = folderOnDisk();
  await mkdir(`${root}/sessions`, { recursive: true });
  const gone = new Child(root, 0);
  await gone.finish();
  const children = Array.from({ length: 4 }, (_, index) => new Child(root, index));
  for (let round = 0; round < 40; round += 1) {
    const heartbeat_at = new Date().toISOString();
    const dead = {
      token: 'x',
      pid: gone.pid,
      host: nodeProcesses.host,
      started_at: heartbeat_at,
      heartbeat_at,
    };
    await writeFile(`${root}/sessions/r${round}.lease`, JSON.stringify(dead));
    const before = children.map((child) => child.said.length);
    for (const child of children) child.order(`open r${round}`);
    await Promise.all(children.map((child, index) => child.lines((before[index] ?? 0) + 1)));
    const answers = children.map((child, index) => child.said[before[index] ?? 0]?.split(' ')[0]);
    const acquired = answers.filter((answer) => answer === 'acquired').length;
    const held = answers.filter((answer) => answer === 'held').length;
    expect({ round, acquired, held }).toEqual({ round, acquired: 1, held: 3 });
    for (const child of children) child.order('close');
  }
  await Promise.all(children.map((child) => child.finish()));
});

it('a process that collects bodies takes none from one that writes', { timeout: 60_000 }, async () => {
  const root = folderOnDisk();
  const [writer, collector] = [new Child(root, 3), new Child(root, 4)];
  writer.order('open s1');
  await writer.hears('acquired');
  const store = storeIn(root);
  // The body that the writer puts again and again, long before and named by nobody.
  const path = `${root}/blobs/${await store.blobs.put(Buffer.from('ö'.repeat(40_000)))}`;
  const age = (): Promise<void> => utimes(path, 0, 0).catch(() => undefined);
  await age();
  collector.order('collect');
  await collector.hears('collected 1');
  writer.order('write');
  await writer.hears('durable');
  for (let round = 0; round < 300; round += 1) {
    await age();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await writer.lines(writer.said.length + 20);
  writer.kill('SIGKILL');
  collector.kill('SIGKILL');
  await Promise.all([writer.ended, collector.ended]);

  const { damage, events } = await lookAt(store);
  expect(damage).toEqual([]);
  expect(events.length).toBeGreaterThan(20);
  expect(events.some(({ data }) => JSON.stringify(data).length > 40_000)).toBe(true);
});

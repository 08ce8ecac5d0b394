import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LogEvent } from '../../src/runtime/events.ts';
import { turnIdOf } from '../../src/runtime/session-state.ts';
import { changedFiles } from '../../src/runtime/turn-changes.ts';
import { applyToEvidence, NO_EVIDENCE } from '../../src/runtime/turn-evidence.ts';
import type { Answer } from '../support/responses-server/response-events.ts';
import { PATHS, stories, UndoModel, type Content, type Path, type Step } from './undo-model.ts';
import { asks, says, stage, type Window } from './window.ts';
import { searchRuns } from '../support/search-runs.ts';

const on = stage();
const AUTO = { permissionMode: 'auto' };

async function onDisk(path: Path): Promise<Content> {
  return readFile(join(on.place.workspace, path)).catch(() => null);
}

async function put(path: Path, content: Content): Promise<void> {
  const file = join(on.place.workspace, path);
  if (content === null) return rm(file, { force: true });
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

/** What came about: a story in which nothing happens proves nothing. */
const seen = { 'undo done': 0, 'undo refused': 0, 'redo done': 0, 'redo refused': 0, cut: 0 };

/** A story played in a real folder with a real log, beside the model of it. */
class Play {
  readonly model = new UndoModel();
  private readonly turnIds: string[] = [];
  private window: Window | null = null;
  private calls = 0;

  constructor(private readonly session: string) {}

  async open(): Promise<Window> {
    this.window ??= await on.open(AUTO, this.session);
    return this.window;
  }

  async close(): Promise<void> {
    await this.window?.close();
    this.window = null;
  }

  events(): Promise<readonly LogEvent[]> {
    return on.events(this.session);
  }

  /** What the model says, for all turns of a story. */
  replies(steps: readonly Step[]): readonly Answer[] {
    return steps.flatMap((step) =>
      step.kind !== 'turn'
        ? []
        : [
            ...step.writes.map(({ path, text }) =>
              asks([`${this.session}_${(this.calls += 1)}`, 'write_file', { path, content: text }]),
            ),
            says('Done.'),
          ],
    );
  }

  async step(step: Step): Promise<void> {
    switch (step.kind) {
      case 'turn':
        return this.turn();
      case 'foreign':
        await put(step.path, step.content);
        this.model.files.set(step.path, step.content);
        return;
      case 'reopen':
        return this.close();
      case 'ask':
        return this.ask(step);
    }
  }

  private async turn(): Promise<void> {
    const window = await this.open();
    await window.turn('Write.', `client_${this.session}_${this.turnIds.length}`);
    const events = await this.events();
    const turn_id = events.findLast((event) => event.type === 'user_message')?.data.turn_id ?? '';
    const changes = new Map<Path, { from: Content; to: Content }>();
    for (const path of PATHS) {
      const isChanged = events.some(
        (event) => event.type === 'file_change' && event.data.turn_id === turn_id && event.data.path === path,
      );
      // What a tool makes of a text is its own affair; here it counts what is in the file then.
      if (isChanged) changes.set(path, { from: this.model.content(path), to: await onDisk(path) });
    }
    this.turnIds.push(turn_id);
    this.model.turn(changes);
  }

  private async ask({ turn: asked, way, path, cut }: Extract<Step, { kind: 'ask' }>): Promise<void> {
    const turn = asked % this.turnIds.length;
    const turn_id = this.turnIds[turn];
    const window = await this.open();
    const before = new Map(this.model.files);
    const from = (await this.events()).length;
    const fates = this.model.ask(turn, way, path);
    for (const fate of fates.values()) seen[`${way} ${fate}`] += 1;
    const told = window.failures.length;
    await window.receive({ type: way, turn_id, ...(path === null ? {} : { path }) });
    const added = (await this.events()).slice(from);
    const refused = [...fates].filter(([, fate]) => fate === 'refused').map(([name]) => name);
    expect(refusedIn(added)).toEqual(new Set(refused));
    // Where nothing was asked of any file, something that was cut off may have been settled all the same.
    if (fates.size > 0 || added.length === 0)
      expect(window.failures.length > told).toBe(refused.length > 0 || fates.size === 0);
    if (cut !== null && fates.size > 0) seen.cut += 1;
    if (cut !== null && fates.size > 0) await this.cutOff({ turn, way, cut }, { before, from });
  }

  /** As if the process had ended there: the lines that came later are lost, and files that came later are untouched. */
  private async cutOff(
    {
      turn,
      way,
      cut,
    }: Pick<Extract<Step, { kind: 'ask' }>, 'turn' | 'way'> & {
      readonly cut: NonNullable<Extract<Step, { kind: 'ask' }>['cut']>;
    },
    { before, from }: { readonly before: ReadonlyMap<Path, Content>; readonly from: number },
  ): Promise<void> {
    await this.close();
    const events = await this.events();
    const begun = events.findIndex(
      (event, at) => at >= from && event.type === 'diagnostic' && event.data.code === `${way}_requested`,
    );
    const done = events.flatMap((event, at) => (at > begun && event.type === 'file_change' ? [at] : []));
    const end = done[cut.recorded - 1] ?? (cut.recorded === 0 ? begun : events.length - 1);
    const log = join(on.place.storage, 'sessions', `${this.session}.jsonl`);
    const lines = (await readFile(log, 'utf8')).split('\n');
    await writeFile(log, `${lines.slice(0, end + 1).join('\n')}\n`);
    const asked = pathsIn(events[begun]);
    const recorded = new Set(done.filter((at) => at <= end).flatMap((at) => pathsIn(events[at])));
    const isLost = end < events.length - 1;
    const open = asked.filter((path) => isLost && !recorded.has(path));
    const touched = done.filter((at) => at > end).flatMap((at) => pathsIn(events[at]));
    const lost = open.map((path) => {
      const isTouched = cut.touched && path === touched[0];
      return { path, content: isTouched ? this.model.content(path) : (before.get(path) ?? null) };
    });
    for (const { path, content } of lost) await put(path, content);
    this.model.cut(turn, way, lost);
  }

  async check(): Promise<void> {
    for (const path of PATHS) expect([path, await onDisk(path)]).toEqual([path, this.model.content(path)]);
    // Before the first turn there is no log.
    const events = this.turnIds.length === 0 ? [] : await this.events();
    for (const [index, turn_id] of this.turnIds.entries()) {
      const own = events.filter((event) => turnIdOf(event) === turn_id);
      const { evidence } = own.reduce(applyToEvidence, NO_EVIDENCE);
      const made = [...this.model.made(index)];
      const standings = changedFiles(evidence.changes).map(({ path, standing }) => [path, standing] as const);
      expect(new Map<string, string>(standings)).toEqual(
        new Map(made.map(([path, { standing }]) => [path, standing])),
      );
      const open = (way: string): Set<string> =>
        new Set(made.filter(([, one]) => one.open === way).map(([path]) => path));
      expect([new Set(evidence.undo_open), new Set(evidence.redo_open)]).toEqual([
        open('undo'),
        open('redo'),
      ]);
    }
    await this.nothingIsLost(events);
  }

  /** Whatever a file was before something of ours replaced it is in storage, by its hash. */
  private async nothingIsLost(events: readonly LogEvent[]): Promise<void> {
    for (const event of events) {
      if (event.type !== 'file_change') continue;
      const { before_sha256, before_blob } = event.data;
      expect(before_blob).toBe(before_sha256);
      if (before_blob === null) continue;
      const kept = await readFile(join(on.place.storage, 'blobs', before_blob));
      expect(createHash('sha256').update(kept).digest('hex')).toBe(before_blob);
    }
  }
}

function pathsIn(event: LogEvent | undefined): readonly Path[] {
  if (event?.type === 'file_change') return PATHS.filter((path) => path === event.data.path);
  if (event?.type !== 'diagnostic') return [];
  const { paths } = event.data.details as { readonly paths: readonly string[] };
  return PATHS.filter((path) => paths.includes(path));
}

function refusedIn(events: readonly LogEvent[]): ReadonlySet<string> {
  const refusals = events.filter(
    (event) => event.type === 'diagnostic' && /^(?:undo|redo)_refused$/u.test(event.data.code),
  );
  return new Set(refusals.flatMap(pathsIn));
}

it(
  'undo and redo in any order, cut off anywhere, do what the model of a file system says',
  async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(stories, async (steps) => {
        run += 1;
        for (const path of PATHS) await put(path, null);
        await rm(join(on.place.workspace, 'deep'), { recursive: true, force: true });
        const play = new Play(`s${run}`);
        await on.script(...play.replies(steps));
        for (const step of steps) {
          await play.step(step);
          await play.check();
        }
        await play.close();
      }),
      { numRuns: searchRuns(24), seed: 20261118 },
    );
    expect(Object.values(seen).every((count) => count >= 10)).toBe(true);
  },
  searchRuns(240_000),
);

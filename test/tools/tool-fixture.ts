import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { CommandProcess } from '../../src/runtime/events.ts';
import type { PreparedCall, ToolContext, ToolOutcome } from '../../src/runtime/ports.ts';
import type { BlobStore } from '../../src/tools/file-replacement.ts';
import { createToolBox, type ToolBoxOptions, type WorkspaceToolBox } from '../../src/tools/tool-box.ts';

/** A blob store that keeps its bodies in memory. */
export class MemoryBlobs implements BlobStore {
  readonly bodies = new Map<string, Buffer>();

  put(bytes: Uint8Array): Promise<string> {
    const hash = sha(bytes);
    this.bodies.set(hash, Buffer.from(bytes));
    return Promise.resolve(hash);
  }
}

export function sha(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Records what a tool says while it runs. */
export class RecordingContext implements ToolContext {
  readonly processes: CommandProcess[] = [];
  readonly shown: string[] = [];
  private readonly controller = new AbortController();
  readonly signal = this.controller.signal;
  /** Called with all output shown so far. */
  onProgress: (all: string) => void = () => {};

  progress(text: string): void {
    this.shown.push(text);
    this.onProgress(this.shown.join(''));
  }

  started(process: CommandProcess): Promise<void> {
    this.processes.push(process);
    return Promise.resolve();
  }

  abort(): void {
    this.controller.abort();
  }

  /** Resolves when the output shown contains the text. */
  said(text: string): Promise<void> {
    return new Promise((resolve) => {
      this.onProgress = (all) => {
        if (all.includes(text)) resolve();
      };
    });
  }
}

/** Of a tool that is stopped before it begins. */
export function stoppedContext(): RecordingContext {
  const context = new RecordingContext();
  context.abort();
  return context;
}

/** A temporary workspace on the real file system, with its tools. */
export class Fixture {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'll-tools-')));
  readonly root = join(this.folder, 'ws');
  readonly outside = join(this.folder, 'outside');
  readonly storage = join(this.folder, 'storage');
  readonly blobs = new MemoryBlobs();
  readonly box: WorkspaceToolBox;

  constructor(options: Partial<ToolBoxOptions> = {}) {
    for (const folder of [this.root, this.outside, this.storage]) mkdirSync(folder);
    this.box = createToolBox({
      roots: [{ name: 'ws', path: this.root }],
      storageDir: this.storage,
      blobs: this.blobs,
      ...options,
    });
  }

  path(name: string): string {
    return join(this.root, name);
  }

  write(name: string, content: string | Uint8Array): string {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), content);
    return this.path(name);
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  names(folder = '.'): readonly string[] {
    return readdirSync(this.path(folder)).sort();
  }

  prepare(name: string, args: unknown): PreparedCall {
    const prepared = this.box.prepare({ call_id: 'call_1', name, args: JSON.stringify(args) });
    if (!prepared.ok) throw new Error(`not prepared: ${JSON.stringify(prepared.error)}`);
    return prepared.call;
  }

  /** A call is prepared with its input as it was given, and with this beside it. */
  expectPrepared(
    name: string,
    input: unknown,
    beside: Omit<PreparedCall, 'call_id' | 'name' | 'input'>,
  ): void {
    expect(this.prepare(name, input)).toEqual({ call_id: 'call_1', name, input, ...beside });
  }

  /** Such arguments are refused before anything runs, for this reason. */
  expectInvalid(name: string, args: unknown, why: string): void {
    expect(this.box.prepare({ call_id: 'c', name, args: JSON.stringify(args) })).toEqual({
      ok: false,
      error: { kind: 'invalid_arguments', message: `The arguments of ${name} are not valid: ${why}.` },
    });
  }

  /** Prepares and runs; an error of either is the answer. */
  async run(name: string, args: unknown, context = new RecordingContext()): Promise<ToolOutcome> {
    const prepared = this.box.prepare({ call_id: 'call_1', name, args: JSON.stringify(args) });
    if (!prepared.ok) return { kind: 'failure', error: prepared.error, changes: [] };
    return await this.box.run(prepared.call, context);
  }

  /** The text a tool gave, or its error's kind and message. */
  async say(name: string, args: unknown): Promise<string> {
    const outcome = await this.run(name, args);
    switch (outcome.kind) {
      case 'success':
        return outcome.output;
      case 'failure':
        return `${outcome.error.kind}: ${outcome.error.message}`;
      case 'suspended':
        return 'suspended';
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A blob store during whose `put` something else happens. */
export function blobsThat(act: () => void): BlobStore {
  const inner = new MemoryBlobs();
  return {
    async put(bytes) {
      act();
      return await inner.put(bytes);
    },
  };
}

/** While \`dir/a.txt\` is being written, its folder is moved away and a link out of the workspace is put there. */
export function swappingFixture(options: Partial<ToolBoxOptions> = {}): Fixture {
  const blobs = blobsThat(() => {
    renameSync(fixture.path('dir'), fixture.path('moved'));
    symlinkSync(fixture.outside, fixture.path('dir'));
  });
  const fixture: Fixture = new Fixture({ ...options, blobs });
  fixture.write('dir/a.txt', 'old');
  writeFileSync(join(fixture.outside, 'a.txt'), 'theirs');
  return fixture;
}

/** The pid that a command writes into a file, with a line break. */
export async function pidIn(fixture: Fixture, name: string): Promise<number> {
  const path = fixture.path(name);
  await expect.poll(() => existsSync(path) && readFileSync(path, 'utf8').endsWith('\n')).toBe(true);
  return Number(readFileSync(path, 'utf8'));
}

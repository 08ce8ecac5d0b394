import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { builtProgram } from '../support/built-program.ts';
import { folderOfDisk } from '../support/scratch-folder.ts';

/** The program in `writer-process.ts`, bundled once and started as often as needed. */

const folder = await mkdtemp(join(tmpdir(), 'ledgerline-writers-'));
const program = join(folder, 'writer.mjs');

await builtProgram(new URL('writer-process.ts', import.meta.url), program);

/** A folder on the disk, not in memory: there a sync takes its time, and a kill finds it at work. */
export function folderOnDisk(): string {
  const made = mkdtempSync(join(folderOfDisk(), 'ledgerline-writers-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return join(made, 'storage');
}

export class Child {
  readonly said: string[] = [];
  readonly ended: Promise<void>;
  private readonly process: ChildProcessByStdio<Writable, Readable, null>;
  private readonly waiting = new Set<() => void>();
  private over = false;

  constructor(root: string, seed: number) {
    this.process = spawn(process.execPath, [program, root, String(seed)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.process.stdin.on('error', () => undefined);
    createInterface({ input: this.process.stdout }).on('line', (line) => {
      this.said.push(line);
      this.wake();
    });
    this.ended = new Promise((resolve) => {
      this.process.on('close', () => {
        this.over = true;
        this.wake();
        resolve();
      });
    });
    onTestFinished(() => {
      this.kill('SIGKILL');
      return this.ended;
    });
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  order(text: string): void {
    this.process.stdin.write(`${text}\n`);
  }

  /** The first line that begins so, past or future. */
  async hears(start: string, after = 0): Promise<string> {
    for (;;) {
      const line = this.said.slice(after).find((said) => said.startsWith(start));
      if (line !== undefined) return line;
      if (this.over) throw new Error(`ended without "${start}": ${this.said.slice(-5).join(' | ')}`);
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
  }

  /** Resolves when it has said so many lines, or has ended. */
  async lines(count: number): Promise<void> {
    while (this.said.length < count && !this.over) {
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
  }

  kill(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }

  finish(): Promise<void> {
    this.process.stdin.end();
    return this.ended;
  }

  /** The events it called durable, as `seq:id`. */
  get durable(): readonly string[] {
    return this.said
      .filter((line) => line.startsWith('durable '))
      .flatMap((line) => line.slice('durable '.length).split(','));
  }

  private wake(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }
}

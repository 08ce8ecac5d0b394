import type { FileChange } from '../../src/runtime/ports.ts';

/** The files that calls write, and others too. */
export class WorldFiles {
  private readonly content = new Map<string, string>();
  private edits = 0;

  sha(path: string): string | null {
    return this.content.get(path) ?? null;
  }

  write(path: string, callId: string): FileChange {
    this.edits += 1;
    const before_sha256 = this.sha(path);
    const after_sha256 = `${callId}-${this.edits}`;
    this.content.set(path, after_sha256);
    const created = before_sha256 === null;
    return { path, before_sha256, after_sha256, before_blob: null, created, deleted: false };
  }

  /** Somebody else changes it. */
  edit(path: string): void {
    this.edits += 1;
    this.content.set(path, `edit-${this.edits}`);
  }
}

/** What is taken out of a log before it leaves. Each can be chosen by itself. */
export interface RedactionChoices {
  /** Keys, tokens, passwords. */
  readonly secrets: boolean;
  /** Places on this machine, the names of its user and of itself, branches, addresses of other people. */
  readonly paths: boolean;
  /** Names of files and folders inside the workspace. */
  readonly file_names: boolean;
  /** What was said, asked for, answered, read and written. */
  readonly contents: boolean;
}

export type RedactionChoice = keyof RedactionChoices;

export const EVERYTHING: RedactionChoices = { secrets: true, paths: true, file_names: true, contents: true };

export function isAnyChosen({ secrets, paths, file_names, contents }: RedactionChoices): boolean {
  return secrets || paths || file_names || contents;
}

/** How often something was taken out, by kind. */
export const REMOVED_KINDS = [
  'secrets',
  'paths',
  'file_names',
  'contents',
  'images',
  'hashes',
  'ids',
  'names',
  'unknown_fields',
  'unknown_events',
  'blobs',
] as const;

export type RemovedKind = (typeof REMOVED_KINDS)[number];
export type Removed = Readonly<Record<RemovedKind, number>>;

export class Tally {
  private readonly counts = new Map<RemovedKind, number>();

  add(kind: RemovedKind, count = 1): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + count);
  }

  get removed(): Removed {
    const of = (kind: RemovedKind): number => this.counts.get(kind) ?? 0;
    return {
      secrets: of('secrets'),
      paths: of('paths'),
      file_names: of('file_names'),
      contents: of('contents'),
      images: of('images'),
      hashes: of('hashes'),
      ids: of('ids'),
      names: of('names'),
      unknown_fields: of('unknown_fields'),
      unknown_events: of('unknown_events'),
      blobs: of('blobs'),
    };
  }
}

/** What is known of the machine and must not leave it. */
export interface Surroundings {
  /** Folders of the workspace, as the log and the window name them. */
  readonly workspaces: readonly string[];
  readonly home: string | null;
  readonly user: string | null;
  readonly host: string | null;
  /** Keys of the session that are known as such. */
  readonly secrets: readonly string[];
}

/** Stands for a value: the same for the same value in one bundle, and in no other, because the salt is kept nowhere. */
export type Pseudonym = (kind: string, value: string) => string;

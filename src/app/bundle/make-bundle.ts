import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LogEvent } from '../../runtime/events.ts';
import {
  isAnyChosen,
  type RedactionChoices,
  type Removed,
  type Surroundings,
} from '../../runtime/redaction/choices.ts';
import { namedBodies, namedPaths, namedWorkspaces } from '../../runtime/redaction/named-paths.ts';
import { Redactor } from '../../runtime/redaction/redact.ts';
import { pseudonymsOf, Scrubber } from '../../runtime/redaction/scrubber.ts';
import type { Damage } from '../../storage/log-scan.ts';
import type { SessionStore } from '../../storage/session-store.ts';
import {
  BUNDLE_FORMAT,
  BUNDLE_VERSION,
  bundleLine,
  CHOICES,
  LARGEST_BODIES,
  LARGEST_BUNDLE,
  type BlobLine,
  type Manifest,
} from './bundle-format.ts';

/** A log over this is not even read for a bundle. */
const LARGEST_LOG = 256 * 1024 * 1024;
const MOST_DAMAGE_TOLD = 100;

export interface BundleOptions {
  readonly session_id: string;
  readonly choices: RedactionChoices;
  readonly around: Surroundings;
  readonly app_version: string;
  readonly made_at: string;
  /** Random, and kept nowhere. */
  readonly salt: string;
}

export type MadeBundle =
  | { readonly kind: 'made'; readonly text: string; readonly bytes: number; readonly manifest: Manifest }
  /** It would have so many bytes at least. */
  | { readonly kind: 'too_large'; readonly bytes: number }
  /** There is no line that could be read. */
  | { readonly kind: 'empty' };

/** What would leave, all of it, as one text. Only reads. */
export async function makeBundle(store: SessionStore, options: BundleOptions): Promise<MadeBundle> {
  const read = await readLog(store, options.session_id);
  if (read.kind !== 'read') return read;
  const { events, damage, torn_bytes } = read;
  const around = {
    ...options.around,
    workspaces: [...new Set([...options.around.workspaces, ...events.flatMap(namedWorkspaces)])],
  };
  const pseudonym = pseudonymsOf(store.ports.hasher, options.salt);
  const scrubber = new Scrubber(options.choices, around, pseudonym);
  scrubber.knowPaths(events.flatMap(namedPaths));
  const bodies = await Bodies.read(store, scrubber, events);
  const redactor = new Redactor(scrubber, (blob) => bodies.nameOf(blob));
  const lines = await linesOf(events, redactor);
  if (lines.kind === 'too_large') return lines;
  const rest = lines.text + bodies.lines.map(bundleLine).join('');
  const manifest: Manifest = {
    format: BUNDLE_FORMAT,
    version: BUNDLE_VERSION,
    app_version: options.app_version,
    made_at: options.made_at,
    session_id: lines.session_id,
    removed: CHOICES.filter((choice) => options.choices[choice]),
    counts: { ...scrubber.tally.removed } satisfies Removed,
    events: events.length,
    blobs: bodies.lines.length,
    damaged: damage
      .slice(0, MOST_DAMAGE_TOLD)
      .map(({ line, reason }) => ({ line, reason: reason.slice(0, 300) })),
    torn_bytes,
    sha256: store.ports.hasher.sha256(Buffer.from(rest, 'utf8')),
  };
  const text = bundleLine(manifest) + rest;
  const bytes = Buffer.byteLength(text);
  return bytes > LARGEST_BUNDLE ? { kind: 'too_large', bytes } : { kind: 'made', text, bytes, manifest };
}

/** After so many characters, whatever else this process has to do gets its turn. */
const STRETCH = 256 * 1024;

/** Ends where there is more than a bundle may have: nobody waits for the rest of it. */
async function linesOf(
  events: readonly LogEvent[],
  redactor: Redactor,
): Promise<
  | Extract<MadeBundle, { kind: 'too_large' }>
  | { readonly kind: 'text'; readonly text: string; readonly session_id: string }
> {
  let session_id = '';
  let text = '';
  let bytes = 0;
  let paused = 0;
  for (const event of events) {
    const redacted = redactor.redact(event);
    ({ session_id } = redacted);
    const line = bundleLine(redacted);
    bytes += Buffer.byteLength(line);
    if (bytes > LARGEST_BUNDLE) return { kind: 'too_large', bytes };
    text += line;
    if (text.length - paused < STRETCH) continue;
    paused = text.length;
    await nextTurn();
  }
  return { kind: 'text', text, session_id };
}

type ReadLog =
  | Exclude<MadeBundle, { kind: 'made' }>
  | {
      readonly kind: 'read';
      readonly events: readonly LogEvent[];
      readonly damage: readonly Damage[];
      readonly torn_bytes: number;
    };

async function readLog(store: SessionStore, sessionId: string): Promise<ReadLog> {
  const stored = store.inspect(sessionId);
  try {
    const bytes = await stored.size();
    if (bytes > LARGEST_LOG) return { kind: 'too_large', bytes };
    const events: LogEvent[] = [];
    const { damage, end } = await stored.load({ event: (event) => events.push(event) });
    if (events.length === 0) return { kind: 'empty' };
    return { kind: 'read', events, damage, torn_bytes: end.size - end.offset };
  } finally {
    await stored.close();
  }
}

/** What stands in a bundle for the bodies that its events name. */
class Bodies {
  private readonly names = new Map<string, string>();
  private readonly byName = new Map<string, BlobLine>();
  private room = LARGEST_BODIES;

  private constructor(
    private readonly store: SessionStore,
    private readonly scrubber: Scrubber,
  ) {}

  static async read(store: SessionStore, scrubber: Scrubber, events: readonly LogEvent[]): Promise<Bodies> {
    const bodies = new Bodies(store, scrubber);
    // Of an unknown event nothing is left where contents go.
    const left = events.filter((event) => event.type !== 'unknown' || !scrubber.choices.contents);
    for (const name of new Set(left.flatMap((event) => namedBodies(event.data)))) await bodies.take(name);
    return bodies;
  }

  get lines(): readonly BlobLine[] {
    return [...this.byName.values()];
  }

  /** Every body has a name in the bundle: what is no body of the storage has one that says so. */
  nameOf(blob: string): string {
    return this.names.get(blob) ?? this.keep(blob, '[not there]');
  }

  private async take(blob: string): Promise<void> {
    const bytes = await this.store.blobs.get(blob);
    if (bytes === null) this.keep(blob, '[not there]');
    else this.put(blob, Buffer.from(bytes));
  }

  private put(blob: string, bytes: Buffer): void {
    const { choices, tally } = this.scrubber;
    const text = textOf(bytes);
    if (choices.contents || (text === null && isAnyChosen(choices))) {
      tally.add('blobs');
      this.keep(blob, `[removed: ${bytes.length} bytes #${this.scrubber.short('blob', blob).slice(0, 8)}]`);
    } else if (bytes.length > this.room) {
      tally.add('blobs');
      this.keep(blob, `[left out: ${bytes.length} bytes]`);
    } else {
      this.room -= bytes.length;
      if (text === null) this.add(blob, bytes, { encoding: 'base64', body: bytes.toString('base64') });
      else this.keep(blob, this.scrubber.text(text));
    }
  }

  private keep(blob: string, body: string): string {
    return this.add(blob, Buffer.from(body, 'utf8'), { encoding: 'utf8', body });
  }

  private add(blob: string, bytes: Buffer, line: Omit<BlobLine, 'blob'>): string {
    const name = this.store.ports.hasher.sha256(bytes);
    this.names.set(blob, name);
    this.byName.set(name, { blob: name, ...line });
    return name;
  }
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Null for what is no text. */
function textOf(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  try {
    return strict.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

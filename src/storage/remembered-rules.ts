import type { Clock } from '../runtime/ports.ts';
import type { Remembered } from '../runtime/decisions.ts';
import { jsonLine } from '../runtime/json-line.ts';
import { readWhole, type Disk, type FileStat } from './disk.ts';

/** What a person said "always" to, in this workspace. */
export interface RememberedTexts {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** Lines that cannot be read: what they said is not known, so everything is asked. */
  readonly unreadable: readonly { readonly line: number; readonly text: string }[];
}

const NEWLINE = 0x0a;

const NONE: RememberedTexts = { allow: [], deny: [], unreadable: [] };

/**
 * The rules of a workspace, one a line. A line without its end does not count. Several windows may share the
 * file: it is read again when it has changed.
 */
export class RememberedRules {
  private known: RememberedTexts = NONE;
  private seen: FileStat | null = null;
  /** Where the last whole line ends. */
  private end = 0;

  constructor(
    private readonly disk: Disk,
    private readonly clock: Clock,
    readonly path: string,
  ) {}

  get texts(): RememberedTexts {
    return this.known;
  }

  async load(): Promise<void> {
    const stat = await this.disk.stat(this.path);
    if (stat?.size === this.seen?.size && stat?.identity === this.seen?.identity) return;
    const bytes = await readWhole(this.disk, this.path);
    this.end = bytes === null ? 0 : bytes.lastIndexOf(NEWLINE) + 1;
    this.known = parseLines(new TextDecoder().decode(bytes?.subarray(0, this.end)));
    this.seen = stat;
  }

  /** Durable before it counts. */
  async add({ decision, rules }: Remembered): Promise<void> {
    await this.load();
    const ts = new Date(this.clock.now()).toISOString();
    const lines = rules.map((rule) => `${jsonLine({ v: 1, ts, decision, rule })}\n`).join('');
    const file = await this.disk.open(this.path, 'append');
    try {
      // The last one who wrote died in the middle of it: nobody was told that it counts.
      if (this.end < (this.seen?.size ?? 0)) await file.truncate(this.end);
      await file.append(new TextEncoder().encode(lines));
      await file.sync();
    } finally {
      await file.close();
    }
    await this.load();
  }
}

function parseLines(text: string): RememberedTexts {
  const whole = text.split('\n').slice(0, -1);
  const allow: string[] = [];
  const deny: string[] = [];
  const unreadable: { line: number; text: string }[] = [];
  for (const [at, line] of whole.entries()) {
    const entry = line === '' ? null : parseEntry(line);
    if (entry === undefined) unreadable.push({ line: at + 1, text: line.slice(0, 200) });
    else if (entry !== null) (entry.decision === 'allow' ? allow : deny).push(entry.rule);
  }
  return { allow: [...new Set(allow)], deny: [...new Set(deny)], unreadable };
}

function parseEntry(
  line: string,
): { readonly decision: 'allow' | 'deny'; readonly rule: string } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('decision' in value) || !('rule' in value))
    return undefined;
  const { decision, rule } = value;
  if ((decision !== 'allow' && decision !== 'deny') || typeof rule !== 'string') return undefined;
  return { decision, rule };
}

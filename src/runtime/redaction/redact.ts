import type { KnownEvent, LogEvent, UnknownEvent } from '../events.ts';
import { parsed } from '../loose-fields.ts';
import { isAnyChosen } from './choices.ts';
import { EVENT_RULES } from './event-rules.ts';
import {
  ARGUMENTS,
  COMMAND,
  ENDPOINTS,
  isTime,
  isType,
  isWord,
  MODEL,
  OWN_ID,
  TOOLS,
  VERSION,
} from './kept-words.ts';
import { isBodyName } from './named-paths.ts';
import type { Fields, Rule } from './rules.ts';
import type { Scrubber } from './scrubber.ts';
import { isObject, isPlain, nameIn, put } from './shapes.ts';

/** Fields for which a bundle would be refused by whoever imports it: no event has them with its bodies in place. */
const NEVER_TAKEN: ReadonlySet<string> = new Set(['__proto__', 'blob_bodies']);

/** The line of an event, as an object. */
export interface RedactedEvent {
  readonly v: number;
  readonly id: string;
  readonly session_id: string;
  readonly seq: number;
  readonly ts: string;
  readonly type: string;
  readonly data: unknown;
}

/**
 * Pure and total: what may leave of an event, for every event and whatever a log has in its fields. Seqs, types, times and the
 * shape of events stay, so that whatever folds a log folds this one as well.
 */
export class Redactor {
  private readonly kept: boolean;

  constructor(
    private readonly scrubber: Scrubber,
    /** The name of what stands for a body in the bundle; null where nothing does. */
    private readonly bodyOf: (blob: string) => string | null,
  ) {
    this.kept = !isAnyChosen(scrubber.choices);
  }

  /** As the line of a log has it: an unknown event under its own type. */
  redact(event: LogEvent): RedactedEvent {
    const { v, seq } = event;
    const envelope = {
      v,
      id: this.id(event.id),
      session_id: this.id(event.session_id),
      seq,
      ts: time(event.ts),
    };
    if (event.type === 'unknown') return { ...envelope, ...this.unknown(event) };
    return { ...envelope, type: event.type, data: this.data(event) };
  }

  private data(event: KnownEvent): Readonly<Record<string, unknown>> {
    return this.fields(EVENT_RULES[event.type], { ...event.data });
  }

  private unknown({ data }: UnknownEvent): { readonly type: string; readonly data: unknown } {
    const { original_type, original } = data;
    if (this.scrubber.choices.contents) {
      this.scrubber.tally.add('unknown_events');
      return { type: `unknown_${this.scrubber.short('type', original_type)}`, data: {} };
    }
    const type = this.scrubber.text(original_type);
    // A name that became one that is known would be read as something that it never was.
    return {
      type: Object.hasOwn(EVENT_RULES, type) && type !== original_type ? `unknown_${type}` : type,
      data: this.deep(original),
    };
  }

  private fields(rules: Fields, value: object): Readonly<Record<string, unknown>> {
    const clean: Record<string, unknown> = {};
    for (const [name, one] of Object.entries(value)) {
      const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
      if (rule === undefined) this.beyond(clean, name, one);
      else put(clean, name, this.value(rule, one));
    }
    return clean;
  }

  /** A field that the vocabulary does not have. */
  private beyond(clean: Record<string, unknown>, name: string, value: unknown): void {
    const { choices, tally } = this.scrubber;
    if (choices.contents || NEVER_TAKEN.has(name)) return tally.add('unknown_fields');
    put(clean, this.scrubber.text(name), this.deep(value));
  }

  private value(rule: Rule, value: unknown): unknown {
    if (value === undefined) return value;
    if (this.kept)
      return rule === 'blob' && typeof value === 'string' ? this.bodyOf(value) : this.deep(value);
    if (typeof rule === 'object') return this.nested(rule, value);
    switch (rule) {
      case 'number':
        return isPlain(value) ? value : this.content(value);
      case 'none':
        return undefined;
      case 'json':
        return this.json(value);
      case 'item':
        return this.item(value);
      case 'image':
        return this.image(value);
      case 'word':
      case 'id':
      case 'hash':
      case 'key':
      case 'time':
      case 'text':
      case 'path':
      case 'name':
      case 'model':
      case 'endpoint':
      case 'version':
      case 'branch':
      case 'command':
      case 'type':
      case 'args':
      case 'blob':
        if (value === null) return null;
        return typeof value === 'string' ? this.words(rule, value) : this.content(value);
    }
  }

  private nested(rule: Extract<Rule, object>, value: unknown): unknown {
    if (value === null) return null;
    if ('list' in rule)
      return Array.isArray(value)
        ? value.map((one: unknown) => this.value(rule.list, one) ?? null)
        : this.content(value);
    if (!isObject(value)) return this.content(value);
    if ('object' in rule) return this.fields(rule.object, value);
    const counts: Record<string, unknown> = {};
    for (const [name, count] of Object.entries(value))
      if (typeof count === 'number') put(counts, String(this.value(rule.counts, name)), count);
    return counts;
  }

  private words(rule: Exclude<Rule, object>, text: string): string | null {
    switch (rule) {
      case 'word':
        return isWord(text) ? text : this.scrubber.content(text);
      case 'type':
        return isType(text) ? text : this.scrubber.content(text);
      case 'version':
        return VERSION.test(text) ? text : this.scrubber.content(text);
      case 'command':
        return COMMAND.test(text) ? text : 'removed';
      case 'time':
        return isTime(text) ? text : this.scrubber.content(text);
      case 'id':
        return this.id(text);
      case 'hash':
        this.scrubber.tally.add('hashes');
        return this.scrubber.digits(text);
      case 'key':
        return this.named('key', text);
      case 'name':
        return TOOLS.has(text) ? text : this.named('tool', text);
      case 'model':
        return MODEL.test(text) ? text : this.named('model', text);
      case 'endpoint':
        return ENDPOINTS.has(text) ? text : this.named('endpoint', text);
      case 'branch': {
        const { contents, paths } = this.scrubber.choices;
        return contents || paths ? this.named('branch', text) : this.scrubber.text(text);
      }
      case 'path':
        return this.scrubber.path(text);
      case 'args':
        return this.args(text);
      case 'blob':
        return this.bodyOf(text);
      case 'text':
      case 'number':
      case 'json':
      case 'item':
      case 'image':
      case 'none':
        return this.scrubber.content(text);
    }
  }

  /** A name that only has to stay equal to itself. */
  private named(kind: string, text: string): string {
    this.scrubber.tally.add('names');
    return `${kind}_${this.scrubber.short(kind, text)}`;
  }

  /** Ids that the program makes say nothing. Others may be anybody's words: a call's, a step's, a workflow's. */
  private id(text: string): string {
    if (this.kept || OWN_ID.test(text) || text === '') return text;
    this.scrubber.tally.add('ids');
    return `id_${this.scrubber.short('id', text)}`;
  }

  /** Something of another kind than the field should have. */
  private content(value: unknown): unknown {
    if (typeof value === 'string') return this.scrubber.content(value);
    return this.json(value);
  }

  private json(value: unknown): unknown {
    if (value === null || !this.scrubber.choices.contents) return this.deep(value);
    if (typeof value === 'boolean') return value;
    return this.scrubber.content(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
  }

  /** Everything in it that is text, names of fields as well, without what was chosen; bodies by their names in the bundle. */
  private deep(value: unknown): unknown {
    if (typeof value === 'string') return this.scrubber.text(value);
    if (Array.isArray(value)) return value.map((one: unknown) => this.deep(one));
    if (!isObject(value)) return value;
    const clean: Record<string, unknown> = {};
    for (const [name, one] of Object.entries(value)) {
      if (NEVER_TAKEN.has(name)) {
        this.scrubber.tally.add('unknown_fields');
        continue;
      }
      // Of a pair, the name is what the other field says.
      const told = name === 'value' ? nameIn(value) : null;
      put(clean, this.scrubber.text(name), this.deepUnder(told ?? name, one));
    }
    return clean;
  }

  private deepUnder(name: string, value: unknown): unknown {
    if (isBodyName(name, value)) return this.bodyOf(value);
    // A value is judged with its name, which may be what tells that it is a secret.
    if (typeof value === 'string' || typeof value === 'number') return this.scrubber.under(name, value);
    return typeof value === 'object' && value !== null && this.scrubber.hides(name)
      ? this.hidden(value)
      : this.deep(value);
  }

  /** Every text in it is a secret, or a part of one. */
  private hidden(value: unknown): unknown {
    if (typeof value === 'string') return this.scrubber.secret();
    if (Array.isArray(value)) return value.map((one: unknown) => this.hidden(one));
    if (!isObject(value)) return value;
    const clean: Record<string, unknown> = {};
    for (const [name, one] of Object.entries(value)) put(clean, this.scrubber.text(name), this.hidden(one));
    return clean;
  }

  private args(text: string): string {
    const value = parsed(text);
    const { contents } = this.scrubber.choices;
    if (!isObject(value)) return this.scrubber.content(text);
    if (!contents) {
      const clean = JSON.stringify(this.deep(value));
      return clean === JSON.stringify(value) ? text : clean;
    }
    const clean: Record<string, unknown> = {};
    for (const [name, one] of Object.entries(value)) {
      const rule = ARGUMENTS.get(name);
      if (rule === undefined) this.scrubber.tally.add('unknown_fields');
      else put(clean, name, this.value(rule, one));
    }
    return JSON.stringify(clean);
  }

  /** What the provider encrypted cannot be looked into, so it goes with whatever else goes. */
  private item(value: unknown): unknown {
    this.scrubber.tally.add('contents');
    if (this.scrubber.choices.contents || !isObject(value)) return { type: 'reasoning', summary: [] };
    const { encrypted_content: opaque, ...rest } = { encrypted_content: null, ...value };
    return this.deep(opaque === null ? rest : { ...rest, encrypted_content: null });
  }

  private image(value: unknown): unknown {
    if (!this.scrubber.choices.contents) return value;
    this.scrubber.tally.add('images');
    return undefined;
  }
}

function time(ts: string): string {
  return isTime(ts) ? ts : '1970-01-01T00:00:00.000Z';
}

import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkEvent } from '../../../src/runtime/event-line.ts';
import type { EventType, LogEvent } from '../../../src/runtime/events.ts';
import { EVERYTHING, type RedactionChoices } from '../../../src/runtime/redaction/choices.ts';
import { EVENT_RULES } from '../../../src/runtime/redaction/event-rules.ts';
import { Redactor } from '../../../src/runtime/redaction/redact.ts';
import type { Fields, Rule } from '../../../src/runtime/redaction/rules.ts';
import { pseudonymsOf, Scrubber } from '../../../src/runtime/redaction/scrubber.ts';
import { applyToSession, emptySession } from '../../../src/runtime/session-state.ts';
import { turnState } from '../../../src/runtime/turn.ts';
import { made, numbered, oneOfEach, unknown } from '../../support/made-events.ts';
import { legalLog } from '../replay/legal-log.ts';
import { story } from '../replay/legal-story.ts';
import { searchRuns } from '../../support/search-runs.ts';

const GENERATED = { timeout: searchRuns(60_000) };
const HASHER = { sha256: (text: string) => createHash('sha256').update(text).digest('hex') };
const AROUND = {
  workspaces: ['/home/jane/code/acme'],
  home: '/home/jane',
  user: 'jane',
  host: 'janes-laptop',
  secrets: ['known-secret-of-the-session'],
};

function redactor(choices: RedactionChoices, salt = 'salt'): { redact: Redactor; scrubber: Scrubber } {
  const scrubber = new Scrubber(choices, AROUND, pseudonymsOf(HASHER, salt));
  return { scrubber, redact: new Redactor(scrubber, (blob) => HASHER.sha256(`${salt}${blob}`)) };
}

function redacted(event: LogEvent, choices = EVERYTHING, salt?: string): Record<string, unknown> {
  return { ...redactor(choices, salt).redact.redact(event) };
}

const TOKEN = 'PLANTED7f3a Zebra';

/** A value of every field that a rule names, each of them told by nobody but the log. */
function planted(rule: Rule): unknown {
  if (typeof rule === 'string')
    return rule === 'args' ? JSON.stringify({ path: TOKEN, [TOKEN]: TOKEN }) : TOKEN;
  if ('list' in rule) return [planted(rule.list)];
  if ('counts' in rule) return { [TOKEN]: 1 };
  return allFields(rule.object);
}

function allFields(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, rule]) => [name, planted(rule)]));
}

const TYPES = Object.keys(EVENT_RULES) as EventType[];

const states = (events: readonly LogEvent[]): readonly unknown[] => {
  let state = emptySession('s1');
  return events.map((event) => {
    state = applyToSession(state, event);
    return state.turn === null ? null : turnState(state.turn);
  });
};

describe('a bundle without secrets, paths, names and contents', () => {
  it('has a rule for every type and every field that tests know of', () => {
    const samples = oneOfEach();
    expect(new Set(TYPES)).toEqual(new Set(Object.keys(samples)));
    const missing = Object.entries(samples).flatMap(([type, { data }]) =>
      Object.keys(data).filter((field) => !Object.hasOwn(EVENT_RULES[type as EventType], field)),
    );
    expect(missing).toEqual([]);
  });

  it.each(TYPES)('lets nothing out of any field of %s, whatever is in it', (type) => {
    const data = allFields(EVENT_RULES[type]);
    const event = made(type, 7, data as never);
    const text = JSON.stringify(redacted({ ...event, id: TOKEN, session_id: TOKEN, ts: TOKEN }));
    expect(text).not.toContain('PLANTED');
    expect(text).not.toContain('Zebra');
  });

  it.each(TYPES)('lets no field of %s out that the vocabulary does not have', (type) => {
    const sample = oneOfEach()[type];
    const data = { ...sample.data, later_field: TOKEN, [TOKEN]: { deep: TOKEN } };
    const clean = redacted({ ...sample, data } as LogEvent);
    expect(JSON.stringify(clean)).not.toContain('PLANTED');
    expect(Object.keys(clean['data'] as object)).not.toContain('later_field');
  });

  it('lets nothing out of an event of a later version but that it was there', () => {
    const clean = redacted(unknown(3, `${TOKEN}_happened`, { what: TOKEN }));
    expect(clean).toEqual({
      v: 2,
      id: expect.stringMatching(/^id_[0-9a-f]{10}$/),
      session_id: expect.stringMatching(/^id_[0-9a-f]{10}$/),
      seq: 3,
      ts: '2026-01-01T00:00:00.000Z',
      type: expect.stringMatching(/^unknown_[0-9a-f]{10}$/),
      data: {},
    });
  });

  it('lets nothing out of fields that hold something of another kind than they should', GENERATED, () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<unknown>(TOKEN, null, 3, true, `${TOKEN}\n`, `{"a":"${TOKEN}"}`),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', '__proto__', 'text', 'path', 'command', TOKEN), tie('any'), {
          maxKeys: 3,
        }),
      ),
    })).any;
    const fields = fc.constantFrom(...TYPES).chain((type) =>
      fc.record({
        type: fc.constant(type),
        data: fc.dictionary(fc.constantFrom(...Object.keys(EVENT_RULES[type])), value, { maxKeys: 6 }),
      }),
    );
    fc.assert(
      fc.property(fields, ({ type, data }) => {
        const text = JSON.stringify(redacted(made(type, 1, data as never)));
        return !text.includes('PLANTED') && !text.includes('Zebra');
      }),
      { seed: 45, numRuns: searchRuns(1500) },
    );
  });

  it('keeps the shape of every event, so that it is read as what it was', () => {
    for (const event of Object.values(oneOfEach())) {
      const read = checkEvent(redacted(event));
      expect([event.type, read]).toEqual([event.type, expect.objectContaining({ ok: true })]);
      expect(read.ok && read.event.type).toBe(event.type);
    }
  });

  it('leaves every turn in the state that it was in', GENERATED, () => {
    fc.assert(
      fc.property(story, (told) => {
        const events = numbered(legalLog(told).events);
        const { redact } = redactor(EVERYTHING);
        const clean = events.map((event) => {
          const read = checkEvent({ ...redact.redact(event) });
          if (!read.ok) throw new Error(read.reason);
          return read.event;
        });
        expect(states(clean)).toEqual(states(events));
      }),
      { seed: 45, numRuns: searchRuns(150) },
    );
  });
});

describe('what stands for something that was removed', () => {
  const change = made('file_change', 1, {
    ...oneOfEach().file_change.data,
    path: 'src/acme.ts',
    before_sha256: HASHER.sha256('1234'),
    after_sha256: HASHER.sha256('1234'),
  });

  it('is the same for the same thing in one bundle, and another in another', () => {
    const [one, again, other] = [redacted(change), redacted(change), redacted(change, EVERYTHING, 'other')];
    expect(again).toEqual(one);
    const data = one['data'] as Record<string, string>;
    expect(data['before_sha256']).toBe(data['after_sha256']);
    expect(data['before_sha256']).toMatch(/^[0-9a-f]{64}$/);
    expect((other['data'] as Record<string, string>)['before_sha256']).not.toBe(data['before_sha256']);
  });

  it('is no hash that could be found by trying short contents', () => {
    const text = JSON.stringify(redacted(change, { ...EVERYTHING, contents: false }));
    expect(text).not.toContain(HASHER.sha256('1234'));
  });

  it('says how long a text was, and nothing for one that said nothing', () => {
    const { user_message } = oneOfEach();
    const say = (text: string): unknown =>
      (redacted({ ...user_message, data: { ...user_message.data, text } })['data'] as { text: string }).text;
    expect(say('hello')).toMatch(/^\[removed: 5 characters #[0-9a-f]{8}\]$/);
    expect(say(' \n')).toBe(' \n');
  });

  it('keeps of a file what kind it is, and of arguments where they were about', () => {
    const data = redacted(change)['data'] as { path: string };
    expect(data.path).toMatch(/^name_[0-9a-f]{10}\/name_[0-9a-f]{10}\.ts$/);
    const call = oneOfEach().tool_call;
    const args = JSON.stringify({ path: 'src/acme.ts', start_line: 3, content: 'x' });
    const clean = redacted({ ...call, data: { ...call.data, args } })['data'] as { args: string };
    expect(JSON.parse(clean.args)).toEqual({
      path: data.path,
      start_line: 3,
      content: expect.stringMatching(/^\[removed: 1 characters /),
    });
  });

  it('goes with all that is under the name of a secret, and with the value of a pair', () => {
    const secrets = { secrets: true, paths: false, file_names: false, contents: false };
    const { diagnostic } = oneOfEach();
    const details = {
      passwords: ['Zebra', { old: 'Zebra', tries: 2 }],
      env: [{ name: 'DB_PASSWORD', value: 'Zebra' }],
      plain: [{ name: 'COLOUR', value: 'green' }],
    };
    expect(redacted({ ...diagnostic, data: { ...diagnostic.data, details } }, secrets)['data']).toMatchObject(
      {
        details: {
          passwords: ['[secret removed]', { old: '[secret removed]', tries: 2 }],
          env: [{ name: 'DB_PASSWORD', value: '[secret removed]' }],
          plain: [{ name: 'COLOUR', value: 'green' }],
        },
      },
    );
  });

  it('is nothing where nothing was chosen', () => {
    const nothing = { secrets: false, paths: false, file_names: false, contents: false };
    for (const event of Object.values(oneOfEach()))
      expect(redacted(event, nothing)).toEqual({ ...event, data: { ...event.data } });
  });
});

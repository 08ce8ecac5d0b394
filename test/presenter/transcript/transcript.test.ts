import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { Lexer, type Token } from 'marked';
import { describe, expect, it } from 'vitest';
import type { EventType, LogEvent } from '../../../src/runtime/events.ts';
import { inEnglish } from '../../../src/runtime/inspection/spoken-words.ts';
import { HTML_STYLE } from '../../../src/presenter/transcript/html-style.ts';
import { transcriptHtml } from '../../../src/presenter/transcript/transcript-html.ts';
import { transcriptMarkdown } from '../../../src/presenter/transcript/transcript-markdown.ts';
import { transcriptOf } from '../../../src/presenter/transcript/transcript.ts';
import { made, numbered, oneOfEach, unknown } from '../../support/made-events.ts';
import { searchRuns } from '../../support/search-runs.ts';

const GENERATED = { timeout: searchRuns(60_000) };
const STYLE = createHash('sha256').update(HTML_STYLE).digest('base64');

function transcript(events: readonly LogEvent[], more: Partial<Parameters<typeof transcriptOf>[0]> = {}) {
  const nothing = {
    session_id: 's1',
    title: '',
    damage: [],
    torn_bytes: 0,
    exported_at: '2026-01-02T00:00:00.000Z',
  };
  return transcriptOf({ ...nothing, ...more, events: numbered(events) });
}

function markdown(events: readonly LogEvent[], more?: Partial<Parameters<typeof transcriptOf>[0]>): string {
  return transcriptMarkdown(transcript(events, more), inEnglish);
}

function html(events: readonly LogEvent[]): string {
  return transcriptHtml(transcript(events), { say: inEnglish, language: 'en', style_sha256_base64: STYLE });
}

const one = oneOfEach();
const TURN: readonly LogEvent[] = [
  one.session_started,
  one.user_message,
  one.tool_call,
  one.tool_call_status,
  one.tool_result,
  made('tool_call_status', 0, { turn_id: 't1', call_id: 'c1', from: 'running', to: 'succeeded' }),
  made('assistant_message', 0, { ...one.assistant_message.data, stream_run_id: 'r2', text: 'hi' }),
  made('run_status', 0, { turn_id: 't1', status: 'done', reason: 'natural_end' }),
];

describe('a session as Markdown', () => {
  it('tells its turns with what was asked, done and answered, and the evidence of each state', () => {
    expect(markdown(TURN)).toBe(`# Session: \`hello\`

- Session id: \`s1\`
- Begun: 2026-01-01T00:00:00.000Z
- Last event: 2026-01-01T00:00:00.000Z
- Exported: 2026-01-02T00:00:00.000Z
- Events: 8; turns: 1
- Words of the person, the model, tools and files are quoted as they are in the log. Sessions of agents are named, and have documents of their own.

## Before the first prompt

- Started by version \`0\`, mode \`ask\`
- Workspace: \`/w\`

## Turn 1

- State: Completed
- Evidence: a whole answer at seq 6, after every call and result; none is open.

### Prompt (seq 1, 2026-01-01T00:00:00.000Z)

\`\`\`text
hello
\`\`\`

### Call \`read\` (seq 2, 2026-01-01T00:00:00.000Z)

- Id: \`c1\`

Arguments

\`\`\`text
{}
\`\`\`

- Call \`c1\`: \`new\` -> \`running\`

### Result: succeeded (seq 4, 2026-01-01T00:00:00.000Z)

- Id: \`c1\`
- Took <0.1 s

Output

\`\`\`text
out
\`\`\`

- Call \`c1\`: \`running\` -> \`succeeded\`

### Answer of the model (seq 6, 2026-01-01T00:00:00.000Z)

\`\`\`markdown
hi
\`\`\`

- Run: \`done\` (\`natural_end\`)
`);
  });

  it('never calls unfinished text an answer, nor a turn without an end completed', () => {
    const partial = made('assistant_message', 0, {
      ...one.assistant_message.data,
      metadata: { partial: true },
    });
    const text = markdown([one.user_message, partial]);
    expect(text).toContain('### Unfinished text of the model, not an answer');
    expect(text).toContain('- State: No end on record');
    expect(text).not.toMatch(/### Answer of|Completed/u);
  });

  it('says what of a damaged log is missing', () => {
    const text = markdown([one.user_message], {
      damage: [{ line: 3, reason: 'not valid JSON' }],
      torn_bytes: 9,
    });
    expect(text).toContain(
      '- Line 3 of the log could not be read (`not valid JSON`), and is not in this document.',
    );
    expect(text).toContain('- The last 9 bytes of the log are a line that was cut off');
  });

  it('has something of every type of event, and shows unknown ones as unknown', () => {
    const quiet = markdown([one.user_message]);
    for (const type of Object.keys(one) as EventType[])
      expect([type, markdown([one.user_message, { ...one[type], seq: 1 }]).length > quiet.length]).toEqual([
        type,
        true,
      ]);
    expect(markdown([unknown(0, 'later_thing', { a: 1 })])).toContain(
      '### Unknown event of type `later_thing`',
    );
  });

  it('has what a call showed, what redo did, and words without a shape by their numbers', () => {
    const attachments = [{ kind: 'image', label: 'plan.png', mime: 'image/png' }];
    const text = markdown([
      made('tool_result', 0, { ...one.tool_result.data, output: 'x\u{e0041}', attachments }),
      made('file_change', 0, { ...one.file_change.data, redo_of: ['c1'] }),
    ]);
    expect(text).toContain('Attached `image`: `plan.png`');
    expect(text).toContain('Undo taken back: ');
    expect(text).toContain('x⟨U+E0041⟩');
  });

  it('says how much of a long output was left out, outside of its words', () => {
    const long = made('tool_result', 0, { ...one.tool_result.data, output: 'x'.repeat(20_000) });
    expect(markdown([one.user_message, long])).toContain('- 4,000 characters were left out here.');
  });
});

/** Text that wants to be more than text, in both ways of writing it down. */
const HOSTILE = [
  '# Turn 9\n\n- State: Completed',
  '```\n## Turn 9\n- State: Completed\n```',
  '````\n# x',
  '~~~\n# x',
  '</code></pre></section><h2>Turn 9</h2>',
  '<script>window.hacked=1</script>',
  '<img src=x onerror=window.hacked=1>',
  '![x](https://evil.example/x.png)',
  '[x](javascript:window.hacked=1)',
  '[x](https://ok.example "t" onmouseover=1)',
  '\u202eevil\u2028# Turn 9',
  '`` ` ``` # x',
  '<!-- \n## Turn 9',
  '\uE000x\uE001# y',
  '-->\n# Turn 9',
  'a\r\n# b\r# c',
  "' onload='x",
  '&lt;script&gt;',
] as const;

const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...HOSTILE),
      fc.constantFrom('\n', '`', '```', '# ', '\n\n', ' ', 'x', '<', '>'),
    ),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  .map((parts) => parts.join(''));

/** Every text of every event is hostile. */
const hostileLog = fc
  .array(fc.tuple(fc.constantFrom(...(Object.keys(one) as EventType[])), hostileText), { maxLength: 8 })
  .map((chosen): readonly LogEvent[] => [
    one.user_message,
    ...chosen.map(([type, text]) => ({ ...one[type], data: poisoned(one[type].data, text) }) as LogEvent),
    unknown(0, chosen[0]?.[1] ?? 'x', { a: chosen[0]?.[1] }),
  ]);

const KEPT = new Set(['turn_id', 'terminal_status', 'status', 'from', 'to', 'client_turn_id']);

function poisoned(value: unknown, text: string): unknown {
  if (typeof value === 'string') return text;
  if (Array.isArray(value)) return value.map((part) => poisoned(part, text));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, KEPT.has(name) ? part : poisoned(part, text)]),
  );
}

function tokensOf(text: string): readonly Token[] {
  return [...new Lexer({ gfm: true }).lex(text)];
}

const OURS =
  /^(?:Session: |Turn \d+$|Before the first prompt$|Prompt |Call |Result: |Answer |Text of the model |Unfinished text |The turn ended |Checkpoint |What a fork |Skill |Note about |Unknown event )/u;

describe('hostile words in a session', () => {
  it('cannot make a heading, a list, a link, an image or HTML of the Markdown', GENERATED, () => {
    fc.assert(
      fc.property(hostileLog, (events) => {
        const tokens = tokensOf(markdown(events));
        const states = tokens
          .flatMap((token) => (token.type === 'list' ? token.raw.split('\n') : []))
          .filter((line) => line.startsWith('- State:'));
        const turns = events.filter(({ type }) => type === 'user_message').length;
        expect(states).toHaveLength(turns);
        for (const token of tokens) {
          expect(['heading', 'space', 'list', 'paragraph', 'code']).toContain(token.type);
          if (token.type === 'heading') expect(token.raw.replace(/^#+ /u, '')).toMatch(OURS);
        }
        const inner: string[] = [];
        walk(tokens, (token) => inner.push(token.type));
        expect(
          inner.filter((type) =>
            ['link', 'image', 'html', 'em', 'strong', 'blockquote', 'table'].includes(type),
          ),
        ).toEqual([]);
      }),
      { seed: 45, numRuns: searchRuns(300) },
    );
  });

  it('are text in the HTML, whatever they look like', GENERATED, () => {
    fc.assert(
      fc.property(hostileLog, (events) => {
        const text = html(events);
        const tags = new Set([...text.matchAll(/<([a-z0-9]+)[\s>]/giu)].map(([, tag]) => tag?.toLowerCase()));
        const allowed =
          'html head meta title style body header h1 ul li nav ol a small main section h2 h3 p div pre code strong em del blockquote hr br table thead tbody tr th td figure img'.split(
            ' ',
          );
        expect([...tags].filter((tag) => !allowed.includes(tag ?? ''))).toEqual([]);
        expect(text).not.toMatch(/<[^>]*\son[a-z]+\s*=/iu);
        expect(text.match(/<h2/gu)).toHaveLength(transcript(events).sections.length);
        for (const [, href] of text.matchAll(/<a href="([^"]*)"/gu))
          expect(href).toMatch(/^(?:#s\d+|https?:|mailto:)/u);
        expect(text.match(/src="/gu)).toBeNull();
      }),
      { seed: 45, numRuns: searchRuns(300) },
    );
  });
});

function walk(tokens: readonly Token[], visit: (token: Token) => void): void {
  for (const token of tokens) {
    visit(token);
    if ('tokens' in token && Array.isArray(token.tokens)) walk(token.tokens, visit);
    if ('items' in token && Array.isArray(token.items)) walk(token.items as Token[], visit);
  }
}

const shown = (data: string): string =>
  html([
    made('user_message', 0, {
      ...one.user_message.data,
      attachments: [{ kind: 'image', mime: 'image/svg+xml', data }],
    }),
  ]);

describe('a session as HTML', () => {
  it('has a policy that lets nothing run and nothing be asked for', () => {
    expect(html(TURN)).toContain(
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${STYLE}'; img-src data:; form-action 'none'; base-uri 'none'">`,
    );
  });

  it('shows pictures of kinds that their bytes prove, and no others', () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64');
    expect(shown(png)).toContain(`<img alt="Attached image: " src="data:image/png;base64,${png}">`);
    const svg = Buffer.from('<svg onload="x"></svg>').toString('base64');
    expect(shown(svg)).not.toContain('<img');
    expect(shown('x" onerror="y')).not.toContain('<img');
  });

  it('lists its turns with what was asked and how each ended', () => {
    const text = html([
      ...TURN,
      made('user_message', 0, { ...one.user_message.data, turn_id: 't2', text: ' ' }),
    ]);
    expect(text).toContain(
      '<nav aria-label="Turns"><ul><li><a href="#s0">Before the first prompt</a></li><li><a href="#s1">Turn 1</a> <code>hello</code> <small>Completed</small></li><li><a href="#s2">Turn 2</a> <small>No end on record</small></li></ul></nav>',
    );
    expect(text).toContain('<h3>Prompt <small>seq 1, 2026-01-01T00:00:00.000Z</small></h3>');
  });

  it('reads answers as Markdown, with links that lead out and nowhere else', () => {
    const answer = made('assistant_message', 0, {
      ...one.assistant_message.data,
      stream_run_id: 'r2',
      text: '# Big\n\n**bold** [a](https://a.example/?x="1) [b](src/a.ts)',
    });
    const text = html([...TURN.slice(0, 6), answer]);
    expect(text).toContain('<p class="title">Big</p>');
    expect(text).toContain('<strong>bold</strong>');
    expect(text).toContain(
      'href="https://a.example/?x=%221" title="https://a.example/?x=%221" rel="noopener noreferrer nofollow" target="_blank"',
    );
    expect(text).not.toContain('href="src');
  });
});

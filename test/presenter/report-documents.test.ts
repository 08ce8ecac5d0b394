import { describe, expect, it } from 'vitest';
import { diagnosisDocument } from '../../src/presenter/diagnosis-document.ts';
import { excerpt, ReportText, type Report } from '../../src/presenter/report-text.ts';
import { requestDocument } from '../../src/presenter/request-document.ts';
import type { Say } from '../../src/presenter/speech.ts';
import type { LogEvent } from '../../src/runtime/events.ts';
import { DiagnosisFold, type LogFacts } from '../../src/runtime/inspection/diagnosis.ts';
import { requestReport } from '../../src/runtime/inspection/request-report.ts';
import { inEnglish } from '../../src/runtime/inspection/spoken-words.ts';
import { AgentBench } from '../support/agent-bench.ts';
import { asks, NOTHING, spawn } from '../support/cast-provider.ts';
import { dataOf, ofChild, placeOf } from '../support/changed-log.ts';
import { SOUND } from '../support/log-facts.ts';
import { made, oneOfEach, usage } from '../support/made-events.ts';
import { reportSession } from '../support/report-session.ts';

function linked({ text: all, links }: Report): readonly string[] {
  return links.map(({ offset, length, target }) => {
    const to =
      target.kind === 'raw' ? 'raw' : `${target.action.command} ${JSON.stringify(target.action.args)}`;
    return `${all.slice(offset, offset + length)} -> ${to}`;
  });
}

describe('the document of a request', () => {
  it('reads from top to bottom: what, of what, new, shared, left out', async () => {
    const bench = await reportSession();
    const report = requestReport('s1', bench.events, 14);
    const input = { ...report.input, ahead_tokens_estimate: 400 };
    const { text: all } = requestDocument(
      { ...report, prompt_cache_key: 'll1:key', input },
      'past',
      inEnglish,
    );
    expect(all).toMatchInlineSnapshot(`
      "# Request

      Session           s1
      Made of           the log up to seq 14
      On record         seq 17
      Request before    seq 10
      Request after     the next request
      Model             test-model
      Endpoint          https://models.test/v1
      Prompt contract   ll1
      Cache key         ll1:key
      Input             7 items, 621 bytes, about 156 tokens (estimate)
      Before the input  about 400 tokens of instructions and tools (estimate)
      Shared prefix     all 5 items of the previous request, 454 bytes, about 114 tokens (estimate)
      Left out          8 events
      Problems          none
      Raw JSON          Open

      ## What came of it

      Transport          none: the offline model
      Attempts           1
      Continuation       none: everything was sent
      Tokens             unknown
      From the cache     unknown
      Context window     1,000 tokens
      Cache diagnosis    none from the endpoint
      End of the answer  unknown
      Time               <0.1 s to the first token, <0.1 s in all

      ## New in this request: 2 items

      ### 5. assistant message
      From seq 11 assistant_message, 87 bytes, about 22 tokens (estimate)
      \`\`\`text
      Done.
      \`\`\`

      ### 6. user message
      From seq 14 user_message, 80 bytes, about 20 tokens (estimate)
      \`\`\`text
      Two.
      \`\`\`

      ## Shared with the previous request: 5 items

      ### 0. developer message
      From seq 1 developer_context, 144 bytes, about 36 tokens (estimate)
      \`\`\`text
      Workspace root: "/w"
      Branch: "main"
      Permission mode: auto
      \`\`\`

      ### 1. user message
      From seq 2 user_message, 80 bytes, about 20 tokens (estimate)
      \`\`\`text
      One.
      \`\`\`

      ### 2. reasoning
      From seq 4 reasoning, 76 bytes, about 19 tokens (estimate)
      \`\`\`text
      {
        "id": "rs_1",
        "type": "reasoning",
        "summary": [],
        "encrypted_content": "enc-rs_1"
      }
      \`\`\`

      ### 3. function_call read (c1)
      From seq 5 tool_call, 84 bytes, about 21 tokens (estimate)
      \`\`\`text
      {"path":"a"}
      \`\`\`

      ### 4. function_call_output (c1)
      From seq 9 tool_result, 70 bytes, about 18 tokens (estimate)
      \`\`\`text
      content of a
      \`\`\`

      ---- The shared prefix ends here: all 5 items of the previous request.

      ## Left out: 8 events

      ### Audit: evidence of what happened, never sent (8)
      - session_started: seq 0
      - run_status: seq 3, seq 13
      - provider_usage: seq 6, seq 12
      - permission_decision: seq 7
      - tool_call_status: seq 8, seq 10

      ## Requests of this session: 3

      - seq 15: this one, round 1, test-model, input unknown, output unknown, prefix whole
      - seq 10: round 2, test-model, input 100, cached 40, output 10, prefix whole
      - seq 3: round 1, test-model, input 100, cached 40, output 10

      "
    `);
  });

  it('says what a new session would send', () => {
    expect(requestDocument(requestReport('s1', [], null), 'next', inEnglish).text).toMatchInlineSnapshot(`
      "# Next request

      Session           s1
      Made of           an empty log
      On record         nothing yet: what is counted here is estimated
      Model             not known: no request is on record yet
      Endpoint          not known: no request is on record yet
      Prompt contract   not known: no request is on record yet
      Cache key         not known: no request is on record yet
      Input             0 items, 0 bytes, about 0 tokens (estimate)
      Shared prefix     none: there is no request before it
      Left out          0 events
      Problems          none
      Raw JSON          Open

      ## Input: 0 items

      Nothing yet: a new request begins with the next message.

      ## Left out: 0 events

      "
    `);
  });

  it('marks where the shared prefix ends, and why it breaks', () => {
    const { user_message, tool_call, tool_result, assistant_message } = oneOfEach();
    const stream = { turn_id: 't1', stream_run_id: 'r2' };
    const log: readonly LogEvent[] = [
      { ...user_message, seq: 0 },
      { ...tool_call, seq: 1 },
      made('assistant_message', 2, { ...assistant_message.data, ...stream, text: 'Meanwhile.' }),
      made('provider_usage', 3, usage(stream)),
      { ...tool_result, seq: 4 },
    ];
    const report = requestReport('s1', log, null);
    expect(report.shared_prefix).toMatchObject({
      items: 2,
      of_previous: 3,
      whole: false,
      broken_by: 'pending_call_decided',
      broken_at_seq: 4,
    });
    const { text: all } = requestDocument(report, 'next', inEnglish);
    expect(all).toContain(
      [
        '---- The shared prefix ends here: 2 of 3 items of the previous request.',
        '---- It breaks because a call that was pending then has its result now, in the place of the placeholder: see seq 4.',
      ].join('\n'),
    );
    expect(all).toContain(`## After the shared prefix: ${report.items.length - 2} items`);
    const before = requestDocument(requestReport('s1', log.slice(0, 2), null), 'next', inEnglish).text;
    expect(before).toContain('Placeholder: the call has no result yet. The real one will take its place.');
  });

  it('of a long session shows the last of what is shared, and says how many more there are', () => {
    const { user_message, assistant_message } = oneOfEach();
    const turns = Array.from({ length: 80 }, (_, n) => {
      const stream = { turn_id: `t${n}`, stream_run_id: `r${n}` };
      return [
        made('user_message', 3 * n, { ...user_message.data, turn_id: `t${n}`, text: `Prompt ${n}` }),
        made('assistant_message', 3 * n + 1, { ...assistant_message.data, ...stream, text: `Answer ${n}` }),
        made('provider_usage', 3 * n + 2, usage(stream)),
      ];
    });
    const report = requestReport('s1', turns.flat(), null);
    const { text: all } = requestDocument(report, 'next', inEnglish);
    const { items } = report.shared_prefix;
    expect(all).toContain(`Before these, ${items - 50} items more: the raw JSON has them.`);
    expect(all.match(/^### /gm)?.length).toBeLessThan(60);
    expect(all.indexOf('## New in this request')).toBeLessThan(all.indexOf('## Shared with'));
  });

  it('names a checkpoint as what broke the prefix', () => {
    const { user_message, assistant_message, history_compaction } = oneOfEach();
    const stream = { turn_id: 't1', stream_run_id: 'r1' };
    const log: readonly LogEvent[] = [
      { ...user_message, seq: 0 },
      made('assistant_message', 1, { ...assistant_message.data, ...stream }),
      made('provider_usage', 2, usage(stream)),
      made('history_compaction', 3, { ...history_compaction.data, tail_from_seq: 3 }),
    ];
    expect(requestReport('s1', log, null).shared_prefix).toMatchObject({
      items: 0,
      broken_by: 'compaction',
      broken_at_seq: 3,
    });
  });

  it('says first which lines are damaged, and repairs nothing', () => {
    const { user_message, tool_result } = oneOfEach();
    const log = [
      { ...user_message, seq: 0 },
      { ...tool_result, seq: 2 },
    ];
    const report = requestReport('s1', log, null, [{ line: 2, reason: 'not valid JSON' }]);
    const made = requestDocument(report, 'next', inEnglish);
    expect(made.text).toContain('Shared prefix     none: no request before it can be read');
    expect(made.text).toContain('Problems          1 problem');
    expect(made.text).toContain(
      [
        '## Damaged: 1 line',
        '',
        'No request is made of a damaged log: the session opens read-only. What stood on these lines is missing below.',
        '- line 2: not valid JSON',
        '',
        '## Input: 1 item',
      ].join('\n'),
    );
    expect(linked(made)).toContain('line 2 -> ledgerline.openLog [{"session_id":"s1","line":2}]');
    expect(made.text).not.toContain('repaired');
  });

  it('leads from every source to its line, and to the same as data', async () => {
    const bench = await reportSession();
    const links = linked(requestDocument(requestReport('s1', bench.events, null), 'next', inEnglish));
    expect(links[0]).toBe('seq 19 -> ledgerline.openLog [{"session_id":"s1","seq":19}]');
    expect(links).toContain('Open -> raw');
    expect(links).toContain('seq 5 -> ledgerline.openLog [{"session_id":"s1","seq":5}]');
  });

  it('shows images by their size alone', () => {
    const { user_message } = oneOfEach();
    const picture = { kind: 'image', mime: 'image/png', data: 'A'.repeat(4000) };
    const event = made('user_message', 0, { ...user_message.data, attachments: [picture] });
    const { text: all } = requestDocument(requestReport('s1', [event], null), 'next', inEnglish);
    expect(all).toContain('[image/png, 4,022 characters, not shown]');
    expect(all).not.toContain('AAAA');
  });
});

describe('words of others in a report', () => {
  it('cannot end the block they are in', () => {
    const { text: all } = new ReportText(inEnglish).block('```\n# Not a heading\n````').report;
    expect(all).toBe('`````text\n```\n# Not a heading\n````\n`````\n');
  });

  it('stay on their line where they are a name', () => {
    expect(new ReportText(inEnglish).line('### ', 'a\n# b\r\nc').report.text).toBe('### a # b c\n');
  });

  it('are cut in the middle when they are long, and it says how much is missing', () => {
    const how = { head: 1600, tail: 400 };
    expect(excerpt('short', how, inEnglish)).toBe('short');
    const long = `${'a'.repeat(3000)}${'b'.repeat(3000)}`;
    expect(excerpt(long, how, inEnglish)).toBe(
      `${'a'.repeat(1600)}\n… 4,000 characters left out …\n${'b'.repeat(400)}`,
    );
  });
});

function diagnosed(events: readonly LogEvent[], facts: Partial<LogFacts> = {}, say: Say = inEnglish): Report {
  const fold = new DiagnosisFold('s1');
  for (const event of events) fold.push(event);
  return diagnosisDocument('s1', fold.finish({ ...SOUND, ...facts }), say);
}

describe('the document of a diagnosis', () => {
  it('says first what needs attention, then what is sound', async () => {
    const bench = await reportSession();
    const damage = [{ line: 4, reason: 'not valid JSON' }];
    const report = diagnosed(bench.events, { damage });
    expect(report.text).toMatchInlineSnapshot(`
      "# Diagnosis: Blocked

      Session           s1
      Checks            17 of 21 sound
      Raw JSON          Open

      ## Needs attention: 4

      ### Log integrity (blocks the session)
      Line 4 is damaged: not valid JSON. The session opens read-only; nothing was changed.
      - line 4: not valid JSON
      Next: Open log · Export · Fork from the last good event

      ### Preserved partials
      1 partial answer, kept as evidence and not sent to the model. Damaged lines are left out.
      - seq 16: characters 4
      Next: Open log

      ### Turn failures
      1 failed turn, recorded as such. Damaged lines are left out.
      - seq 14: stopped early, error of the provider
      Next: Open log

      ### Provider replay
      No request is made of a damaged log: the session opens read-only.
      Next: Fork from the last good event

      ## Sound: 17

      - Unknown events: No unknown event. Damaged lines are left out.
      - Tool pairing: Every call of a finished turn has its result. Damaged lines are left out.
      - Turn completion: 2 turns, each with the evidence of how it ended. Damaged lines are left out.
      - Interrupted turns: No interrupted turn. Damaged lines are left out.
      - Pending decisions: Nothing waits for a person. Damaged lines are left out.
      - Unknown outcomes: No call with effects is left open whose outcome nobody knows. Damaged lines are left out.
      - Subagent timeouts: No subagent timed out. Damaged lines are left out.
      - Open subagents: No subagent is left over. Damaged lines are left out.
      - What the model was told of subagents: Every end of a subagent was told to the model as it should be. Damaged lines are left out.
      - Terminal evidence: Every move of runs and calls is one the tables have. Damaged lines are left out.
      - Staleness: Nothing is open that no live process could end. Damaged lines are left out.
      - Workflow gaps: Every step of a finished workflow has its checkpoint. Damaged lines are left out.
      - Compaction: Nothing was compacted. Damaged lines are left out.
      - Context pressure: The last request filled 10 % of the context window. Damaged lines are left out.
      - Continuation: No request continued another. No continuation was reset. Damaged lines are left out.
      - Truncation: No truncated answer. Damaged lines are left out.
      - Lease: No process has the session open.
      "
    `);
    expect(linked(report)).toEqual([
      'Open -> raw',
      'Open log -> ledgerline.openLog [{"session_id":"s1","line":4}]',
      'Export -> ledgerline.exportSession ["s1"]',
      'Fork from the last good event -> ledgerline.fork ["s1"]',
      'seq 16 -> ledgerline.openLog [{"session_id":"s1","seq":16}]',
      'Open log -> ledgerline.openLog [{"session_id":"s1","seq":16}]',
      'seq 14 -> ledgerline.openLog [{"session_id":"s1","seq":14}]',
      'Open log -> ledgerline.openLog [{"session_id":"s1","seq":14}]',
      'Fork from the last good event -> ledgerline.fork ["s1"]',
    ]);
  });

  it('offers with each child what can be done about it, and says it once', async () => {
    const first = await new AgentBench({
      'Go.': [asks(spawn('c1', 'Look here.'), spawn('c2', 'Look there.', { timeout_ms: 1000 })), NOTHING],
      'Look here.': [NOTHING],
      'Look there.': [NOTHING],
    }).turn('Go.');
    await first.pass(1000);
    const { events } = await first.crash();
    const [late, lost] = [ofChild('finished', 'agent_2'), ofChild('detached')];
    const whyOf = (fits: typeof late): string => String(dataOf(events, fits)['reason']);
    const report = diagnosed(events);
    expect(report.text).toContain(
      [
        '### Subagent timeouts',
        '1 subagent timed out before it was done.',
        `- seq ${placeOf(events, late)}: subagent agent_2, session session_2, ${whyOf(late)}, limit ms 1000, elapsed ms 1000 (Resume · Open transcript)`,
        'Next: Open log',
        '',
        '### Open subagents',
        '1 subagent is detached: resume or discard it.',
        `- seq ${placeOf(events, lost)}: subagent agent_1, session session_1, state detached, ${whyOf(lost)} (Resume · Open transcript · Discard)`,
        'Next: Open log',
      ].join('\n'),
    );
    expect(linked(report)).toContain(
      'Resume -> ledgerline.resumeAgent [{"session_id":"s1","subagent_id":"agent_1"}]',
    );
  });

  it('is short where all is well', () => {
    expect(diagnosed([]).text.split('\n').slice(0, 6)).toEqual([
      '# Diagnosis: Ready',
      '',
      'Session           s1',
      'Checks            21 of 21 sound',
      'Raw JSON          Open',
      '',
    ]);
  });
});

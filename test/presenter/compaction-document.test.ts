import { describe, expect, it } from 'vitest';
import {
  compactionDocument,
  missingCompaction,
  type CompactionSource,
} from '../../src/presenter/compaction-document.ts';
import { inEnglish } from '../../src/runtime/inspection/spoken-words.ts';
import { RECORD } from '../support/compaction-record.ts';
import { CHECKPOINT, linked, PREVIEW, shown } from './shown-compactions.ts';

describe('the document of a checkpoint', () => {
  it('says everything that was recorded', () => {
    const { text } = compactionDocument(shown(CHECKPOINT), inEnglish);
    expect(text).toMatchInlineSnapshot(`
      "# Checkpoint

      Session              s1
      Recorded             at seq 143, 2026-01-02T03:04:05.678Z
      Trigger              asked for by you (manual)
      Strategy             facts of the log, by fixed rules (deterministic_v1)
      Sums up              seq 0 – seq 120: 120 events
      But not              seq 101
      Still sent as it is  the conversation from seq 121 on (22 events before the checkpoint)
      Tokens before        about 48,012 tokens
      Tokens after         about 9,120 tokens, 19 % of before
      Counted how          estimates, scaled by what the provider last counted (measured)
      Raw JSON             Open

      ## Summary

      \`\`\`text
      Asked: fix the flaky login test.
      Done: the clock is a parameter now.
      \`\`\`

      ## Limitations: 2

      - Outputs of tools are not repeated.
      - The skill review is no longer active.

      ## Open tasks: 1

      - Run the tests on Windows

      ## Files touched: 2

      - src/login.ts
      - test/login.test.ts

      ## Decisions: 2

      - edit_file src/login.ts: approved by you
      - run_command rm -r build: denied by you: Keep the build.

      ## Skills dropped: 1

      - review

      ## Tool calls: 40, 2 of them failed

      - edit_file: 10
      - read_file: 30

      The last of them. Their outputs are not repeated: the log has them.
      - seq 96 read_file src/login.ts: succeeded, output of 1,234 bytes
      - seq 110 run_command npm test: failed, output of 41,000 bytes, whole in blob f00d

      ## Events summed up: 65

      - assistant_message: 20
      - tool_call: 40
      - user_message: 5

      ## What fills the next request, in estimated tokens

      - Instructions: 350
      - Tools: 1,270
      - Skills: 0
      - History: 5,200
      - Tool outputs: 2,300

      "
    `);
  });

  it('leads to the events that it speaks of, and to its data', () => {
    expect(linked(compactionDocument(shown(CHECKPOINT), inEnglish))).toEqual([
      'seq 143 -> ledgerline.openLog [{"session_id":"s1","seq":143}]',
      'seq 0 -> ledgerline.openLog [{"session_id":"s1","seq":0}]',
      'seq 120 -> ledgerline.openLog [{"session_id":"s1","seq":120}]',
      'seq 101 -> ledgerline.openLog [{"session_id":"s1","seq":101}]',
      'seq 121 -> ledgerline.openLog [{"session_id":"s1","seq":121}]',
      'Open -> raw',
      'seq 96 -> ledgerline.openLog [{"session_id":"s1","seq":96}]',
      'seq 110 -> ledgerline.openLog [{"session_id":"s1","seq":110}]',
    ]);
  });

  it('names the turn that it belongs to, and what was asked for and could not be done', () => {
    const data = {
      ...RECORD,
      turn_id: 't9',
      trigger: 'critical_pressure_preflight',
      tokens_basis: 'estimated',
      fallback: {
        from: 'model_assisted_v1',
        kind: 'server_error',
        message: 'The provider failed.',
        provider_message: 'HTTP 500: down',
      },
    };
    const { text } = compactionDocument(shown(CHECKPOINT, data), inEnglish);
    const rows = text.split('\n').slice(2, 21);
    expect(rows).toMatchInlineSnapshot(`
      [
        "Session              s1",
        "Recorded             at seq 143, 2026-01-02T03:04:05.678Z",
        "Turn                 t9",
        "Trigger              before the next request, because the window was nearly full (critical_pressure_preflight)",
        "Strategy             facts of the log, by fixed rules (deterministic_v1)",
        "Asked for            a summary by the model, beside the facts of the log (model_assisted_v1)",
        "Not carried out      The provider failed. (server_error)",
        "Details              HTTP 500: down",
        "Sums up              seq 0 – seq 120: 120 events",
        "But not              seq 101",
        "Still sent as it is  the conversation from seq 121 on (22 events before the checkpoint)",
        "Tokens before        about 48,012 tokens",
        "Tokens after         about 9,120 tokens, 19 % of before",
        "Counted how          estimates, because the provider has counted nothing so far (estimated)",
        "Raw JSON             Open",
        "",
        "## Summary",
        "",
        "\`\`\`text",
      ]
    `);
  });

  it('shows what it does not know, and what has another shape than it knows', () => {
    const data = {
      trigger: 'by_moonlight',
      range: 'all',
      mood: 'calm',
      tool_calls: [],
      tokens_before: 'many',
    };
    const { text } = compactionDocument(shown(CHECKPOINT, data), inEnglish);
    expect(text).toMatchInlineSnapshot(`
      "# Checkpoint

      Session              s1
      Recorded             at seq 143, 2026-01-02T03:04:05.678Z
      Trigger              by moonlight (by_moonlight)
      Strategy             not known
      Sums up              not known
      Still sent as it is  not known
      Tokens before        not known
      Tokens after         not known
      Counted how          not known
      Raw JSON             Open

      ## Summary

      None.

      ## Limitations: 0

      ## Open tasks: 0

      ## Files touched: 0

      ## Decisions: 0

      ## Skills dropped: 0

      ## Other fields

      \`\`\`text
      {
        "range": "all",
        "mood": "calm",
        "tool_calls": [],
        "tokens_before": "many"
      }
      \`\`\`

      "
    `);
  });

  it('keeps words of others where they are, whatever they are', () => {
    const data = { ...RECORD, summary: '```\n# Not a heading', open_tasks: ['one\n# two'] };
    const { text } = compactionDocument(shown(CHECKPOINT, data), inEnglish);
    expect(text).toContain('````text\n```\n# Not a heading\n````\n');
    expect(text).toContain('- one # two\n');
  });
});

function heads(source: CompactionSource): readonly string[] {
  return compactionDocument(shown(source), inEnglish).text.split('\n').slice(0, 8);
}

function sections(source: CompactionSource): string {
  const { text } = compactionDocument(shown(source), inEnglish);
  return text.slice(text.indexOf('## Summary'));
}

function first(source: CompactionSource): string | undefined {
  return linked(compactionDocument(shown(source), inEnglish))[0];
}

describe('the preview of a compaction', () => {
  it('says first that nothing was recorded, how to go on and how to leave it', () => {
    expect(heads(PREVIEW)).toMatchInlineSnapshot(`
      [
        "# Preview of a compaction",
        "",
        "Nothing was recorded. This is exactly what a compaction would record now, field by field.",
        "To leave everything as it is, close this tab.",
        "Next: Compact now · Open log",
        "",
        "Session              s1",
        "Made of              the log up to seq 142",
      ]
    `);
  });

  it('has all that a checkpoint has', () => {
    expect(sections(PREVIEW)).toBe(sections(CHECKPOINT));
  });

  it('offers to go through with it, and says which session is meant', () => {
    const links = linked(compactionDocument(shown(PREVIEW), inEnglish));
    expect(links.slice(0, 3)).toEqual([
      'Compact now -> ledgerline.compact [{"session_id":"s1"}]',
      'Open log -> ledgerline.openLog [{"seq":3}]',
      'seq 142 -> ledgerline.openLog [{"session_id":"s1","seq":142}]',
    ]);
    const silent = { ...PREVIEW, next_actions: [] };
    expect(linked(compactionDocument(shown(silent), inEnglish))[0]).toBe(links[0]);
  });

  it('offers another one when settings were changed', () => {
    const changed = { ...PREVIEW, standing: { kind: 'other_means' } } as const;
    expect(heads(changed).slice(2, 4)).toEqual([
      'Nothing was recorded. Settings were changed since, so a compaction would now be made by other means.',
      'Next: Preview compaction',
    ]);
    expect(first(changed)).toBe('Preview compaction -> ledgerline.compactDryRun [{"session_id":"s1"}]');
  });

  it('offers another one when the log has grown, and nothing when a compaction was recorded', () => {
    const outdated = { ...PREVIEW, standing: { kind: 'outdated' } } as const;
    const recorded = { ...PREVIEW, standing: { kind: 'recorded', seq: 143 } } as const;
    expect(heads(outdated).slice(0, 4)).toMatchInlineSnapshot(`
      [
        "# Preview of a compaction",
        "",
        "Nothing was recorded. The log has grown since, so a compaction would now record something else.",
        "Next: Preview compaction",
      ]
    `);
    expect(heads(recorded).slice(0, 4)).toMatchInlineSnapshot(`
      [
        "# Preview of a compaction",
        "",
        "A compaction was recorded since, at seq 143. This is what was shown before it.",
        "",
      ]
    `);
    expect([first(outdated), first(recorded)]).toEqual([
      'Preview compaction -> ledgerline.compactDryRun [{"session_id":"s1"}]',
      'seq 143 -> ledgerline.openLog [{"session_id":"s1","seq":143}]',
    ]);
  });
});

it('what is not there any more is said to be so, with what to do', () => {
  const preview = missingCompaction({ kind: 'preview', session_id: 's1' }, inEnglish);
  expect(preview.text).toMatchInlineSnapshot(`
    "# Preview of a compaction

    This preview is not kept any more. A preview itself records nothing.
    Next: Preview compaction
    "
  `);
  expect(linked(preview)).toEqual(['Preview compaction -> ledgerline.compactDryRun [{"session_id":"s1"}]']);
  expect(missingCompaction({ kind: 'checkpoint', session_id: 's1' }, inEnglish)).toEqual({
    text: '# Checkpoint\n\nThe log has no checkpoint there.\n',
    links: [],
  });
});

import { describe, expect, test } from 'vitest';
import type { Item } from '../../src/presenter/protocol.ts';
import { CheckpointDetails, CheckpointLine } from '../../webview/checkpoint-line.tsx';
import type { Presenter } from '../../webview/presenter.ts';
import { foldItems, type CheckpointEntry } from '../../webview/transcript.ts';
import { RECORD } from '../support/compaction-record.ts';
import { click, draw, elementsIn, type SmallNode } from '../support/small-dom.ts';
import { answer, item, prompt, TS } from './log-items.ts';

const PRESENTER: Presenter = { post: () => undefined, gesture: () => undefined };

function manual(seq: number, data: Record<string, unknown> = { ...RECORD }): Item {
  return { seq, ts: TS, type: 'history_compaction', data };
}

function checkpoint(data: Record<string, unknown> = { ...RECORD }): CheckpointEntry {
  const [block] = foldItems([manual(143, data)]);
  if (block?.kind !== 'checkpoint') throw new Error('there is no checkpoint');
  return block;
}

function words(node: SmallNode, ...names: readonly string[]): readonly string[] {
  return elementsIn(node)
    .filter(({ localName }) => names.includes(localName))
    .map(({ textContent }) => textContent);
}

function headOf(data?: Record<string, unknown>): readonly string[] {
  return words(draw(<CheckpointLine checkpoint={checkpoint(data)} presenter={PRESENTER} />).body, 'button');
}

function detailsOf(data?: Record<string, unknown>, presenter = PRESENTER): SmallNode {
  return draw(<CheckpointDetails checkpoint={checkpoint(data)} presenter={presenter} />).body;
}

describe('a checkpoint in the conversation', () => {
  test('stands where it is in the log, and nothing above it goes', () => {
    const items = [prompt(0), answer(1, 'Done.'), manual(2), { ...prompt(3, 'On.'), turn_id: 't2' }];
    expect(foldItems(items).map((block) => [block.kind, 'seq' in block ? block.seq : null])).toEqual([
      ['turn', null],
      ['checkpoint', 2],
      ['turn', null],
    ]);
  });

  test('of a turn stands in the turn', () => {
    const [turn] = foldItems([prompt(0), item(1, 'history_compaction', { ...RECORD }), answer(2, 'Done.')]);
    expect(turn?.kind === 'turn' ? turn.entries.map(({ kind, seq }) => [kind, seq]) : null).toEqual([
      ['checkpoint', 1],
      ['text', 2],
    ]);
  });

  test('is a line across with a name, and a button that opens it', () => {
    const { body } = draw(<CheckpointLine checkpoint={checkpoint()} presenter={PRESENTER} />);
    const rule = elementsIn(body).find(({ attributes }) => attributes.get('role') === 'separator');
    expect(rule?.attributes.get('aria-label')).toBe('Checkpoint');
    const [button] = elementsIn(body).filter(({ localName }) => localName === 'button');
    expect(button?.attributes.get('aria-expanded')).toBe('false');
  });

  test.each([
    [{ ...RECORD }, '120 events before this line are', 'about 48.0k to 9.1k tokens, asked for by you'],
    [
      { ...RECORD, keeps: [], range: { from_seq: 7, to_seq: 7 }, trigger: 'critical_pressure_preflight' },
      '1 event before this line is',
      'about 48.0k to 9.1k tokens, before the next request, because the window was nearly full',
    ],
    [
      { range: { from_seq: 0, to_seq: 9 }, trigger: 'overflow_recovery' },
      '10 events before this line are',
      'after the provider said that the request was too large',
    ],
    [
      { trigger: 'websocket_critical_recovery', tokens_before: 'many', tokens_after: 3 },
      'what stands before this line is',
      'after a broken connection with a nearly full window',
    ],
    [{ trigger: 'full_moon' }, 'what stands before this line is', 'full moon'],
  ])('says what it stands for and why: %#', (data, what, why) => {
    expect(headOf(data)).toEqual([`History compacted: ${what} summed up for the model${why}`]);
  });
});

describe('the details of a checkpoint', () => {
  test('are all that one wants to know at once', () => {
    expect(words(detailsOf(), 'h3', 'p', 'li')).toEqual([
      'Summary',
      'Asked: fix the flaky login test.\nDone: the clock is a parameter now.',
      'Open tasks',
      'Run the tests on Windows',
      'Files touched',
      'src/login.ts',
      'test/login.test.ts',
      'Decisions',
      'edit_file src/login.ts: approved by you',
      'run_command rm -r build: denied by you: Keep the build.',
      'Skills dropped',
      'review',
      'Limitations',
      'Outputs of tools are not repeated.',
      'The skill review is no longer active.',
      'How',
      'Made of: facts of the log, by fixed rules.',
      'The last 22 events before this line are not summed up: the conversation in them is still sent as it is.',
      'About 48,012 tokens before, 9,120 after. Counted how: estimates, scaled by what the provider last counted.',
    ]);
  });

  test('tell each list once, though the summary of the model has it as well', () => {
    const lists = 'Files changed:\n- src/login.ts\n\nOpen tasks:\n- Run the tests on Windows';
    const told = words(detailsOf({ ...RECORD, summary: `${RECORD.summary}\n\n${lists}` }), 'h3', 'p', 'li');
    expect(told).toEqual(words(detailsOf(), 'h3', 'p', 'li'));
    expect(words(detailsOf({ ...RECORD, summary: lists }), 'h3')).not.toContain('Summary');
  });

  test('open the rest as a document, and files in the editor', () => {
    const posted: unknown[] = [];
    const presenter: Presenter = { post: (message) => posted.push(message), gesture: () => undefined };
    const buttons = elementsIn(detailsOf(undefined, presenter)).filter(
      ({ localName }) => localName === 'button',
    );
    for (const button of buttons) click(button);
    expect(posted).toEqual([
      { type: 'open', path: 'src/login.ts' },
      { type: 'open', path: 'test/login.test.ts' },
      { type: 'run_action', command: 'ledgerline.openCheckpoint', args: [{ seq: 143 }] },
    ]);
  });

  test('read a summary by a model as Markdown, and that of rules line by line', () => {
    const bold = { ...RECORD, summary: '**Done.**' };
    expect(words(detailsOf({ ...bold, strategy: 'model_assisted_v1' }), 'strong')).toEqual(['Done.']);
    expect(words(detailsOf(bold), 'strong')).toEqual([]);
  });

  test('say which way was asked for and failed, and that a summary is not whole', () => {
    const provider_message = 'HTTP 500: down';
    const fallback = {
      from: 'model_assisted_v1',
      kind: 'server_error',
      message: 'It failed.',
      provider_message,
    };
    const said = words(detailsOf({ ...RECORD, fallback, summary_length: 90_000 }), 'p');
    expect(said).toContain(
      'Asked for was this: a summary by the model, beside the facts of the log. It failed: It failed.',
    );
    expect(said).toContain('Details: HTTP 500: down');
    expect(said).toContain('Only the beginning is shown; the log has the rest.');
  });

  test('of a log of another version are what can be read of them', () => {
    expect(words(detailsOf({ decisions: 'none', files_touched: [{ odd: 1 }] }), 'h3', 'p', 'li')).toEqual([
      'Files touched',
      '{"odd":1}',
      'How',
      'Made of: not known.',
    ]);
  });

  test('are bounded: the document has the rest', () => {
    const files_touched = Array.from({ length: 45 }, (_, index) => `f${index}.ts`);
    const body = detailsOf({ ...RECORD, files_touched });
    expect(words(body, 'li').filter((line) => line.endsWith('.ts') && line.startsWith('f'))).toHaveLength(30);
    expect(words(body, 'p')).toContain('and 15 more');
  });
});

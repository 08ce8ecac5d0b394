import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { chatCommands } from '../../src/host/chat-commands.ts';
import type { CommandParts } from '../../src/host/command-parts.ts';
import { CompactionPreviews } from '../../src/host/compaction-previews.ts';
import { NO_PREVIEW, previewAfter, type PreviewFacts } from '../../src/host/kept-preview.ts';
import { ReportDocuments } from '../../src/host/report-documents.ts';
import type { HostMessage, Item } from '../../src/presenter/protocol.ts';
import { RECORD } from '../support/compaction-record.ts';
import { item, prompt, snapshot } from '../webview/log-items.ts';
import { double, type Uri } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

const OPENED = snapshot([prompt(0), prompt(1)], { session_id: 's1' });
const ACTIONS = [{ label: 'Compact now', command: 'ledgerline.compact' }];
const PREVIEW: HostMessage = {
  v: 1,
  type: 'compaction_preview',
  session_id: 's1',
  record: { ...RECORD },
  next_actions: ACTIONS,
};

function grown(...items: readonly Item[]): HostMessage {
  return { v: 1, type: 'append', session_id: 's1', items: [...items] };
}

function facts(...messages: readonly HostMessage[]): PreviewFacts {
  return after(NO_PREVIEW, messages);
}

function after(before: PreviewFacts, messages: readonly HostMessage[], means = 'rules'): PreviewFacts {
  return messages.reduce((known, message) => previewAfter(known, message, () => means), before);
}

describe('a preview', () => {
  test('is kept as it was told, with how far the log went', () => {
    expect(facts(OPENED, PREVIEW).preview).toEqual({
      session_id: 's1',
      record: { ...RECORD },
      next_actions: ACTIONS,
      at_seq: 1,
      means: 'rules',
      standing: { kind: 'current' },
    });
  });

  test('would be another one under other settings, and is the same again when they are changed back', () => {
    const changed = after(facts(OPENED, PREVIEW), [OPENED], 'model');
    expect(changed.preview?.standing).toEqual({ kind: 'other_means' });
    expect(after(changed, [OPENED]).preview?.standing).toEqual({ kind: 'current' });
    const grownThen = after(changed, [grown(item(2, 'assistant_message', {}))], 'model');
    expect(after(grownThen, [OPENED]).preview?.standing).toEqual({ kind: 'outdated' });
  });

  test('that is outdated or carried out stays so under other settings', () => {
    const outdated = facts(OPENED, PREVIEW, grown(item(2, 'assistant_message', {})));
    expect(after(outdated, [OPENED], 'model').preview?.standing).toEqual({ kind: 'outdated' });
    const recorded = facts(OPENED, PREVIEW, grown(item(2, 'history_compaction', {})));
    expect(after(recorded, [OPENED], 'model').preview?.standing).toEqual({ kind: 'recorded', seq: 2 });
  });

  test('is of a log that has grown since as soon as it has, also when that was told all at once', () => {
    const answer = item(2, 'assistant_message', {});
    expect(facts(OPENED, PREVIEW, grown(answer)).preview?.standing).toEqual({ kind: 'outdated' });
    const again = snapshot([prompt(0), prompt(1), answer], { session_id: 's1' });
    expect(facts(OPENED, PREVIEW, again).preview?.standing).toEqual({ kind: 'outdated' });
    expect(facts(OPENED, PREVIEW, OPENED).preview?.standing).toEqual({ kind: 'current' });
  });

  test('has been carried out when a compaction is recorded, whatever comes then', () => {
    const recorded = grown(item(2, 'history_compaction', {}));
    const later = grown(item(3, 'diagnostic', {}), item(4, 'history_compaction', {}));
    expect(facts(OPENED, PREVIEW, recorded, later).preview?.standing).toEqual({ kind: 'recorded', seq: 2 });
  });

  test('is not touched by what happens in another session', () => {
    const other = snapshot([prompt(0), prompt(1), prompt(2)], { session_id: 's2' });
    const appended: HostMessage = { v: 1, type: 'append', session_id: 's2', items: [prompt(3)] };
    expect(facts(OPENED, PREVIEW, other, appended).preview?.standing).toEqual({ kind: 'current' });
  });
});

/** Its address, as soon as it is shown. */
function shown(): Uri {
  const [uri] = double.shown;
  if (uri === undefined) throw new Error('nothing was shown');
  return uri;
}

describe('the document of a preview', () => {
  let hear: (message: HostMessage) => void;
  let reports: ReportDocuments;
  let changed: string[];
  let errors: string[];

  beforeEach(() => {
    changed = [];
    errors = [];
    reports = new ReportDocuments('/storage');
    reports.onDidChange((uri) => changed.push(uri.toString()));
    const chat = {
      onDidEmit: (listener: (message: HostMessage) => void) => {
        hear = listener;
        return { dispose: () => undefined };
      },
    };
    const log = { error: (text: string) => errors.push(text) };
    void new CompactionPreviews({
      chat,
      reports,
      choices: { valueOf: () => undefined },
      log: log as unknown as ConstructorParameters<typeof CompactionPreviews>[0]['log'],
    });
  });

  afterEach(() => {
    reports.dispose();
    expect(errors).toEqual([]);
  });

  async function textOf(uri: Uri): Promise<string> {
    return reports.provideTextDocumentContent(
      uri as unknown as Parameters<typeof reports.provideTextDocumentContent>[0],
    );
  }

  test('is shown when the conversation tells it, and says what became of the log', async () => {
    hear(OPENED);
    expect(double.shown).toEqual([]);
    hear(PREVIEW);
    expect(double.shown.map(({ query }) => JSON.parse(query))).toEqual([
      { kind: 'compaction_preview', session_id: 's1', raw: false },
    ]);
    expect(await textOf(shown())).toContain('Nothing was recorded. This is exactly');

    double.documents = [{ uri: shown(), isDirty: false }];
    hear(grown(item(2, 'history_compaction', {})));
    expect(changed).toEqual([shown().toString()]);
    expect(await textOf(shown())).toContain('A compaction was recorded since, at seq 2.');
    expect(double.shown).toHaveLength(1);
  });

  test('that nobody has any more says so', async () => {
    hear(OPENED);
    hear(PREVIEW);
    hear({ ...PREVIEW, session_id: 's2' });
    expect(await textOf(shown())).toContain('This preview is not kept any more');
  });
});

describe('the commands', () => {
  const presented: unknown[] = [];
  let answered: Promise<void> = Promise.resolve();
  const chat = {
    host: async () => ({
      sessionId: 's1',
      answered: () => answered,
      receive: async (message: unknown) => void presented.push(message),
    }),
    present: async (message: unknown) => void presented.push(message),
  };
  const commands = chatCommands({ chat } as unknown as CommandParts);

  beforeEach(() => presented.splice(0));

  test('compact, or show what that would record', async () => {
    await commands.compactDryRun();
    await commands.compact({ session_id: 's1' });
    expect(presented).toEqual([
      { type: 'compact', dry_run: true },
      { type: 'compact', dry_run: false },
    ]);
  });

  test('say what is under way while a model takes its time, and end it when they are told to', async () => {
    vi.useFakeTimers();
    try {
      const model = Promise.withResolvers<void>();
      answered = model.promise;
      const done = commands.compactDryRun();
      await vi.advanceTimersByTimeAsync(600);
      expect(double.progress).toBeNull();
      await vi.advanceTimersByTimeAsync(200);
      expect(double.progress?.title).toBe('Summing up the history…');
      double.progress?.cancel?.();
      expect(presented).toEqual([{ type: 'compact', dry_run: true }, { type: 'stop' }]);
      model.resolve();
      await done;
      await vi.advanceTimersByTimeAsync(0);
      expect(double.progress).toBeNull();
    } finally {
      vi.useRealTimers();
    }
  });

  test('leave alone what is not meant: another session than the one that is open', async () => {
    await commands.compact({ session_id: 's2' });
    await commands.compact({ session_id: '../s1' });
    expect(presented).toEqual([]);
    expect(double.questions).toEqual([
      'This is about another session than the one that is open. Open it first; nothing was changed.',
      'The command was called with something it does not know. Nothing was changed.',
    ]);
  });
});

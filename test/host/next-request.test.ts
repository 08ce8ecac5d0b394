import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ReportDocuments } from '../../src/host/report-documents.ts';
import { toLine } from '../../src/runtime/event-line.ts';
import { made, oneOfEach } from '../support/made-events.ts';
import { double, type Uri } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

const NEXT = { kind: 'request', session_id: 's1', at: null, raw: false } as const;

let storage: string;
let reports: ReportDocuments;
let changed: number;

beforeEach(async () => {
  changed = 0;
  storage = await mkdtemp(join(tmpdir(), 'ledgerline-reports-'));
  await mkdir(join(storage, 'sessions'));
  reports = new ReportDocuments(storage);
  reports.onDidChange(() => (changed += 1));
});

afterEach(async () => {
  reports.dispose();
  await rm(storage, { recursive: true });
});

async function write(events: number): Promise<void> {
  const { data } = oneOfEach().user_message;
  const lines = Array.from({ length: events }, (_, seq) => toLine(made('user_message', seq, data)));
  await writeFile(join(storage, 'sessions', 's1.jsonl'), `${lines.join('\n')}\n`);
}

async function shownText(): Promise<string> {
  const uri = double.shown.at(-1) as Uri;
  double.documents = [{ uri, isDirty: false }];
  return reports.provideTextDocumentContent(uri as never);
}

test('what was the next request says so when the log has more, and stays what it was', async () => {
  await write(1);
  reports.heard('s1', 0);
  await reports.show(NEXT);
  const before = await shownText();
  expect(before).toContain('On record         nothing yet');
  reports.heard('s1', 0);
  expect(changed).toBe(0);

  await write(2);
  reports.heard('s1', 1);
  expect(changed).toBe(1);
  const after = await shownText();
  const note = 'The log has grown since. Look at the next request as it is now.\n\n';
  expect(after.replace(note, '')).toBe(before);

  reports.heard('s1', 2);
  expect(changed).toBe(1);
});

test('it is made anew when it is shown again', async () => {
  await write(1);
  await reports.show(NEXT);
  await shownText();
  await write(2);
  reports.heard('s1', 1);
  await shownText();
  await reports.show(NEXT);
  const text = await shownText();
  expect(text).toContain('the log up to seq 1');
  expect(text).not.toContain('has grown');
});

test('one that was made while the log grew says so at once', async () => {
  await write(1);
  reports.heard('s1', 1);
  await reports.show(NEXT);
  expect(await shownText()).toContain('The log has grown since.');
});

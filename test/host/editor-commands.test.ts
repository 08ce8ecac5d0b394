import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { CommandParts } from '../../src/host/command-parts.ts';
import { editorCommands } from '../../src/host/editor-commands.ts';
import { hostFixture } from './opened-host.ts';
import { double, Uri, vscodeDouble } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

const on = hostFixture();
let told: unknown[];
let key: string | null;

function commands(): ReturnType<typeof editorCommands> {
  const parts = {
    chat: { host: async () => on.host, tell: async (message: unknown) => void told.push(message) },
    choices: { choose: async (choice: unknown) => void told.push(choice) },
    apiKey: { read: async () => key },
  };
  return editorCommands(parts as unknown as CommandParts);
}

/** An editor in which all of a short file is selected. */
function showing(name: string): void {
  double.editor = {
    document: {
      uri: Uri.file(join(on.place.workspace, name)),
      validateRange: (range: unknown) => range,
      lineAt: () => ({ text: 'text' }),
      getText: () => 'text',
    },
    selection: new vscodeDouble.Range(0, 0, 0, 4),
  };
}

beforeEach(() => {
  told = [];
  key = 'sk-test';
  double.settings = { permissions: { allow: [], ask: [], deny: ['read_file(private/**)'] } };
});

describe('asking about a selection', () => {
  test('prepares a message', async () => {
    showing('a.txt');
    await commands().askSelection();
    expect([told.length, double.questions]).toEqual([1, []]);
    expect(told).toMatchObject([{ type: 'compose', attachments: [{ path: 'a.txt', text: 'text' }] }]);
  });

  test('of a file with secrets says at once that it is not sent, and prepares nothing', async () => {
    showing('.env');
    await commands().explainSelection();
    expect(told).toEqual([]);
    expect(double.questions).toEqual([
      '.env:1 may hold secrets or belongs to version control, so it is not attached.',
    ]);
  });

  test('of a file that a rule keeps from being read leads to the rule', async () => {
    showing('private/plan.txt');
    double.answer = 'Open settings';
    await commands().fixSelection();
    expect(told).toEqual([]);
    expect(double.questions).toEqual([
      'A rule keeps private/plan.txt from being read (read_file(private/**)).',
    ]);
    expect(double.commands).toEqual([['workbench.action.openSettings', 'ledgerline.permissions']]);
  });
});

describe('choosing OpenAI', () => {
  test('asks for no key where there is one', async () => {
    double.answer = 'OpenAI, with your API key';
    await commands().chooseProvider();
    expect([told, double.commands]).toEqual([[{ provider: 'openai' }], []]);
  });

  test('asks for a key where there is none', async () => {
    key = null;
    double.answer = 'OpenAI, with your API key';
    await commands().chooseProvider();
    expect(double.commands).toEqual([['ledgerline.setApiKey']]);
  });
});

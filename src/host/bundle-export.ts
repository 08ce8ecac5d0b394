import { randomBytes } from 'node:crypto';
import { homedir, hostname, userInfo } from 'node:os';
import * as vscode from 'vscode';
// By name, so that the rest of the manifest is not bundled.
import { version as app_version } from '../../package.json';
import type { RedactionChoice, RedactionChoices, Surroundings } from '../runtime/redaction/choices.ts';
import { inform, warn, whileShown } from './notifications.ts';
import { chooseSome } from './pick-lists.ts';
import { askWhere, saved } from './saved-export.ts';
import { sayTooLarge, type ExportedSession, type ExportParts } from './session-export.ts';
import { sizeText } from './sessions-tree.ts';
import { inLanguage } from './spoken.ts';

/** What leaves is shown before it is written, and what is written is what was shown. Nothing is sent anywhere. */
export async function exportBundle(parts: ExportParts, session: ExportedSession): Promise<void> {
  let choices: RedactionChoices | undefined = {
    secrets: true,
    paths: true,
    file_names: true,
    contents: true,
  };
  for (;;) {
    choices = await askWhat(session, choices);
    if (choices === undefined) return;
    const made = await prepare(parts, session, choices);
    if (made === 'over') return;
    if (made !== 'change' && (await preview(parts, session, made)) === 'over') return;
  }
}

interface Choice extends vscode.QuickPickItem {
  readonly choice: RedactionChoice;
}

async function askWhat(
  { name }: ExportedSession,
  before: RedactionChoices,
): Promise<RedactionChoices | undefined> {
  const items: readonly Choice[] = [
    {
      choice: 'secrets',
      label: vscode.l10n.t('Secrets'),
      detail: vscode.l10n.t('Keys, tokens, passwords and whatever looks like one'),
    },
    {
      choice: 'paths',
      label: vscode.l10n.t('Paths'),
      detail: vscode.l10n.t('Folders of this machine, the names of its user and of itself, branches'),
    },
    {
      choice: 'file_names',
      label: vscode.l10n.t('File names'),
      detail: vscode.l10n.t('Files and folders of the workspace, by stable pseudonyms'),
    },
    {
      choice: 'contents',
      label: vscode.l10n.t('Contents'),
      detail: vscode.l10n.t('Prompts, answers, reasoning, arguments, outputs, attachments, summaries'),
    },
  ];
  const picked = await chooseSome(
    items.map((item) => ({ ...item, picked: before[item.choice] })),
    {
      title: vscode.l10n.t('Export “{0}”: what is removed', name),
      placeHolder: vscode.l10n.t('What is checked does not leave'),
      ignoreFocusOut: true,
    },
  );
  if (picked === undefined) return undefined;
  const chosen = new Set(picked.map(({ choice }) => choice));
  return {
    secrets: chosen.has('secrets'),
    paths: chosen.has('paths'),
    file_names: chosen.has('file_names'),
    contents: chosen.has('contents'),
  };
}

interface Prepared {
  readonly text: string;
  readonly summary: string;
  readonly bytes: number;
}

async function prepare(
  parts: ExportParts,
  { session_id }: ExportedSession,
  choices: RedactionChoices,
): Promise<Prepared | 'over' | 'change'> {
  const around = await surroundings(parts);
  const makers = await import('./export-makers.ts');
  const store = new makers.SessionStore(
    makers.nodeStorePorts((text) => parts.log.warn(text)),
    parts.storage,
  );
  const made = await whileShown(vscode.ProgressLocation.Notification, vscode.l10n.t('Reading the log…'), () =>
    makers.makeBundle(store, {
      session_id,
      choices,
      around,
      app_version,
      made_at: new Date().toISOString(),
      salt: randomBytes(32).toString('hex'),
    }),
  );
  switch (made.kind) {
    case 'too_large':
      if (!choices.contents) return askForLess(made.bytes);
      await sayTooLarge(made.bytes);
      return 'over';
    case 'empty':
      await inform(vscode.l10n.t('Nothing of this log can be read. The log as it is can be exported.'));
      return 'over';
    case 'made':
      return {
        text: made.text,
        bytes: made.bytes,
        summary: makers.bundleSummary(made.manifest, made.bytes, inLanguage),
      };
  }
}

async function askForLess(bytes: number): Promise<'over' | 'change'> {
  const change = vscode.l10n.t('Change what is removed');
  const answer = await warn(
    vscode.l10n.t(
      'The bundle was not made: it would be too large ({0} or more). Remove its contents as well, or export the log as it is.',
      sizeText(bytes, vscode.env.language),
    ),
    change,
  );
  return answer === change ? 'change' : 'over';
}

async function surroundings({ apiKey, storage }: ExportParts): Promise<Surroundings> {
  const key = await apiKey.read();
  const fromEnvironment = process.env['OPENAI_API_KEY'];
  return {
    workspaces: [...(vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath), storage],
    home: homedir(),
    user: userInfo().username,
    host: hostname(),
    secrets: [key, fromEnvironment].filter((one) => typeof one === 'string'),
  };
}

/** The documents are there for as long as the question is: after it, they would say what is no longer so. */
async function preview(
  parts: ExportParts,
  session: ExportedSession,
  prepared: Prepared,
): Promise<'over' | 'change'> {
  const { documents } = parts;
  const file = documents.add(nameOf(session), 'bundle', prepared.text);
  const about = documents.add(`${vscode.l10n.t('What leaves')}.md`, 'bundle-summary', prepared.summary);
  await vscode.window.showTextDocument(file, { preview: false, viewColumn: vscode.ViewColumn.Active });
  await vscode.window.showTextDocument(about, { preview: false, viewColumn: vscode.ViewColumn.Beside });
  for (;;) {
    const answer = await ask(prepared);
    const target = answer === 'save' ? await askTarget(session) : undefined;
    // Whoever leaves the dialog is asked again.
    if (answer === 'save' && target === undefined) continue;
    await close([file, about]);
    if (target !== undefined) await write(parts, target, prepared.text);
    return answer === 'change' ? 'change' : 'over';
  }
}

async function ask({ bytes }: Prepared): Promise<'save' | 'change' | 'cancel'> {
  const save = vscode.l10n.t('Save bundle…');
  const change = vscode.l10n.t('Change what is removed');
  const answer = await inform(
    vscode.l10n.t(
      'This is the bundle, and what was removed from it ({0}). Nothing is written yet, and nothing is sent anywhere.',
      sizeText(bytes, vscode.env.language),
    ),
    save,
    change,
    vscode.l10n.t('Cancel'),
  );
  return answer === save ? 'save' : answer === change ? 'change' : 'cancel';
}

async function close(shown: readonly vscode.Uri[]): Promise<void> {
  const names = new Set(shown.map((uri) => uri.toString()));
  const tabs = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(({ input }) => input instanceof vscode.TabInputText && names.has(input.uri.toString()));
  await vscode.window.tabGroups.close(tabs);
}

function nameOf({ session_id }: ExportedSession): string {
  return `${session_id}.ledgerline-bundle.jsonl`;
}

async function askTarget(session: ExportedSession): Promise<vscode.Uri | undefined> {
  return askWhere({
    title: vscode.l10n.t('Export “{0}”', session.name),
    name: nameOf(session),
    filters: { [vscode.l10n.t('Ledgerline bundle')]: ['jsonl'] },
  });
}

async function write(parts: ExportParts, target: vscode.Uri, text: string): Promise<void> {
  await saved(parts, target, () => vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text)));
}

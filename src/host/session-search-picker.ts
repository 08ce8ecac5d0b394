import * as vscode from 'vscode';
import { TOOL_NAMES } from '../runtime/tool-names.ts';
import type { SessionEntry, Sessions } from '../app/sessions.ts';
import { parseQuery, type SearchQuery } from '../runtime/search/query.ts';
import {
  counted,
  foundLine,
  NOTHING_FOUND,
  resultWords,
  shownTitles,
  type ChosenPlace,
  type FoundCount,
  type FoundLine,
} from './found-lines.ts';
import { askLines, localDays, queryWords, type AskLine, type KnownValues } from './search-lines.ts';
import { plain } from './shown-text.ts';
import { sizeText } from './sessions-tree.ts';

interface ChangeLine extends vscode.QuickPickItem {
  readonly does: { readonly kind: 'change' };
}

type Line = AskLine | FoundLine | ChangeLine;

type Searched = Pick<Sessions, 'search' | 'mostHits'>;

/** A list that is drawn anew for every find would flicker. */
const DRAW_EVERY_MS = 150;

/** Asks for words and filters and shows what has them, while it still reads. Undefined when nothing was chosen. */
export async function searchInSessions(
  sessions: Searched,
  entries: readonly SessionEntry[],
  log: vscode.LogOutputChannel,
): Promise<ChosenPlace | undefined> {
  const pick = vscode.window.createQuickPick<Line>();
  pick.keepScrollPosition = true;
  pick.ignoreFocusOut = false;
  const chosen = new Promise<ChosenPlace | undefined>((resolve) => {
    const picker = new SearchPicker(pick, { sessions, titles: shownTitles(entries), log });
    pick.onDidChangeValue(() => picker.typed());
    pick.onDidTriggerButton(() => picker.ask());
    pick.onDidAccept(() => {
      const place = picker.accept(pick.selectedItems[0]);
      if (place === undefined) return;
      resolve(place);
      pick.hide();
    });
    pick.onDidHide(() => {
      picker.stop();
      resolve(undefined);
    });
    picker.ask();
    pick.show();
  });
  try {
    return await chosen;
  } finally {
    pick.dispose();
  }
}

interface PickerParts {
  readonly sessions: Searched;
  readonly titles: ReadonlyMap<string, string>;
  readonly log: vscode.LogOutputChannel;
}

/** One list with two uses: first it helps to say what is looked for, then it has what was found. */
class SearchPicker {
  private state:
    | { readonly kind: 'asking'; readonly known: KnownValues; readonly offered_for: string }
    | { readonly kind: 'found'; readonly stop: AbortController } = {
    kind: 'asking',
    known: knownValues(),
    offered_for: '',
  };
  /** As it was typed last. */
  private line = '';

  constructor(
    private readonly pick: vscode.QuickPick<Line>,
    private readonly parts: PickerParts,
  ) {}

  ask(line = this.line): void {
    this.stop();
    this.state = { kind: 'asking', known: knownValues(), offered_for: '' };
    const { pick } = this;
    pick.busy = false;
    pick.buttons = [];
    pick.matchOnDescription = false;
    pick.matchOnDetail = false;
    pick.title = vscode.l10n.t('Search in all sessions');
    pick.placeholder = vscode.l10n.t('Words and filters, such as state:failed');
    pick.value = line;
    this.offer();
  }

  typed(): void {
    if (this.state.kind === 'asking') this.offer();
  }

  /** The place that was chosen, if one was. */
  accept(item: Line | undefined): ChosenPlace | undefined {
    const { state, pick } = this;
    // Somebody who types fast has not seen the lines for what they typed: they mean what they typed.
    const isMeant = state.kind === 'found' || state.offered_for === pick.value;
    const does = isMeant ? item?.does : ({ kind: 'search' } as const);
    switch (does?.kind) {
      case 'open':
        return does.place;
      case 'search':
        this.search(pick.value);
        return undefined;
      case 'type':
        pick.value = does.value;
        this.offer();
        return undefined;
      case 'change':
        this.ask();
        return undefined;
      case 'nothing':
      case undefined:
        return undefined;
    }
  }

  stop(): void {
    if (this.state.kind === 'found') this.state.stop.abort();
  }

  private offer(): void {
    if (this.state.kind !== 'asking') return;
    const { pick } = this;
    this.line = pick.value;
    this.state = { ...this.state, offered_for: pick.value };
    const lines = askLines(pick.value, parseQuery(pick.value, localDays()), this.state.known);
    pick.items = lines;
    // VS Code puts lines that look like what was typed first: what Enter takes stays what it is.
    pick.activeItems = lines.slice(0, 1);
  }

  private search(line: string): void {
    const { query, problems } = parseQuery(line, localDays());
    if (problems.length > 0) return this.offer();
    const { pick, parts } = this;
    const stop = new AbortController();
    this.line = line;
    this.state = { kind: 'found', stop };
    pick.items = [];
    pick.value = '';
    pick.title = plain(vscode.l10n.t('Search in all sessions: {0}', queryWords(query)));
    pick.buttons = [vscode.QuickInputButtons.Back];
    pick.matchOnDescription = true;
    pick.matchOnDetail = true;
    pick.placeholder = vscode.l10n.t('Searching…');
    pick.busy = true;
    this.fill(query, stop.signal).catch((error: unknown) => {
      parts.log.error(`searching: ${String(error)}`);
      if (stop.signal.aborted) return;
      pick.busy = false;
      pick.placeholder = vscode.l10n.t('The search failed: {0}', String(error));
    });
  }

  private async fill(query: SearchQuery, signal: AbortSignal): Promise<void> {
    const { pick } = this;
    const { sessions, titles } = this.parts;
    const list = new FoundList(pick);
    let count: FoundCount = NOTHING_FOUND;
    const progress = (bytes: number, of: number): void => {
      if (!signal.aborted) list.draw(searchingWords(bytes, of, count));
    };
    for await (const found of sessions.search(query, signal, progress)) {
      if (signal.aborted) return;
      count = counted(count, found);
      list.add(foundLine(found, titles.get(found.session_id) ?? found.session_id));
    }
    if (signal.aborted) return;
    list.end(resultWords(count, sessions.mostHits));
    pick.busy = false;
  }
}

/** The lines of what was found, drawn now and then. */
class FoundList {
  private readonly lines: Line[] = [];
  private drawn = { at: 0, count: 0 };

  constructor(private readonly pick: vscode.QuickPick<Line>) {}

  add(line: FoundLine): void {
    this.lines.push(line);
    // The first is shown at once.
    if (this.lines.length === 1) this.show();
  }

  draw(placeholder: string): void {
    if (Date.now() - this.drawn.at < DRAW_EVERY_MS) return;
    this.pick.placeholder = placeholder;
    this.show();
  }

  end(placeholder: string): void {
    this.lines.push({
      label: vscode.l10n.t('Change the search'),
      iconPath: new vscode.ThemeIcon('edit'),
      alwaysShow: true,
      does: { kind: 'change' },
    });
    this.show();
    this.pick.placeholder = placeholder;
  }

  /** Only where there is something new, and with the line that one is at where it was. */
  private show(): void {
    const { pick, lines, drawn } = this;
    this.drawn = { at: Date.now(), count: lines.length };
    if (lines.length === drawn.count) return;
    const [active] = pick.activeItems;
    // VS Code tells a moment later that a line is gone: with one that is in no list, Enter would choose nothing.
    const isMoved = active !== undefined && lines.indexOf(active) > 0;
    pick.items = [...lines];
    if (isMoved) pick.activeItems = [active];
  }
}

function searchingWords(bytes: number, of: number, { turns }: FoundCount): string {
  const { language } = vscode.env;
  const [read, all] = [sizeText(bytes, language), sizeText(of, language)];
  return turns === 0
    ? vscode.l10n.t('Searching: {0} of {1}', read, all)
    : vscode.l10n.t('Searching: {0} of {1}, {2} found', read, all, turns);
}

/** The tools of the program, and files that are open: what somebody is most likely to think of. */
function knownValues(): KnownValues {
  const open = vscode.window.tabGroups.all.flatMap(({ tabs }) =>
    tabs.flatMap(({ input }) =>
      input instanceof vscode.TabInputText ? [vscode.workspace.asRelativePath(input.uri, false)] : [],
    ),
  );
  return { tools: TOOL_NAMES, files: [...new Set(open)] };
}

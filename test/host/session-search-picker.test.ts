import { beforeEach, describe, expect, test, vi } from 'vitest';
import { searchInSessions } from '../../src/host/session-search-picker.ts';
import type { SearchQuery } from '../../src/runtime/search/query.ts';
import type { SearchFound } from '../../src/storage/session-search.ts';
import { FarQuickPick } from './far-quick-pick.ts';

vi.mock('vscode', async () => {
  const { vscodeDouble } = await import('./vscode-double.ts');
  const { FarQuickPick: Pick } = await import('./far-quick-pick.ts');
  class ThemeIcon {
    static readonly File = new ThemeIcon('file');
    constructor(readonly id: string) {}
  }
  return {
    ...vscodeDouble,
    ThemeIcon,
    QuickInputButtons: { Back: 'back' },
    window: { ...vscodeDouble.window, createQuickPick: () => new Pick() },
  };
});

function turn(name: string): SearchFound {
  return {
    kind: 'hit',
    session_id: `ses_${name}`,
    turn_id: `turn_${name}`,
    seq: 1,
    ts: null,
    where: 'prompt',
    state: 'completed',
    prompt: name,
    excerpt: { before: '', match: name, after: '' },
  };
}

/** A search that finds what it is told to, when it is told to. */
class Search {
  readonly asked: SearchQuery[] = [];
  readonly mostHits = 1000;
  private next = Promise.withResolvers<SearchFound | null>();
  private tellProgress: (bytes: number, of: number) => void = () => undefined;

  async *search(
    query: SearchQuery,
    _signal: AbortSignal,
    progress?: (bytes: number, of: number) => void,
  ): AsyncGenerator<SearchFound> {
    this.asked.push(query);
    this.tellProgress = progress ?? this.tellProgress;
    for (;;) {
      const found = await this.next.promise;
      if (found === null) return;
      this.next = Promise.withResolvers();
      yield found;
    }
  }

  async finds(...turns: readonly (SearchFound | null)[]): Promise<void> {
    for (const one of turns) {
      this.next.resolve(one);
      await settled();
    }
  }

  reads(bytes: number, of: number): void {
    this.tellProgress(bytes, of);
  }
}

/** Until all that was to be said on this side has been said: the window has heard none of it. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
}

let search: Search;
let chosen: ReturnType<typeof searchInSessions>;
let list: FarQuickPick;

beforeEach(() => {
  search = new Search();
  chosen = searchInSessions(search, [], { error: (words: string) => expect.fail(words) } as never);
  list = FarQuickPick.last;
  list.hearing();
});

describe('a list of what was found', () => {
  test('begins at the first line, however soon that was found, and Enter takes it', async () => {
    list.types('clock');
    list.enter();
    await search.finds(turn('clock'), null);
    list.hearing();
    expect(list.drawn).toEqual(['> clock', 'Change the search']);
    list.enter();
    expect(await chosen).toMatchObject({ session_id: 'ses_clock', turn_id: 'turn_clock' });
  });

  test('has the first turns while the others are still read, and says how far that is', async () => {
    list.types('state:completed');
    list.enter();
    list.hearing();
    await search.finds(turn('one'));
    search.reads(2_000_000, 160_000_000);
    list.hearing();
    expect([list.drawn, list.busy]).toEqual([['> one'], true]);
    vi.useFakeTimers({ now: Date.now() + 200, toFake: ['Date'] });
    await search.finds(turn('two'));
    search.reads(4_000_000, 160_000_000);
    vi.useRealTimers();
    list.hearing();
    expect([list.drawn, list.placeholder]).toEqual([['> one', 'two'], 'Searching: 4 MB of 160 MB, 2 found']);
    await search.finds(null);
    list.hearing();
    expect([list.placeholder, list.busy]).toEqual(['2 turns have it. Type to narrow down.', false]);
    expect(list.title).toBe('Search in all sessions: All turns · State: Completed');
  });

  test('stays at the line that one has moved to when more are found', async () => {
    list.types('clock');
    list.enter();
    list.hearing();
    await search.finds(turn('one'));
    vi.useFakeTimers({ now: Date.now() + 200, toFake: ['Date'] });
    await search.finds(turn('two'));
    search.reads(1, 2);
    vi.useRealTimers();
    list.hearing();
    list.moves(1);
    await search.finds(turn('three'), null);
    list.hearing();
    expect(list.drawn).toEqual(['one', '> two', 'three', 'Change the search']);
  });

  test('leads back to what was typed', async () => {
    list.types('state:failed ');
    list.enter();
    await search.finds(null);
    list.hearing();
    expect([list.drawn, list.placeholder]).toEqual([['> Change the search'], 'Nothing was found.']);
    list.enter();
    list.hearing();
    expect([list.value, list.drawn[0]]).toEqual(['state:failed ', '> Search']);
  });
});

describe('a list of what can be asked for', () => {
  test('is put together by Enter alone', () => {
    expect(list.drawn.at(0)).toBe('> state:');
    list.enter();
    list.hearing();
    expect(list.value).toBe('state:');
    list.types('state:fai');
    list.hearing();
    expect(list.drawn).toEqual(['> failed', 'partial_failed']);
    list.enter();
    list.hearing();
    expect([list.value, list.drawn[0]]).toEqual(['state:failed ', '> Search']);
    expect(search.asked).toEqual([]);
  });

  test('searches for what was typed, also when Enter came before its lines', () => {
    list.types('clock');
    list.enterUnheard();
    expect(search.asked.map(({ terms }) => terms)).toEqual([['clock']]);
  });

  test('searches nothing while a filter is wrong, and says what is', () => {
    list.types('state:faild clock');
    list.enter();
    list.hearing();
    expect(list.drawn[0]).toBe('> “faild” is no state.');
    expect([search.asked, list.value]).toEqual([[], 'state:faild clock']);
  });

  test('chooses nothing when it is closed', async () => {
    list.hide();
    expect(await chosen).toBeUndefined();
  });
});

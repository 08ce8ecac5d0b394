import { appendFile, copyFile, symlink, utimes } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { sessionToGoOnWith } from '../../src/app/last-session.ts';
import { NO_QUERY } from '../../src/runtime/search/query.ts';
import { Sessions } from '../../src/app/sessions.ts';
import { record, TALK } from '../storage/recorded-session.ts';
import { freshFolder, logPath, storeIn } from '../storage/storage-place.ts';
import { says, stage } from '../lifecycle/window.ts';

let root = '';
let warnings: string[] = [];

beforeEach(async () => {
  root = freshFolder();
  warnings = [];
  for (const id of ['a', 'b', 'c']) await record(storeIn(root), [{ ...TALK, say: `Session ${id}` }], id);
});

function sessions(): Sessions {
  return new Sessions(root, (message) => void warnings.push(message));
}

async function listed(): Promise<readonly string[]> {
  return (await sessions().list()).map(
    ({ title, pinned, archived }) => `${title}${pinned ? ' pinned' : ''}${archived ? ' archived' : ''}`,
  );
}

describe('the sessions of a workspace', () => {
  it('have the names that people gave them, and pinned ones come first', async () => {
    const here = sessions();
    await here.rename('b', '  A better\n name ');
    await here.mark('c', { pinned: true });
    await here.mark('a', { archived: true });
    expect(await listed()).toEqual(['Session c pinned', 'Session a archived', 'A better name']);
    await here.rename('b', '');
    expect(await listed()).toContain('Session b');
  });

  it('have no name that nobody can see', async () => {
    const here = sessions();
    for (const blank of ['\u200b\u2060', '\u202e\ufeff \t', '\u3164\u2800', '\u200d'])
      await here.rename('a', blank);
    await here.rename('b', '\u202eevil\u202c\u0007 name\u200d ');
    await here.rename('c', 'می\u200cخواهم 👩\u200d💻');
    expect((await listed()).toSorted()).toEqual(['Session a', 'evil name', 'می\u200cخواهم 👩\u200d💻']);
  });

  it('keep their names through the trash and without the cache of the list', async () => {
    const here = sessions();
    await here.rename('b', 'Named');
    const moved = await here.delete('b');
    expect(await listed()).toEqual(['Session a', 'Session c']);
    expect((await here.deleted()).map((one) => one.title)).toEqual(['Named']);
    if (moved.kind === 'moved') await here.restore(moved.name);
    expect(await listed()).toEqual(['Session a', 'Named', 'Session c']);
    expect(await here.delete('../b')).toEqual({ kind: 'missing' });
  });

  it('are gone on with by the window that had one last, but not once it is in the trash', async () => {
    expect(await sessionToGoOnWith(root, 'b')).toBe('b');
    // Nothing was sent in it yet: its draft may be there.
    expect(await sessionToGoOnWith(root, 'new')).toBe('new');
    const moved = await sessions().delete('b');
    expect(await sessionToGoOnWith(root, 'b')).toBeNull();
    if (moved.kind === 'moved') await sessions().restore(moved.name);
    expect(await sessionToGoOnWith(root, 'b')).toBe('b');
    expect(await sessionToGoOnWith(root, '../b')).toBeNull();
    expect(await sessionToGoOnWith(root, null)).toBeNull();
  });

  it('are searched in the order of their last use, also those that are archived or imported, but not the trash', async () => {
    const here = sessions();
    await copyFile(logPath(root, 'b'), logPath(root, 'imported-b'));
    for (const [index, id] of ['imported-b', 'b', 'c', 'a'].entries()) {
      const used = new Date(Date.UTC(2020, 0, 1 + index));
      await utimes(logPath(root, id), used, used);
    }
    await record(storeIn(root), [{ ...TALK, say: 'Session d' }], 'd');
    await here.mark('c', { archived: true });
    await here.delete('d');
    const hits: string[] = [];
    const { signal } = new AbortController();
    for await (const hit of here.search({ ...NO_QUERY, terms: ['session'] }, signal))
      hits.push(hit.session_id);
    expect(hits).toEqual(['a', 'c', 'b', 'imported-b']);
  });

  it('are listed also when their names cannot be read', async () => {
    await symlink(`${root}/session-marks.jsonl`, `${root}/session-marks.jsonl`);
    expect((await listed()).toSorted()).toEqual(['Session a', 'Session b', 'Session c']);
    expect(warnings).toEqual([expect.stringContaining('names of sessions could not be read')]);
  });

  it('report marks that cannot be read, once', async () => {
    const here = sessions();
    await here.mark('a', { pinned: true });
    await appendFile(`${root}/session-marks.jsonl`, 'half a li\n');
    await here.list();
    await here.list();
    expect(warnings).toEqual([expect.stringContaining('lines 2 cannot be read')]);
  });

  it('when one has news, only that one is looked at', async () => {
    const here = sessions();
    await here.list();
    await record(storeIn(root), [TALK, TALK], 'd');
    await record(storeIn(root), [TALK], 'e');
    const rows = await here.list(new Set(['d', 'gone']));
    expect(rows.map((row) => row.session_id).toSorted()).toEqual(['a', 'b', 'c', 'd']);
  });
});

const on = stage();

describe('a conversation', () => {
  it('shows the name that its session was given, at once and when it is opened again', async () => {
    await on.script(says('Hello.'), says('Hello.'));
    const window = await on.open();
    await window.send('First line');
    await window.rests();
    await new Sessions(on.place.storage, () => undefined).rename('s1', 'Given');
    await window.receive({ type: 'ready' });
    await window.until((message) => message.type === 'snapshot' && message.title === 'Given');
    const other = await on.open({}, 's2');
    await other.receive({ type: 'open_session', session_id: 's1' });
    await other.until(
      (message) =>
        message.type === 'snapshot' &&
        message.title === 'Given' &&
        message.access.kind === 'read_only' &&
        /process \d+ on /.test(message.access.message),
    );
  });
});

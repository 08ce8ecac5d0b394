import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { changesOf, type LookUp } from '../../src/host/commit-changes.ts';
import type { Repository } from '../../src/host/git-extension.ts';

const FOLDER = join('/', 'repository');
const READS: Readonly<Record<string, string>> = { 'new.txt': 'one\n', 'long.txt': 'x'.repeat(9000) };

function diffOf(name: string): string {
  return `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n+text of ${name}\n`;
}

function repository(has: { staged?: string; tracked?: string; untracked?: readonly string[] }): Repository {
  const { staged = '', tracked = '', untracked = [] } = has;
  return {
    root: 'file:///repository',
    folder: FOLDER,
    diff: async (which) => (which.staged ? staged : tracked),
    untracked: async () => untracked.map((name) => join(FOLDER, name)),
    message: '',
  };
}

/** A rule keeps all that is private; what has no words here is not text. */
const lookUp: LookUp = async (given) =>
  given.map((one) => {
    const name = one.path?.slice(FOLDER.length + 1).replaceAll('\\', '/') ?? '';
    if (name.startsWith('private/')) return refused('attachment_denied');
    const text = one.text ?? READS[name];
    return text === undefined ? refused('attachment_not_text') : { ok: true, value: { ...one, text } };
  });

function refused(code: string): Awaited<ReturnType<LookUp>>[number] {
  return { ok: false, code, why: '', message: '' };
}

describe('the changes of a commit', () => {
  test('are what is staged, where something is', async () => {
    const changes = repository({ staged: diffOf('a.txt'), tracked: diffOf('b.txt'), untracked: ['new.txt'] });
    expect(await changesOf(changes, lookUp)).toEqual({
      staged: true,
      files: ['a.txt'],
      diff: diffOf('a.txt'),
    });
  });

  test('are else all of them, also new files', async () => {
    const changes = await changesOf(repository({ tracked: diffOf('b.txt'), untracked: ['new.txt'] }), lookUp);
    expect(changes).toMatchObject({ staged: false, files: ['b.txt', 'new.txt'] });
    expect(changes?.diff).toBe(
      `${diffOf('b.txt')}diff --git a/new.txt b/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,1 @@\n+one\n`,
    );
  });

  test('may be new files alone', async () => {
    const changes = await changesOf(repository({ untracked: ['new.txt', 'program'] }), lookUp);
    expect(changes?.diff).toContain('+one\n');
    expect(changes?.diff).toContain('Binary files /dev/null and b/program differ\n');
  });

  test('are none where there are none', async () => {
    expect(await changesOf(repository({}), lookUp)).toBeNull();
  });

  test('that tools may not read are not sent, whether Git knows the file or not', async () => {
    const tracked = diffOf('b.txt') + diffOf('private/plan.txt');
    const changes = await changesOf(repository({ tracked, untracked: ['private/new.txt'] }), lookUp);
    expect(changes?.diff).toBe(
      `${diffOf('b.txt')}[The changes of private/plan.txt are left out: they may not be sent.]\n[The new file private/new.txt is left out: it may not be sent.]\n`,
    );
    expect(changes?.files).toEqual(['b.txt', 'private/plan.txt', 'private/new.txt']);
  });

  test('of which none may be sent are nothing to send', async () => {
    const hidden = { tracked: diffOf('private/plan.txt'), untracked: ['private/new.txt'] };
    expect((await changesOf(repository(hidden), lookUp))?.diff).toBeNull();
    expect((await changesOf(repository({ staged: hidden.tracked }), lookUp))?.diff).toBeNull();
  });

  test('that are long are cut, and say so', async () => {
    const one = await changesOf(repository({ untracked: ['long.txt'] }), lookUp);
    expect(one?.diff).toMatch(/x\n\[1000 more characters of long\.txt are left out\]\n$/u);
    const many = Array.from({ length: 45 }, () => 'new.txt');
    const changes = await changesOf(repository({ untracked: many }), lookUp);
    expect(changes?.diff).toMatch(/\+one\n\[5 more new files are left out\.\]\n$/u);
    const huge = `${diffOf('a.txt')}+${'y'.repeat(90_000)}\n`;
    const both = await changesOf(repository({ tracked: huge, untracked: ['new.txt'] }), lookUp);
    expect(both?.diff).toMatch(/\[\d+ more characters are left out\]/u);
    expect(both?.diff).toContain('+one\n');
    expect(both?.diff?.length).toBeLessThan(61_000);
    const staged = await changesOf(repository({ staged: huge }), lookUp);
    expect(staged?.diff?.length).toBeLessThan(61_000);
  });
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bundleOf } from '../../src/dev/l10n.mjs';

/** The page as the host makes it: its words and its language are there before the script. */
function openPage(page: { readonly words?: string; readonly language: string }): void {
  vi.stubGlobal('document', {
    querySelector: (selector: string) => (selector === '#app' ? { dataset: { words: page.words } } : null),
    documentElement: { lang: page.language },
  });
}

beforeEach(() => vi.resetModules());
afterEach(() => vi.unstubAllGlobals());

test('without words of its own the page speaks English', async () => {
  openPage({ language: 'en' });
  const { t, translated, tenths, whole } = await import('../../webview/l10n.ts');
  expect(t('{0} files changed', 3)).toBe('3 files changed');
  expect(translated('Running 3 tools')).toBe('Running 3 tools');
  expect([tenths(1.25), whole(1234)]).toEqual(['1.3', '1,234']);
});

test('words that are no object are no words', async () => {
  openPage({ words: '["Senden"]', language: 'en' });
  const { t } = await import('../../webview/l10n.ts');
  expect([t('Send'), t('0'), t('constructor')]).toEqual(['Send', '0', 'constructor']);
});

test('the page speaks the language of the words that the host gave it', async () => {
  openPage({ words: JSON.stringify(await bundleOf('de')), language: 'de' });
  const { t, translated, tenths, whole } = await import('../../webview/l10n.ts');
  expect([t('Send'), t('Response interrupted')]).toEqual(['Senden', 'Antwort unterbrochen']);
  expect(t('{0} lines added, {1} removed', 2, 1)).toBe('2 Zeilen hinzugefügt, 1 entfernt');
  expect(t('a word of nobody')).toBe('a word of nobody');
  expect(translated('Run npm test?')).toBe('npm test ausführen?');
  expect([tenths(1.25), whole(1234)]).toEqual(['1,3', '1.234']);
});

test('what is shown of a turn is German, whoever worded it', async () => {
  openPage({ words: JSON.stringify(await bundleOf('de')), language: 'de' });
  const { foldItems } = await import('../../webview/transcript.ts');
  const { announcementOf, phraseOf } = await import('../../webview/turn-phrases.ts');
  const [turn] = foldItems([
    {
      seq: 0,
      ts: '2026-01-01T00:00:00.000Z',
      type: 'turn_failed',
      turn_id: 'turn_1',
      data: { terminal_status: 'interrupted', error_message: 'Superseded by a newer message.' },
    },
  ]);
  if (turn?.kind !== 'turn') throw new Error('the items make no turn');
  const facts = { turn, told: null, waiting: [], stopping: false, now: 0, newsAt: 0 };
  expect(phraseOf({ ...facts, state: 'interrupted' })).toEqual({
    phrase: 'Antwort unterbrochen',
    detail: 'Durch eine neuere Nachricht abgelöst.',
  });
  expect(phraseOf({ ...facts, state: 'running', now: 5000 }).phrase).toBe(
    'Arbeitet: wartet auf das Modell, 5 s',
  );
  expect(announcementOf('waiting')).toBe('Braucht Sie');
});

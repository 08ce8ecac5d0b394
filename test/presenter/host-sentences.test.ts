import { describe, expect, test } from 'vitest';
import { explained } from '../../src/app/faults.ts';
import { bundleOf, wordSources } from '../../src/dev/l10n.mjs';
import { SENTENCES } from '../../src/presenter/composed-sentences.ts';
import { translatedSentence, withoutKind } from '../../src/presenter/host-sentences.ts';
import { describe as activityText } from '../../src/presenter/turn-messages.ts';
import { parseRules } from '../../src/runtime/permissions/rules.ts';
import { errorFacts } from '../../src/runtime/provider-errors.ts';

const german = await bundleOf('de');

function filled(words: string, values: readonly string[]): string {
  return words.replaceAll(/\{(\d)\}/gu, (all, index: string) => values[Number(index)] ?? all);
}

const inEnglish = (words: string, ...values: string[]): string => filled(words, values);
const inGerman = (words: string, ...values: string[]): string => filled(german[words] ?? words, values);

describe.each(SENTENCES)('%s', (sentence) => {
  const values = ['write_file "a (b).ts"', '17', '3'];
  const text = filled(sentence, values);

  test('stays as it is in English', () => {
    expect(translatedSentence(text, inEnglish)).toBe(text);
  });

  test('is found again with its values', () => {
    expect(german).toHaveProperty([sentence]);
    expect(translatedSentence(text, inGerman)).toBe(inGerman(sentence, ...values));
  });
});

test('what the program says is what is translated', () => {
  const texts = [
    activityText({ kind: 'requesting', attempt: 2, since: 0 }),
    activityText({ kind: 'running_tools', calls: ['a', 'b'], since: 0 }),
    errorFacts('rate_limited').sentence,
    explained(new Error('no luck')).text,
  ];
  expect(texts.map((text) => translatedSentence(text, inGerman))).toEqual([
    'Wartet auf das Modell, Versuch 2',
    'Führt 2 Werkzeuge aus',
    'Der Anbieter begrenzt die Anfragen. Warten Sie einen Moment und versuchen Sie es erneut.',
    'Ledgerline ist hier gescheitert: no luck. Das Protokoll bis hierher ist sicher; der Ausgabekanal hat die Details.',
  ]);
});

test('a sentence inside another is translated as well, and lines one by one', () => {
  const retry = `${errorFacts('rate_limited').retry} Retry 1 in 500 ms.`;
  expect(translatedSentence(retry, inGerman)).toMatch(
    /^Der Anbieter begrenzt .* Wiederholung 1 in 500 ms\.$/u,
  );
  const rule = parseRules({ allow: ['run_command('], ask: [], deny: [] }, ['run_command']).problems[0];
  expect(translatedSentence(rule?.message ?? '', inGerman)).toMatch(
    /^Diese Regel ist nicht lesbar: .*\. Sie erlaubt nichts\. Schreiben Sie ein Werkzeug/u,
  );
  const lines = 'Nothing was undone.\nsrc/a.ts: changed since, so it was left as it is.';
  expect(translatedSentence(lines, inGerman)).toBe(
    'Es wurde nichts rückgängig gemacht.\nsrc/a.ts: seither geändert und daher so belassen.',
  );
});

test('a refused attachment says in German, too, what to do about it', () => {
  const why = '.env may hold secrets or belongs to version control, so it is not attached.';
  expect(translatedSentence(`${why} Nothing was sent: remove the attachment and send again.`, inGerman)).toBe(
    '.env kann Geheimnisse enthalten oder gehört zur Versionsverwaltung und wird nicht angehängt. Es wurde nichts gesendet: Entfernen Sie den Anhang und senden Sie erneut.',
  );
});

test('why a line is damaged and what is open is told in the language as well', () => {
  expect(
    [
      'Line 4 is damaged: id, session_id or ts is missing. The session opens read-only; nothing was changed.',
      'The log is damaged: seq 7 where 5 was expected.',
      'No live process could end turn t1, call c1 of run, subagent a1.',
    ].map((text) => translatedSentence(text, inGerman)),
  ).toEqual([
    'Zeile 4 ist beschädigt: id, session_id oder ts fehlt. Die Sitzung öffnet sich nur zum Lesen; es wurde nichts geändert.',
    'Das Protokoll ist beschädigt: seq 7, wo 5 zu erwarten war.',
    'Kein laufender Prozess könnte Runde t1, Aufruf c1 von run, Unteragent a1 beenden.',
  ]);
});

test('a decision that comes too late is refused in the language of the person', () => {
  expect(
    [
      'Nothing waits for a decision under s_1. Nothing was changed.',
      'write_file was asked again since, as s_2. Nothing was changed.',
      'The decision d_1 has been made about something else. Nothing was changed.',
      'The call c_1 has its result already. Nothing was changed.',
    ].map((text) => translatedSentence(text, inGerman)),
  ).toEqual([
    'Unter s_1 wartet nichts auf eine Entscheidung. Es wurde nichts geändert.',
    'Zu write_file wurde seither erneut gefragt, als s_2. Es wurde nichts geändert.',
    'Die Entscheidung d_1 wurde schon über etwas anderes getroffen. Es wurde nichts geändert.',
    'Der Aufruf c_1 hat schon sein Ergebnis. Es wurde nichts geändert.',
  ]);
});

test('values are left as they are, also those that look like words of ours', () => {
  expect(translatedSentence('Run Stop?', inGerman)).toBe('Stop ausführen?');
  expect(translatedSentence('Run {1}?', inGerman)).toBe('{1} ausführen?');
});

test('why a child failed is told in words, without or with the name of the fault', () => {
  const { sentence } = errorFacts('server_error');
  const late = 'The turn did not finish within its budget of 3 s.';
  expect(translatedSentence(`server_error: ${sentence}`, inGerman)).toBe(`server_error: ${german[sentence]}`);
  expect(translatedSentence(`stopped:timeout: ${late}`, inGerman)).toMatch(/^stopped:timeout: Die Runde /u);
  expect(withoutKind(`server_error: ${sentence}`)).toBe(sentence);
  expect(withoutKind(`stopped:timeout: ${late}`)).toBe(late);
  expect(withoutKind(`connection: It broke.`)).toBe('It broke.');
  expect(withoutKind('parse_config: TypeError at line 3')).toBe('parse_config: TypeError at line 3');
  for (const text of ['', 'note: Not needed any more.', 'It broke: twice.', 'server_error: '])
    expect(withoutKind(text)).toBe(text);
});

test('what nobody worded here is left alone', () => {
  const long = `Run ${'x'.repeat(3000)}?`;
  for (const text of ['', 'The model said this.', long])
    expect(translatedSentence(text, inGerman)).toBe(text);
});

/** Put together from more parts than their values, so that no file has them in one piece. */
const IN_PIECES =
  /^The (?:remembered )?rule|^\{0\} in |^This session is open|^Everything|^No tool is|every tool is/u;

test('every other sentence stands in the file that says it', async () => {
  const others = (await wordSources()).filter((text) => !text.includes('export const SENTENCES'));
  const all = others.join('\n');
  const gone = SENTENCES.filter((sentence) => !IN_PIECES.test(sentence)).filter(
    (sentence) => !sentence.split(/\{\d\}/u).every((part) => all.includes(part.trim())),
  );
  expect(gone).toEqual([]);
});

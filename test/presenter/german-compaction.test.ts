import { expect, test } from 'vitest';
import { compactionDocument } from '../../src/presenter/compaction-document.ts';
import { compactionNotice } from '../../src/presenter/pressure.ts';
import { limitationsOf } from '../../src/runtime/compaction/limitations.ts';
import { told } from '../../src/runtime/inspection/spoken-words.ts';
import { RECORD } from '../support/compaction-record.ts';
import { inGerman } from '../support/german.ts';
import { made } from '../support/made-events.ts';
import { CHECKPOINT, PREVIEW, shown } from './shown-compactions.ts';

test('a checkpoint is German but for what it quotes of the log', () => {
  const { text } = compactionDocument(shown(CHECKPOINT), inGerman);
  expect(text).toMatchInlineSnapshot(`
    "# Zwischenstand

    Sitzung                      s1
    Aufgezeichnet                bei seq 143, 2026-01-02T03:04:05.678Z
    Anlass                       von Ihnen verlangt (manual)
    Verfahren                    Fakten des Protokolls, nach festen Regeln (deterministic_v1)
    Fasst zusammen               seq 0 – seq 120: 120 Ereignisse
    Ausgenommen                  seq 101
    Weiter unverändert gesendet  die Unterhaltung ab seq 121 (22 Ereignisse vor dem Zwischenstand)
    Token vorher                 etwa 48.012 Token
    Token nachher                etwa 9.120 Token, 19 % von vorher
    Gezählt                      Schätzungen, umgerechnet auf das, was der Anbieter zuletzt gezählt hat (measured)
    Als JSON                     Öffnen

    ## Zusammenfassung

    \`\`\`text
    Asked: fix the flaky login test.
    Done: the clock is a parameter now.
    \`\`\`

    ## Einschränkungen: 2

    - Outputs of tools are not repeated.
    - The skill review is no longer active.

    ## Offene Aufgaben: 1

    - Run the tests on Windows

    ## Berührte Dateien: 2

    - src/login.ts
    - test/login.test.ts

    ## Entscheidungen: 2

    - edit_file src/login.ts: genehmigt durch Sie
    - run_command rm -r build: abgelehnt durch Sie: Keep the build.

    ## Weggefallene Skills: 1

    - review

    ## Werkzeugaufrufe: 40, davon 2 fehlgeschlagen

    - edit_file: 10
    - read_file: 30

    Die letzten davon. Ihre Ausgaben sind nicht wiederholt: Das Protokoll hat sie.
    - seq 96 read_file src/login.ts: erfolgreich, Ausgabe von 1.234 Byte
    - seq 110 run_command npm test: fehlgeschlagen, Ausgabe von 41.000 Byte, ganz im Blob f00d

    ## Zusammengefasste Ereignisse: 65

    - assistant_message: 20
    - tool_call: 40
    - user_message: 5

    ## Was die nächste Anfrage füllt, in geschätzten Token

    - Anweisungen: 350
    - Werkzeuge: 1.270
    - Skills: 0
    - Verlauf: 5.200
    - Werkzeugausgaben: 2.300

    "
  `);
});

test('a preview says in German that nothing was recorded, and what to do', () => {
  const { text } = compactionDocument(shown(PREVIEW), inGerman);
  expect(text.split('\n').slice(0, 8)).toMatchInlineSnapshot(`
      [
        "# Vorschau einer Verdichtung",
        "",
        "Es wurde nichts aufgezeichnet. Dies ist genau, was eine Verdichtung jetzt aufzeichnen würde, Feld für Feld.",
        "Um alles zu lassen, wie es ist, schließen Sie diesen Tab.",
        "Nächste Schritte: Jetzt verdichten · Protokoll öffnen",
        "",
        "Sitzung                      s1",
        "Gebildet aus                 dem Protokoll bis seq 142",
      ]
    `);
});

const IMAGE = {
  sha256: 'a'.repeat(64),
  label: 'shot.png',
  mime: 'image/png',
  bytes: 8,
  width: 4,
  height: 2,
  turn_id: 't1',
  asked: 'Look.',
};

test('what a checkpoint does not tell is told in German', () => {
  const lost = {
    outputs: 2,
    output_bytes: 41_000,
    reasoning: 1,
    images: 2,
    listed_images: 3,
    failed_turns: 1,
    files: 3,
    decisions: 1,
    tasks: 2,
  };
  const images = [IMAGE, { ...IMAGE, sha256: 'b'.repeat(64) }];
  const facts = { lost, images, skills_dropped: ['review'], earlier: 'They talked.', earlier_by_model: true };
  const fallback = { from: 'model_assisted_v1', kind: 'not_in_form', message: '' } as const;
  const left_out = [
    'Older parts of earlier checkpoints are left out.',
    '12 requests after the first left out.',
  ];
  const limitations = [
    ...limitationsOf(facts, { strategy: 'deterministic_v1', left_out, fallback }),
    ...limitationsOf(facts, { strategy: 'model_assisted_v1', left_out: [], fallback: undefined }).slice(0, 1),
  ];
  const { text } = compactionDocument(shown(CHECKPOINT, { ...RECORD, limitations }), inGerman);
  const from = text.indexOf('## Einschränkungen');
  expect(text.slice(from, text.indexOf('\n## ', from)).trim().split('\n- ')).toMatchInlineSnapshot(`
    [
      "## Einschränkungen: 18
    ",
      "Nach Regeln aus dem Protokoll gebildet: Anfänge von Anfragen und Antworten sind zitiert, der Rest ist weggelassen.",
      "Teile dessen, was von früher berichtet wird, hat ein Modell geschrieben: Sie können falsch oder unvollständig sein.",
      "Was frühere Zwischenstände weggelassen haben, fehlt auch hier.",
      "Eine Zusammenfassung durch ein Modell war verlangt und kam nicht zustande (not_in_form).",
      "Dateien und Ergebnisse von Befehlen können sich seither geändert haben: Vor dem Gebrauch ist neu nachzusehen.",
      "Die Ausgaben von 2 Werkzeugaufrufen (41 KB) sind nicht wiederholt. Wo es darauf ankommt, ist das Werkzeug erneut aufzurufen.",
      "Die Gedanken hinter diesen Antworten werden nicht mehr gesendet.",
      "2 Bilder dieser Nachrichten werden nicht mehr gesendet.",
      "2 Bilder von vorher sind nicht in der Eingabe: Mit view_image und der Referenz wird eines noch einmal angesehen.",
      "3 am längsten zurückliegende Bilder fehlen in der Liste.",
      "Text von Antworten, die scheiterten oder abbrachen, ist nicht zitiert.",
      "Skills, die nur in diesem Bereich aktiv waren, gelten nicht mehr, solange sie nicht erneut aktiviert werden: review.",
      "3 am längsten zurückliegende geänderte Dateien fehlen in der Liste.",
      "1 am längsten zurückliegende Entscheidung fehlt in der Liste.",
      "2 offene Aufgaben am Ende fehlen in der Liste.",
      "Ältere Teile früherer Zwischenstände sind weggelassen.",
      "12 Anfragen nach der ersten sind weggelassen.",
      "Von einem Modell aus Auszügen des Protokolls geschrieben: Es kann falsch oder unvollständig sein. Listen von Dateien, Aufgaben und Entscheidungen stammen aus dem Protokoll.",
    ]
  `);
});

test('what was compacted is said in German, with its numbers as German writes them', () => {
  const message = 'The answer was not in the form that was asked for.';
  const fallback = { from: 'model_assisted_v1', kind: 'not_in_form', message } as const;
  const notice = compactionNotice(made('history_compaction', 7, { ...RECORD, fallback }));
  expect(inGerman(told(notice.message))).toBe(
    'Der frühere Verlauf wurde verdichtet, von etwa 48.012 auf etwa 9.120 Token. Das Protokoll behält alles. Das Modell konnte die Zusammenfassung nicht schreiben, daher entstand sie nach Regeln. Die Antwort hatte nicht die verlangte Form.',
  );
});

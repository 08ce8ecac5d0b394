import { expect, test } from 'vitest';
import { diagnosisDocument } from '../../src/presenter/diagnosis-document.ts';
import { requestDocument } from '../../src/presenter/request-document.ts';
import { DiagnosisFold, type Diagnosis, type LogFacts } from '../../src/runtime/inspection/diagnosis.ts';
import { requestReport } from '../../src/runtime/inspection/request-report.ts';
import { SOUND } from '../support/log-facts.ts';
import { inGerman } from '../support/german.ts';
import { made, oneOfEach, usage } from '../support/made-events.ts';
import { reportSession } from '../support/report-session.ts';
import type { SessionBench } from '../support/session-bench.ts';

function diagnosed(bench: SessionBench, facts: Partial<LogFacts> = {}): Diagnosis {
  const fold = new DiagnosisFold('s1');
  for (const event of bench.events) fold.push(event);
  return fold.finish({ ...SOUND, ...facts });
}

test('a diagnosis is German but for what it quotes of the log', async () => {
  const damage = [{ line: 4, reason: 'not valid JSON' }];
  const { text: all, links } = diagnosisDocument(
    's1',
    diagnosed(await reportSession(), { damage }),
    inGerman,
  );
  expect(all).toMatchInlineSnapshot(`
    "# Diagnose: Blockiert

    Sitzung           s1
    Prüfungen         17 von 21 in Ordnung
    Als JSON          Öffnen

    ## Braucht Aufmerksamkeit: 4

    ### Unversehrtheit des Protokolls (blockiert die Sitzung)
    Zeile 4 ist beschädigt: kein gültiges JSON. Die Sitzung öffnet sich nur zum Lesen; es wurde nichts geändert.
    - Zeile 4: kein gültiges JSON
    Nächste Schritte: Protokoll öffnen · Exportieren · Vom letzten guten Ereignis abzweigen

    ### Aufbewahrte Teilantworten
    1 unvollständige Antwort, als Beleg aufbewahrt und nicht an das Modell gesendet. Beschädigte Zeilen sind ausgenommen.
    - seq 16: Zeichen 4
    Nächste Schritte: Protokoll öffnen

    ### Fehlgeschlagene Runden
    1 fehlgeschlagene Runde, als solche aufgezeichnet. Beschädigte Zeilen sind ausgenommen.
    - seq 14: vorzeitig beendet, Fehler des Anbieters
    Nächste Schritte: Protokoll öffnen

    ### Anfrage an den Anbieter
    Aus einem beschädigten Protokoll wird keine Anfrage gebildet: Die Sitzung öffnet sich nur zum Lesen.
    Nächste Schritte: Vom letzten guten Ereignis abzweigen

    ## In Ordnung: 17

    - Unbekannte Ereignisse: Kein unbekanntes Ereignis. Beschädigte Zeilen sind ausgenommen.
    - Aufrufe und Ergebnisse: Jeder Aufruf einer beendeten Runde hat sein Ergebnis. Beschädigte Zeilen sind ausgenommen.
    - Abschluss der Runden: 2 Runden, jede mit dem Beleg, wie sie endete. Beschädigte Zeilen sind ausgenommen.
    - Unterbrochene Runden: Keine unterbrochene Runde. Beschädigte Zeilen sind ausgenommen.
    - Offene Entscheidungen: Nichts wartet auf eine Person. Beschädigte Zeilen sind ausgenommen.
    - Unbekannte Ausgänge: Kein Aufruf mit Wirkung ist offen, dessen Ausgang niemand kennt. Beschädigte Zeilen sind ausgenommen.
    - Zeitüberschreitungen von Unteragenten: Kein Unteragent überschritt seine Zeit. Beschädigte Zeilen sind ausgenommen.
    - Offene Unteragenten: Kein Unteragent ist übrig. Beschädigte Zeilen sind ausgenommen.
    - Was das Modell von Unteragenten erfuhr: Das Modell hat von jedem Ende eines Unteragenten erfahren, wie es soll. Beschädigte Zeilen sind ausgenommen.
    - Belege der Endzustände: Jeder Übergang von Läufen und Aufrufen steht in den Zustandstabellen. Beschädigte Zeilen sind ausgenommen.
    - Verwaistes: Nichts ist offen, das kein laufender Prozess beenden könnte. Beschädigte Zeilen sind ausgenommen.
    - Lücken in Workflows: Jeder Schritt eines beendeten Workflows hat seinen Zwischenstand. Beschädigte Zeilen sind ausgenommen.
    - Verdichtung: Es wurde nichts verdichtet. Beschädigte Zeilen sind ausgenommen.
    - Füllstand des Kontextfensters: Die letzte Anfrage füllte 10 % des Kontextfensters. Beschädigte Zeilen sind ausgenommen.
    - Fortsetzung: Keine Anfrage setzte eine andere fort. Keine Fortsetzung wurde zurückgesetzt. Beschädigte Zeilen sind ausgenommen.
    - Kürzung: Keine gekürzte Antwort. Beschädigte Zeilen sind ausgenommen.
    - Sperre: Kein Prozess hat die Sitzung geöffnet.
    "
  `);
  expect(links.map(({ offset, length }) => all.slice(offset, offset + length))).toEqual([
    'Öffnen',
    'Protokoll öffnen',
    'Exportieren',
    'Vom letzten guten Ereignis abzweigen',
    'seq 16',
    'Protokoll öffnen',
    'seq 14',
    'Protokoll öffnen',
    'Vom letzten guten Ereignis abzweigen',
  ]);
});

test('a request is German but for what it quotes of the log', async () => {
  const bench = await reportSession();
  const report = requestReport('s1', bench.events, 14);
  const input = { ...report.input, ahead_tokens_estimate: 400 };
  const { text: all, links } = requestDocument({ ...report, input }, 'past', inGerman);
  expect(all).toMatchInlineSnapshot(`
    "# Anfrage

    Sitzung             s1
    Gebildet aus        dem Protokoll bis seq 14
    Aufgezeichnet       seq 17
    Anfrage davor       seq 10
    Anfrage danach      die nächste Anfrage
    Modell              test-model
    Endpunkt            https://models.test/v1
    Prompt-Fassung      ll1
    Cache-Schlüssel     ll1:m_61f401bc:r_auto:s_e8bc163c:t_c0efae52:k_e3b0c442
    Eingabe             7 Elemente, 621 Byte, etwa 156 Token (Schätzung)
    Vor der Eingabe     etwa 400 Token für Anweisungen und Werkzeuge (Schätzung)
    Gemeinsamer Anfang  alle 5 Elemente der vorigen Anfrage, 454 Byte, etwa 114 Token (Schätzung)
    Weggelassen         8 Ereignisse
    Probleme            keine
    Als JSON            Öffnen

    ## Was daraus wurde

    Übertragung       keine: das Offline-Modell
    Versuche          1
    Fortsetzung       keine: Alles wurde gesendet
    Token             unbekannt
    Aus dem Cache     unbekannt
    Kontextfenster    1.000 Token
    Cache-Diagnose    keine vom Endpunkt
    Ende der Antwort  unbekannt
    Zeit              <0,1 s bis zum ersten Token, <0,1 s insgesamt

    ## Neu in dieser Anfrage: 2 Elemente

    ### 5. Nachricht (assistant)
    Aus seq 11 assistant_message, 87 Byte, etwa 22 Token (Schätzung)
    \`\`\`text
    Done.
    \`\`\`

    ### 6. Nachricht (user)
    Aus seq 14 user_message, 80 Byte, etwa 20 Token (Schätzung)
    \`\`\`text
    Two.
    \`\`\`

    ## Gemeinsam mit der vorigen Anfrage: 5 Elemente

    ### 0. Nachricht (developer)
    Aus seq 1 developer_context, 144 Byte, etwa 36 Token (Schätzung)
    \`\`\`text
    Workspace root: "/w"
    Branch: "main"
    Permission mode: auto
    \`\`\`

    ### 1. Nachricht (user)
    Aus seq 2 user_message, 80 Byte, etwa 20 Token (Schätzung)
    \`\`\`text
    One.
    \`\`\`

    ### 2. reasoning
    Aus seq 4 reasoning, 76 Byte, etwa 19 Token (Schätzung)
    \`\`\`text
    {
      "id": "rs_1",
      "type": "reasoning",
      "summary": [],
      "encrypted_content": "enc-rs_1"
    }
    \`\`\`

    ### 3. function_call read (c1)
    Aus seq 5 tool_call, 84 Byte, etwa 21 Token (Schätzung)
    \`\`\`text
    {"path":"a"}
    \`\`\`

    ### 4. function_call_output (c1)
    Aus seq 9 tool_result, 70 Byte, etwa 18 Token (Schätzung)
    \`\`\`text
    content of a
    \`\`\`

    ---- Hier endet der gemeinsame Anfang: alle 5 Elemente der vorigen Anfrage.

    ## Weggelassen: 8 Ereignisse

    ### Belege dafür, was geschah; nie gesendet (8)
    - session_started: seq 0
    - run_status: seq 3, seq 13
    - provider_usage: seq 6, seq 12
    - permission_decision: seq 7
    - tool_call_status: seq 8, seq 10

    ## Anfragen dieser Sitzung: 3

    - seq 15: diese, Durchgang 1, test-model, Eingabe unbekannt, Ausgabe unbekannt, Anfang ganz
    - seq 10: Durchgang 2, test-model, Eingabe 100, aus dem Cache 40, Ausgabe 10, Anfang ganz
    - seq 3: Durchgang 1, test-model, Eingabe 100, aus dem Cache 40, Ausgabe 10

    "
  `);
  expect(links.map(({ offset, length }) => all.slice(offset, offset + length)).slice(0, 6)).toEqual([
    'seq 14',
    'seq 17',
    'seq 10',
    'die nächste Anfrage',
    'Öffnen',
    'seq 11',
  ]);
});

test('the diagnosis of a sound log and the next request are German', async () => {
  const bench = await reportSession();
  const { text: diagnosis } = diagnosisDocument('s1', diagnosed(bench), inGerman);
  expect(diagnosis).toMatch(/^# Diagnose: /u);
  expect(diagnosis).toContain('\n- Unversehrtheit des Protokolls: Jede Zeile ist vollständig');
  const { text: next } = requestDocument(requestReport('s1', bench.events, null), 'next', inGerman);
  expect(next).toMatch(/^# Nächste Anfrage\n/u);
  expect(next).toMatch(/\nGebildet aus {8}dem Protokoll bis seq \d+\n/u);
  expect(next).toContain('\nGemeinsamer Anfang  alle ');
});

test('what is damaged, shared no more and not shown is said in German', () => {
  const { user_message, tool_call, tool_result, assistant_message } = oneOfEach();
  const stream = { turn_id: 't1', stream_run_id: 'r2' };
  const picture = { kind: 'image', mime: 'image/png', data: 'A'.repeat(4000) };
  const log = [
    made('user_message', 0, { ...user_message.data, attachments: [picture] }),
    { ...tool_call, seq: 1 },
    made('assistant_message', 2, { ...assistant_message.data, ...stream, text: 'Meanwhile.' }),
    made('provider_usage', 3, usage(stream)),
    { ...tool_result, seq: 4 },
  ];
  const { text: whole } = requestDocument(requestReport('s1', log, null), 'next', inGerman);
  expect(whole).toContain('[image/png, 4.022 Zeichen, nicht gezeigt]');
  expect(whole).toContain(
    '---- Grund des Bruchs: ein damals offener Aufruf hat jetzt sein Ergebnis, anstelle des Platzhalters, siehe seq 4.',
  );
  const report = requestReport('s1', log, null, [{ line: 2, reason: 'no seq' }]);
  expect(requestDocument(report, 'next', inGerman).text).toContain('- Zeile 2: ohne seq\n');
});

test('the values of a report stand in one column, however long its names are', async () => {
  const { text: all } = requestDocument(
    requestReport('s1', (await reportSession()).events, 14),
    'past',
    inGerman,
  );
  const rows = all.split('\n').slice(2, 17);
  expect(new Set(rows.map((row) => /^.*? {2,}/u.exec(row)?.[0].length)).size).toBe(1);
});

test('every check says in German what it found, whatever that is', async () => {
  const bench = await reportSession();
  const all = [
    diagnosed(bench),
    diagnosed(bench, { lease: 'held' }),
    diagnosed(bench, { lease: 'dead', torn_bytes: 7 }),
    diagnosed(bench, { damage: [{ line: 4, reason: 'no seq' }] }),
  ];
  const english = all
    .flatMap(({ checks }) => checks.map(({ message: said }) => said))
    .filter((said) => inGerman({ told: said }) === said);
  expect(english).toEqual([]);
});

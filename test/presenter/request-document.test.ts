import { describe, expect, it } from 'vitest';
import { requestDocument } from '../../src/presenter/request-document.ts';
import { type Say } from '../../src/presenter/speech.ts';
import type { LogEvent } from '../../src/runtime/events.ts';
import { requestReport } from '../../src/runtime/inspection/request-report.ts';
import { inEnglish } from '../../src/runtime/inspection/spoken-words.ts';
import { inGerman } from '../support/german.ts';
import { COUNTED, made, madeTurn, numbered, oneOfEach, usage } from '../support/made-events.ts';

const data = oneOfEach();

const CHANGED = { ...COUNTED, toolset_hash: 't2', time_to_first_token_ms: 400, total_ms: 65_000 };

const checkpoint = made('history_compaction', 0, {
  ...data.history_compaction.data,
  tail_from_seq: 3,
  tokens_before: 9000,
  tokens_after: 1200,
});

/** Two requests, with a checkpoint and another set of tools between them, and a call for a summary. */
const LOG = numbered([
  ...madeTurn('one'),
  made('provider_usage', 0, { ...usage({ stream_run_id: 'r9', model: 'm9' }), purpose: 'compaction' }),
  checkpoint,
  ...madeTurn('two', CHANGED),
]);

function documentOf(log: readonly LogEvent[], at: number | null, say: Say = inEnglish): string {
  return requestDocument(requestReport('s1', log, at), at === null ? 'next' : 'past', say).text;
}

/** From a heading up to the next one. */
function section(text: string, heading: string): string {
  const from = text.indexOf(`## ${heading}`);
  const to = text.indexOf('\n## ', from + 1);
  return from < 0 ? '' : text.slice(from, to < 0 ? text.length : to);
}

describe('the document of a request on record', () => {
  it('says what came of it', () => {
    expect(section(documentOf(LOG, 5), 'What came of it')).toMatchInlineSnapshot(`
      "## What came of it

      Transport          WebSocket
      Attempts           1
      Continuation       tried and not used: everything was sent (the provider did not have the last response any more)
      Tokens             input 1,200, output 10, reasoning 4, total 1,210
      From the cache     900 tokens (75 % of the input), 60 tokens written to it
      Context window     1,200 of 1,500 tokens, 80 %, tier warning
      Cache diagnosis    cache_miss, tools_changed, 300 tokens missed
      End of the answer  not cut off
      Time               0.4 s to the first token, 1 min 5 s in all
      "
    `);
    expect(section(documentOf(LOG, 5, inGerman), 'Was daraus wurde')).toMatchInlineSnapshot(`
      "## Was daraus wurde

      Übertragung       WebSocket
      Versuche          1
      Fortsetzung       versucht und nicht genutzt: Alles wurde gesendet (der Anbieter hatte die letzte Antwort nicht mehr)
      Token             Eingabe 1.200, Ausgabe 10, Gedanken 4, gesamt 1.210
      Aus dem Cache     900 Token (75 % der Eingabe), 60 Token hineingeschrieben
      Kontextfenster    1.200 von 1.500 Token, 80 %, Stufe warning
      Cache-Diagnose    cache_miss, tools_changed, 300 Token verfehlt
      Ende der Antwort  nicht abgeschnitten
      Zeit              0,4 s bis zum ersten Token, 1 min 5 s insgesamt
      "
    `);
  });

  it('says why the prefix breaks, ahead of the input and in it, and names the checkpoint', () => {
    expect(section(documentOf(LOG, 5), 'Shared with')).toMatchInlineSnapshot(`
      "## Shared with the previous request: 0 items

      ---- It breaks before the input, because other tools are offered, or they are described in another way.
      ---- The shared prefix ends here: 0 of 1 item of the previous request.
      ---- It breaks because a checkpoint has taken the place of earlier history: see seq 4.
      ---- The checkpoint is at seq 4 (asked for by you): about 9,000 tokens became about 1,200 tokens (estimates).
      "
    `);
    expect(section(documentOf(LOG, 5, inGerman), 'Gemeinsam')).toMatchInlineSnapshot(`
      "## Gemeinsam mit der vorigen Anfrage: 0 Elemente

      ---- Bruch vor der Eingabe: es werden andere Werkzeuge angeboten, oder sie sind anders beschrieben.
      ---- Hier endet der gemeinsame Anfang: 0 von 1 Element der vorigen Anfrage.
      ---- Grund des Bruchs: ein Zwischenstand steht anstelle des früheren Verlaufs, siehe seq 4.
      ---- Der Zwischenstand steht bei seq 4 (von Ihnen verlangt): Aus etwa 9.000 Token wurden etwa 1.200 Token (Schätzungen).
      "
    `);
  });

  it('leads to every other request of the session', () => {
    const report = requestDocument(requestReport('s1', LOG, 5), 'past', inEnglish);
    expect(section(report.text, 'Requests')).toMatchInlineSnapshot(`
      "## Requests of this session: 3

      - seq 5: this one, round 1, m1, WebSocket, input 1,200, cached 900, output 10, prefix 0 of 1: other tools are offered, or they are described in another way
      - seq 3: beside the conversation: compaction, m9, input 10, cached 0, output 1
      - seq 0: round 1, m1, input 10, cached 0, output 1

      "
    `);
    expect(section(documentOf(LOG, 5, inGerman), 'Anfragen')).toMatchInlineSnapshot(`
      "## Anfragen dieser Sitzung: 3

      - seq 5: diese, Durchgang 1, m1, WebSocket, Eingabe 1.200, aus dem Cache 900, Ausgabe 10, Anfang 0 von 1: es werden andere Werkzeuge angeboten, oder sie sind anders beschrieben
      - seq 3: neben der Unterhaltung: Verdichtung, m9, Eingabe 10, aus dem Cache 0, Ausgabe 1
      - seq 0: Durchgang 1, m1, Eingabe 10, aus dem Cache 0, Ausgabe 1

      "
    `);
    const ways = report.links.flatMap(({ offset, length, target }) =>
      target.kind === 'action' && target.action.command === 'ledgerline.inspectRequest'
        ? [[report.text.slice(offset, offset + length), target.action.args]]
        : [],
    );
    expect(ways).toEqual([
      ['seq 0', [{ session_id: 's1', at_seq: 0 }]],
      ['the next request', [{ session_id: 's1' }]],
      ['seq 5', [{ session_id: 's1', at_seq: 5 }]],
      ['seq 0', [{ session_id: 's1', at_seq: 0 }]],
    ]);
  });

  it('says of a whole prefix behind other tools that it is none for a cache', () => {
    const log = numbered([...madeTurn('one'), ...madeTurn('two', { toolset_hash: 't2' })]);
    const text = documentOf(log, 3);
    expect(text).toContain(
      'Shared prefix     the only item of the previous request, 79 bytes, about 20 tokens (estimate)\n',
    );
    expect(section(text, 'Shared with')).toMatchInlineSnapshot(`
      "## Shared with the previous request: 1 item

      ---- It breaks before the input, because other tools are offered, or they are described in another way.
      ---- So these items are the same, but not a prefix that a cache could have.

      ### 0. user message
      From seq 0 user_message, 79 bytes, about 20 tokens (estimate)
      \`\`\`text
      one
      \`\`\`

      ---- The shared prefix ends here: the only item of the previous request.
      "
    `);
  });
});

describe('the document of a request that is not on record', () => {
  it('says of the next one that all counts are estimates', () => {
    const [head = ''] = documentOf(LOG, null).split('\n## ');
    expect(head).toMatchInlineSnapshot(`
      "# Next request

      Session           s1
      Made of           the log up to seq 7
      On record         nothing yet: what is counted here is estimated
      Request before    seq 5
      Model             m1
      Endpoint          not known: no request is on record yet
      Prompt contract   ll1
      Cache key         key
      Input             3 items, 326 bytes, about 82 tokens (estimate)
      Before the input  about 1,000 tokens of instructions and tools (estimate)
      Context window    about 1,248 of 1,500 tokens (estimate, scaled by what the provider last counted)
      Shared prefix     all 2 items of the previous request, 242 bytes, about 61 tokens (estimate)
      Left out          5 events
      Problems          none
      Raw JSON          Open
      "
    `);
  });

  it('says of a point at which none left that this is what one would have been', () => {
    expect(documentOf(LOG, 6)).toContain(
      'On record         nothing: no request left here, and this is what one would have sent\n',
    );
    expect(documentOf(LOG, 6, inGerman)).toContain(
      'Aufgezeichnet       nichts: Hier wurde keine Anfrage gesendet, und so hätte eine ausgesehen\n',
    );
  });

  it('says how many requests there are beside the last ones', () => {
    const log = numbered(Array.from({ length: 60 }, (_, n) => madeTurn(`t${n}`)).flat());
    const list = section(documentOf(log, null), 'Requests');
    expect(list.split('\n').slice(0, 3)).toEqual([
      '## Requests of this session: 60',
      '',
      'The last 50 of them:',
    ]);
    expect(list.match(/^- /gm)?.length).toBe(50);
  });
});

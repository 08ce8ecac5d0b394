import { expect, test, vi } from 'vitest';
import { bundleOf } from '../../src/dev/l10n.mjs';
import { tooltipOf, treeItem } from '../../src/host/node-look.ts';
import { stateWords } from '../../src/host/session-words.ts';
import { STATE_LOOKS } from '../../src/presenter/state-looks.ts';
import { DiagnosisFold } from '../../src/runtime/inspection/diagnosis.ts';
import { nameInWords } from '../../src/runtime/inspection/log-names.ts';
import { applyToSessionTrace, emptyTrace } from '../../src/runtime/inspection/session-tree.ts';
import { inEnglish, joined, sentence, told } from '../../src/runtime/inspection/spoken-words.ts';
import { node, type NodeDraft, type TreeNode } from '../../src/runtime/inspection/tree-node.ts';
import { SessionTreeNodes } from '../../src/runtime/inspection/tree-nodes.ts';
import { PROVIDER_ERRORS } from '../../src/runtime/provider-errors.ts';
import { AgentBench } from '../support/agent-bench.ts';
import { asks, later, reports, run, says, spawn, wait } from '../support/cast-provider.ts';
import { treeOf } from '../support/drawn-tree.ts';
import { SOUND } from '../support/log-facts.ts';
import { call, fails, message, responds, text } from '../support/scripted-provider.ts';
import { SessionBench } from '../support/session-bench.ts';

const german = await bundleOf('de');

/** As much of VS Code as a line of a tree needs, with its language set to German. */
vi.mock('vscode', () => ({
  TreeItem: class {
    constructor(readonly label: string) {}
  },
  ThemeIcon: class {
    constructor(readonly id: string) {}
  },
  ThemeColor: class {
    constructor(readonly id: string) {}
  },
  TreeItemCollapsibleState: { None: 0, Collapsed: 1, Expanded: 2 },
  env: { language: 'de' },
  l10n: {
    t: (words: string, ...values: readonly unknown[]) =>
      (german[words] ?? words).replaceAll(/\{(\d)\}/gu, (_, index: string) => String(values[Number(index)])),
  },
}));

function shown(draft: Omit<NodeDraft, 'id' | 'parent'>): readonly unknown[] {
  const { label, description } = treeItem(node({ id: 'one', parent: null, ...draft }), 's1', null);
  return [label, description];
}

test('the lines of the trees are German, and the words of people and models are their own', () => {
  expect(
    shown({
      kind: 'session',
      state: 'ok',
      label: sentence('Session'),
      detail: joined([sentence('1 turn'), sentence('{0} events', 12)]),
    }),
  ).toEqual(['Sitzung', '1 Runde, 12 Ereignisse']);
  expect(
    shown({ kind: 'turn', state: 'completed', label: 'Stop', detail: sentence('{0} calls', 2) }),
  ).toEqual(['Stop', 'Abgeschlossen, 2 Aufrufe']);
  expect(
    shown({ kind: 'turn', state: 'interrupted', label: 'Read', detail: nameInWords('user_cancelled') }),
  ).toEqual(['Read', 'Antwort unterbrochen: von Ihnen gestoppt']);
  expect(shown({ kind: 'check', state: 'attention', label: told('2 calls waiting for a person.') })).toEqual([
    '2 Aufrufe warten auf eine Person.',
    '',
  ]);
  expect(
    shown({ kind: 'call', state: 'failed', label: 'read_file a.txt', detail: nameInWords('not_found') }),
  ).toEqual(['read_file a.txt', 'Fehlgeschlagen: nicht gefunden']);
});

test('spans of time are written as the language writes numbers', () => {
  const spans = [20, 1250, 12_000, 90_000].map(
    (ms) => shown({ kind: 'call', state: 'completed', label: 'read_file', detail: { ms } })[1],
  );
  expect(spans).toEqual(['<0,1 s', '1,3 s', '12 s', '1 min 30 s']);
});

test('what is wrong with a log is said in German', () => {
  expect(stateWords({ problem: 'The log is damaged: no seq.', state: null })).toBe(
    'Das Protokoll ist beschädigt: ohne seq.',
  );
});

async function treeOfEverything(): Promise<ReadonlyMap<string, TreeNode>> {
  const bench = new SessionBench({
    scripts: [
      responds(call('c1', 'read', { path: 'a' }), call('c2', 'nothing')),
      responds(message('Done.')),
      [text('Half'), fails('server_error')],
      responds(call('c3', 'write', { path: 'b' })),
    ],
    settings: { permission_mode: 'ask' },
  });
  for (const prompt of ['Eins', 'Zwei', 'Drei']) await bench.run(prompt);
  const trace = bench.events.reduce((before, event) => applyToSessionTrace(before, event), emptyTrace('s1'));
  const fold = new DiagnosisFold('s1');
  for (const event of bench.events) fold.push(event);
  const diagnosis = fold.finish({ ...SOUND, lease: 'held' });
  return new SessionTreeNodes().build({ trace, earlier: [], diagnosis, live: true });
}

test('what is said when one points at a line is German too, and names nothing as the log spells it', async () => {
  const nodes = await treeOfEverything();
  const said = (id: string): string => {
    const found = nodes.get(id);
    return found === undefined ? `no ${id}` : tooltipOf(found);
  };
  expect(said('session')).toMatch(
    /^Eins\n\n\d+ Ereignisse, zuletzt bei seq \d+\.\nBegonnen bei seq 0\.\nEin laufender Prozess hat das Protokoll\.\nSitzung s1$/u,
  );
  expect(said('turn:turn_1')).toBe(
    [
      'Eins',
      '',
      'Abgeschlossen: Antwort bei seq 13, 2 von 2 Aufrufen haben ihr Ergebnis, nichts offen.',
      'Nachricht bei seq 2, letztes Ereignis bei seq 15.',
      '2 Anfragen, 220 Token.',
    ].join('\n'),
  );
  expect(said('turn:turn_2').split('\n').slice(2, 4)).toEqual([
    'Vorzeitig beendet: unvollständige Antwort bei seq 18, Fehler bei seq 20, keine Aufrufe.',
    `Grund: ${german['The provider had an internal error. Your prompt is safe; try again.'] ?? ''}`,
  ]);
  expect(said('turn:turn_1/call:c2')).toContain(': unbekanntes Werkzeug');
  expect(said('turn:turn_3')).toMatch(/Wartet seit seq \d+: Genehmigung von write \(seq \d+\)\./u);
  expect(said('turn:turn_3/call:c3')).toMatch(/Wartet seit seq \d+ \(Genehmigung\): /u);
  expect(said('check:turn_failures/0')).toContain('vorzeitig beendet, Fehler des Anbieters');
  const names = [...nodes.values()].flatMap((one) => tooltipOf(one).match(/\b[a-z]+_[a-z]+\b/gu) ?? []);
  expect(names).toEqual([]);
});

test('children and workflows are German too, with their times as people write them', async () => {
  const steps = [{ id: 'eins', task: 'Bau um.' }];
  const bench = new AgentBench({
    'Los.': [asks(spawn('c1', 'Schau.')), asks(wait('c2')), asks(run('c3', { name: 'Umbau', steps }))],
    'Schau.': [later(900, says('Gesehen.'))],
    'Bau um.': reports('needs_orchestrator', 'Wie?'),
  });
  await bench.turn('Los.');
  await bench.pass(900);
  const nodes = treeOf(bench);
  const family = [...nodes].filter(([id]) => /subagent:|workflow:/u.test(id));
  expect(family).toHaveLength(4);
  const said = family.map(([, one]) => {
    const { description } = treeItem(one, 's1', null);
    return `${tooltipOf(one)}\n${String(description)}`;
  });
  expect(said.flatMap((words) => words.match(/\b[a-z]+_[a-z]+\b/gu) ?? [])).toEqual([]);
  const lines = (id: string): readonly string[] => tooltipOf(nodes.get(id)!).split('\n');
  expect(lines('turn:turn_1/subagent:agent_1')[2]).toMatch(
    /^Zustand seit seq \d+, \d\d\.\d\d\.\d\d, \d\d:\d\d:\d\d: abgeschlossen\.$/u,
  );
  expect(lines('turn:turn_1/subagent:agent_1').at(-1)).toMatch(/^Dem Modell mitgeteilt bei seq \d+\.$/u);
  const step = nodes.get('turn:turn_1/workflow:wf_c3/step:eins')!;
  expect(treeItem(step, 's1', null).description).toBe('Braucht Sie, braucht eine Entscheidung');
});

test('every state has its phrase in German', () => {
  const phrases = Object.values(STATE_LOOKS).map(({ phrase }) => phrase);
  expect(phrases.filter((phrase) => phrase !== '' && german[phrase] === undefined)).toEqual([]);
});

test('every reason why a turn can fail has words in German', () => {
  const kinds = [...Object.keys(PROVIDER_ERRORS), 'user_cancelled', 'superseded', 'disconnect'];
  const english = kinds.map((kind) => inEnglish(nameInWords(kind)));
  expect(english.filter((words) => german[words] === undefined)).toEqual([]);
});

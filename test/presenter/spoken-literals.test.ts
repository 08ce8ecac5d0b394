import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { bundleOf } from '../../src/dev/l10n.mjs';
import { PROJECT } from '../../src/dev/project.mjs';
import { translatedSentence } from '../../src/presenter/host-sentences.ts';

const german = await bundleOf('de');

function inGerman(words: string, ...values: string[]): string {
  return (german[words] ?? words).replaceAll(
    /\{(\d)\}/gu,
    (all, index: string) => values[Number(index)] ?? all,
  );
}

/** Files below the edge whose sentences a person may come to see. What else tools say, the model reads. */
const SPEAKING = 'src/{runtime,app,storage,presenter,tools/{tool-faults,file-replacement}}{.ts,/**/*.ts}';

/** Sentences that nobody sees in VS Code, or not as they stand there. */
const UNSEEN: Readonly<Record<string, readonly RegExp[]>> = {
  'the model reads them, as the result of a call': [
    /^src\/runtime\/(?:closing|call-work|call-drafts|skill-activation)\.ts: /u,
    /^src\/runtime\/permissions\/denied-paths\.ts: /u,
    /^src\/runtime\/workflows\/child-words\.ts: /u,
    /^src\/runtime\/permissions\/sentences\.ts: .* is (?:denied|allowed|asked|not allowed)\b/u,
  ],
  'the model reads them, in a checkpoint or in what it is asked for one': [
    /^src\/runtime\/compaction\/(?:limitations|model-summary|summary)\.ts: /u,
  ],
  'they are put together with others, and those are looked for': [
    /^src\/runtime\/permissions\/sentences\.ts: The ## # about this\./u,
    /^src\/runtime\/permissions\/rules\.ts: (?:It counts for|No tool is called|Write a tool)/u,
    /^src\/runtime\/inspection\/checks\.ts: (?:No continuation was|Continuations were) reset/u,
    /^src\/app\/read-only-access\.ts: This session is open in another window#/u,
  ],
  'only a program hears them': [
    /^src\/app\/own-actions\.ts: Settings are given when this presenter starts/u,
    /^src\/app\/turn-requests\.ts: # is no command of this presenter\./u,
    /^src\/app\/conversation\.ts: (?:That needs an editor|Drafts are not kept here)/u,
  ],
};

/** Of what is no comment: whole sentences, with `#` for each value. */
function sentencesIn(source: string): readonly string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gmu, '');
  return [...code.matchAll(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/gu)]
    .map(([literal]) => literal.slice(1, -1).replaceAll(/\$\{[^}]*\}/gu, '#'))
    .filter((words) => /^[A-Z"#].* .*[.?]$/u.test(words));
}

test('every sentence that a person may come to see has its German', async () => {
  const unseen = Object.values(UNSEEN).flat();
  const gaps: string[] = [];
  for await (const file of glob(SPEAKING, { cwd: PROJECT })) {
    const source = await readFile(path.join(PROJECT, file), 'utf8');
    for (const words of sentencesIn(source)) {
      const found = `${file.replaceAll(path.sep, '/')}: ${words}`;
      const isSaid = translatedSentence(words, inGerman) !== words;
      if (!isSaid && !unseen.some((known) => known.test(found))) gaps.push(found);
    }
  }
  expect(gaps).toEqual([]);
});

test('a sentence is found in whatever quotes it stands, and a comment is none', () => {
  const source = [
    '// A comment is none.',
    "const a = 'One is here.';",
    'const b = `${name} is another.`;',
    "const c = 'no sentence';",
  ].join('\n');
  expect(sentencesIn(source)).toEqual(['One is here.', '# is another.']);
});

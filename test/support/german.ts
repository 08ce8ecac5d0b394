import { bundleOf } from '../../src/dev/l10n.mjs';
import { sayingIn } from '../../src/presenter/speech.ts';

const german = await bundleOf('de');

/** The words of the program as a person reads them whose VS Code is German. */
export const inGerman = sayingIn({
  tag: 'de',
  t: (words, ...values) =>
    (german[words] ?? words).replaceAll(/\{(\d)\}/gu, (all, index: string) => values[Number(index)] ?? all),
});

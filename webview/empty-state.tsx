import type { VNode } from 'preact';
import { t } from './l10n.ts';
import { runAction, type Presenter } from './presenter.ts';
import type { State } from './state.ts';

export function isMissingKeyShown(state: State): boolean {
  return state.blocks.length === 0 && state.notices.some((notice) => notice.kind === 'missing_key');
}

/** Teaches one thing and offers one action; without a key it offers the two ways to get an answer. */
export function EmptyState({ state, presenter }: { state: State; presenter: Presenter }): VNode {
  if (isMissingKeyShown(state)) return <ChooseModel presenter={presenter} />;
  const example = exampleFor(state.session);
  return (
    <section class="empty">
      <h2>{t('Every step is on record')}</h2>
      <p>
        {t(
          'Ledgerline writes each prompt, tool call and answer to a log on disk before it acts, so you can always check what really happened.',
        )}
      </p>
      <button
        type="button"
        class="button"
        onClick={() => presenter.gesture({ kind: 'draft_offered', text: example })}
      >
        {t('Try: {0}', example)}
      </button>
    </section>
  );
}

function exampleFor(session: State['session']): string {
  if (session?.settings.provider === 'offline') return 'help';
  return session?.no_files === undefined
    ? t('What does this project do, and where does it start?')
    : t('Explain what a race condition is, with a short example.');
}

function ChooseModel({ presenter }: { presenter: Presenter }): VNode {
  return (
    <section class="empty">
      <h2>{t('Choose what answers')}</h2>
      <div class="choice">
        <h3>{t('API key')}</h3>
        <p>
          {t(
            'A model of OpenAI, or of the endpoint in your settings, answers. Prompts and the files it reads are sent there. VS Code keeps the key in its secret storage.',
          )}
        </p>
        <button
          type="button"
          class="button"
          onClick={() => runAction(presenter, { label: '', command: 'ledgerline.setApiKey' })}
        >
          {t('Set API key')}
        </button>
      </div>
      <div class="choice">
        <h3>{t('Offline model')}</h3>
        <p>
          {t(
            'A script answers, not a real model. It reads, edits and runs through the same steps and the same log. Nothing leaves this machine and no key is needed.',
          )}
        </p>
        <button
          type="button"
          class="button"
          onClick={() => runAction(presenter, { label: '', command: 'ledgerline.useOfflineModel' })}
        >
          {t('Use offline model')}
        </button>
      </div>
    </section>
  );
}

import type { VNode } from 'preact';
import { Icon } from '../icons.tsx';
import { t } from '../l10n.ts';
import type { Doubt } from './completion.ts';

/** Instead of sending: what is misspelt would be paid for as words. */
export function DoubtNote({ doubt, send }: { doubt: Doubt; send: () => void }): VNode {
  const { name, isCommand } = doubt;
  return (
    <div class="doubt" role="status">
      <Icon name="warning" />
      <p>
        {isCommand
          ? t('/{0} is a command and takes no words: choose it from the list. Nothing was sent.', name)
          : t('There is no command or skill /{0}. Nothing was sent.', name)}
      </p>
      <button type="button" class="text-button" onClick={send}>
        {t('Send anyway')}
      </button>
    </div>
  );
}

import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../icons.tsx';
import { t } from '../l10n.ts';
import type { Completion } from './use-completion.ts';

export const LIST_ID = 'composer-list';

export function optionId(index: number): string {
  return `${LIST_ID}-${index}`;
}

/** The keyboard stays in the field: the list is told from there which of its options is meant. */
export function Popup({ completion }: { completion: Completion }): VNode | null {
  const { trigger, options, active, searching, setActive } = completion;
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active, options]);
  if (trigger === null) return null;
  const label = trigger.kind === 'attach' ? t('Attach') : t('Commands');
  return (
    <div class="popup">
      <ul
        ref={list}
        id={LIST_ID}
        role="listbox"
        // It scrolls, so it can be reached.
        tabIndex={0}
        aria-label={label}
        class={trigger.kind === 'command' ? 'options commands' : 'options'}
      >
        {options.map((option, index) => (
          <li
            key={option.key}
            id={optionId(index)}
            role="option"
            aria-selected={index === active}
            class="option"
            title={option.detail === '' ? option.label : `${option.label}  ${option.detail}`}
            onMouseMove={() => setActive(index)}
            onMouseDown={(event) => {
              // The field keeps the keyboard.
              event.preventDefault();
              option.take();
            }}
          >
            {option.icon !== null && <Icon name={option.icon} />}
            <span class="option-label">{option.label}</span>
            <span class="option-detail">{option.detail}</span>
          </li>
        ))}
      </ul>
      <p class={options.length === 0 ? 'popup-note' : 'unseen'} role="status">
        {note(options.length, searching)}
      </p>
    </div>
  );
}

function note(count: number, searching: boolean): string {
  if (searching && count === 0) return t('Searching…');
  if (count === 0) return t('Nothing found');
  return count === 1 ? t('1 suggestion') : t('{0} suggestions', count);
}

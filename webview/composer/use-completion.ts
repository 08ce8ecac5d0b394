import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { runAction, type Presenter } from '../presenter.ts';
import type { Draft, State } from '../state.ts';
import type { IconName } from '../icons.tsx';
import { t, translated } from '../l10n.ts';
import {
  beginningFirst,
  commandsFor,
  skillsFor,
  triggerAt,
  withoutTrigger,
  type Trigger,
} from './completion.ts';
import type { DraftHandle } from './use-draft.ts';
import { isSame } from './draft-state.ts';
import { kindIcon } from './kind-icon.ts';

/** A pause in typing, after which the host is asked. */
const ASK_MS = 60;

export interface Option {
  readonly key: string;
  readonly icon: IconName | null;
  readonly label: string;
  readonly detail: string;
  readonly take: () => void;
}

export interface Completion {
  /** What is being finished; null when no list is open. */
  readonly trigger: Trigger | null;
  readonly options: readonly Option[];
  readonly active: number;
  readonly searching: boolean;
  readonly setActive: (index: number) => void;
  /** Without the keyboard there is no list. */
  readonly setFocused: (has: boolean) => void;
  /** Whether the key was for the list. */
  readonly press: (event: KeyboardEvent) => boolean;
}

interface Props {
  readonly state: State;
  readonly presenter: Presenter;
  readonly draft: Draft;
  readonly change: DraftHandle['change'];
  readonly attach: DraftHandle['attach'];
  readonly caret: number;
  readonly moveCaret: (to: number) => void;
}

/** The list above the field: what `@` attaches and what `/` runs. */
export function useCompletion(props: Props): Completion {
  const { state, presenter, draft, change, attach, caret, moveCaret } = props;
  const found = useMemo(() => triggerAt(draft.text, caret), [draft.text, caret]);
  const [dismissed, setDismissed] = useState<string | null>(null);
  const [focused, setFocused] = useState(true);
  const [active, setActive] = useState(0);
  const sessionId = state.session?.session_id;
  const isCommand = draft.text.startsWith('/');
  const place = found === null ? null : `${found.kind} ${found.start}`;
  const trigger = !focused || (place !== null && place === dismissed) ? null : found;
  const suggested = useSuggestions(state, presenter, trigger);

  useEffect(() => {
    if (place === null) setDismissed(null);
  }, [place]);
  useEffect(() => {
    // Once before anything is typed: whether words call a skill has to be known when they are sent.
    if (sessionId !== undefined && (isCommand || state.skills === null))
      presenter.post({ type: 'find_skills', query_id: crypto.randomUUID() });
  }, [isCommand, sessionId]);
  useEffect(() => setActive(0), [place, trigger?.query]);

  const finish = (): void => {
    if (trigger === null) return;
    change((now) => ({ ...now, client_turn_id: null, text: withoutTrigger(now.text, trigger) }));
    moveCaret(trigger.start);
  };
  const options = optionsFor();
  const last = options.length - 1;
  const at = Math.min(active, Math.max(last, 0));

  function optionsFor(): readonly Option[] {
    if (trigger === null) return [];
    if (trigger.kind === 'command') {
      const { query } = trigger;
      const found = [...commandOptions(query), ...skillOptions(query)];
      return beginningFirst(found, ({ label }) => label, `/${query}`);
    }
    return suggested.items
      .filter(({ attachment }) => !draft.attachments.some((known) => isSame(known, attachment)))
      .map(({ attachment, label, detail }, index) => ({
        key: `${index} ${label} ${detail}`,
        icon: kindIcon(attachment.kind),
        label,
        detail,
        take: () => {
          finish();
          attach([{ ...attachment, id: crypto.randomUUID() }]);
        },
      }));
  }

  function commandOptions(query: string): readonly Option[] {
    return commandsFor(state, query).map(({ name, label, command }) => ({
      key: command,
      icon: null,
      label: `/${name}`,
      detail: label,
      take: () => {
        finish();
        runAction(presenter, { label: '', command });
      },
    }));
  }

  /** A message begins with it; what it is about is still to be said. */
  function skillOptions(query: string): readonly Option[] {
    return skillsFor(state, query).map(({ name, description, problem }) => ({
      key: `skill ${name} ${problem ?? ''}`,
      icon: null,
      label: `/${name}`,
      detail: problem === undefined ? description : t('Cannot be used: {0}', translated(problem)),
      take: () => {
        change((now) => ({ ...now, client_turn_id: null, text: `/${name} ` }));
        moveCaret(name.length + 2);
      },
    }));
  }

  const press = (event: KeyboardEvent): boolean => {
    if (trigger === null || event.isComposing) return false;
    switch (event.key) {
      case 'ArrowDown':
        setActive(at >= last ? 0 : at + 1);
        return options.length > 0;
      case 'ArrowUp':
        setActive(at === 0 ? Math.max(last, 0) : at - 1);
        return options.length > 0;
      case 'Enter':
      case 'Tab':
        if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return false;
        options[at]?.take();
        return options.length > 0 || (suggested.searching && event.key === 'Enter');
      case 'Escape':
        setDismissed(place);
        return true;
      default:
        return false;
    }
  };
  return { trigger, options, active: at, searching: suggested.searching, setActive, setFocused, press };
}

type Items = NonNullable<State['suggestions']>['items'];

/** What the host suggests. While it looks, what was found before stays, so that the list does not flicker. */
function useSuggestions(
  state: State,
  presenter: Presenter,
  trigger: Trigger | null,
): { readonly items: Items; readonly searching: boolean } {
  const asked = useRef<string | null>(null);
  const [shown, setShown] = useState<{ readonly query_id: string; readonly items: Items } | null>(null);
  const query = trigger?.kind === 'attach' ? trigger.query : null;

  useEffect(() => {
    if (query === null) {
      asked.current = null;
      setShown(null);
      return undefined;
    }
    const query_id = crypto.randomUUID();
    asked.current = query_id;
    const timer = setTimeout(
      () => presenter.post({ type: 'find_attachments', query_id, text: query }),
      ASK_MS,
    );
    return () => clearTimeout(timer);
  }, [query]);
  useEffect(() => {
    const { suggestions } = state;
    if (suggestions !== null && suggestions.query_id === asked.current) setShown(suggestions);
  }, [state.suggestions]);
  return {
    items: query === null ? [] : (shown?.items ?? []),
    searching: query !== null && shown?.query_id !== asked.current,
  };
}

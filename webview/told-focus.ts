import { useEffect } from 'preact/hooks';
import type { Presenter } from './presenter.ts';

/** Tells the host whether the keys of the person come here: it has some that count only then. */
export function useToldFocus(presenter: Presenter): void {
  useEffect(() => {
    const tell = (): void => presenter.post({ type: 'focus', focused: document.hasFocus() });
    window.addEventListener('focus', tell);
    window.addEventListener('blur', tell);
    tell();
    return () => {
      window.removeEventListener('focus', tell);
      window.removeEventListener('blur', tell);
    };
  }, [presenter]);
}

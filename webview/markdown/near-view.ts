/** So far from what is in view, code is coloured before it is there. */
const AHEAD = '600px 0px';

const waiting = new WeakMap<Element, () => void>();
const observers = new WeakMap<Element, IntersectionObserver>();

/** Calls back once, when the element comes near to what the reader sees; never after it was taken back. */
export function whenNear(element: Element, callback: () => void): () => void {
  const observer = observerIn(element.closest('.log') ?? element.ownerDocument.documentElement);
  waiting.set(element, callback);
  observer.observe(element);
  return () => {
    waiting.delete(element);
    observer.unobserve(element);
  };
}

function observerIn(root: Element): IntersectionObserver {
  const known = observers.get(root);
  if (known !== undefined) return known;
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        waiting.get(target)?.();
        waiting.delete(target);
      }
    },
    { root, rootMargin: AHEAD },
  );
  observers.set(root, observer);
  return observer;
}

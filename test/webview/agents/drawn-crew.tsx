import { options, type ComponentType } from 'preact';
import { vi } from 'vitest';
import type { SmallElement } from '../../support/small-dom.ts';
import { draw, elementsIn, SmallDocument } from '../../support/small-dom.ts';
import type { HostMessage, Item } from '../../../src/presenter/protocol.ts';
import { sightOf } from '../../../webview/agents/shown-state.ts';
import { strays } from '../../../webview/agents/strays.ts';
import type { Presenter } from '../../../webview/presenter.ts';
import { slotProps } from '../../../webview/slot-props.ts';
import { INITIAL, lastTurn, type State } from '../../../webview/state.ts';
import { apply } from '../../../webview/store.ts';
import { TurnSlot } from '../../../webview/turn-view.tsx';
import { opening } from './crew-items.ts';

/** What VS Code and the browser have for the page before it is loaded. */
vi.hoisted(() => {
  const api = { postMessage: () => undefined, getState: () => undefined, setState: () => undefined };
  Reflect.set(globalThis, 'acquireVsCodeApi', () => api);
  /** Nothing changes its size here. */
  class StillObserver {
    observe(): void {}
    disconnect(): void {}
  }
  Reflect.set(globalThis, 'ResizeObserver', StillObserver);
});

export const QUIET: Presenter = { post: () => undefined, gesture: () => undefined };

/** A session with these items, after these messages. */
export function shown(items: readonly Item[], ...messages: readonly HostMessage[]): State {
  return messages.reduce<State>(
    (state, message) => apply(state, message, 0),
    apply(INITIAL, opening(items), 0),
  );
}

/** The last turn as the conversation draws it. */
export function drawnTurn(state: State, presenter = QUIET, document = new SmallDocument()): SmallElement {
  const turn = lastTurn(state);
  if (turn === undefined) throw new Error('there is no turn');
  const moment = { sight: known(sightOf(state)), strays: strays(state.crew, state.blocks) };
  draw(<TurnSlot {...slotProps(state, turn, moment)} presenter={presenter} />, document);
  return document.body;
}

const KNOWN = new Map<string, ReturnType<typeof sightOf>>();

/** The same one for the same sight, as the conversation hands it on. */
function known(sight: ReturnType<typeof sightOf>): ReturnType<typeof sightOf> {
  const name = `${sight.lost} ${sight.seen_from}`;
  const found = KNOWN.get(name) ?? sight;
  KNOWN.set(name, found);
  return found;
}

export function byClass(node: SmallElement, name: string): readonly SmallElement[] {
  return elementsIn(node).filter(({ attributes }) => attributes.get('class')?.split(' ').includes(name));
}

export function texts(node: SmallElement, name: string): readonly string[] {
  return byClass(node, name).map(({ textContent }) => textContent);
}

/** The button of that name. */
export function named(node: SmallElement, name: string): SmallElement {
  const found = buttons(node).find(([one]) => one === name)?.[1];
  if (found === undefined) throw new Error(`there is no button ${name}`);
  return found;
}

export function buttons(node: SmallElement): readonly (readonly [name: string, button: SmallElement])[] {
  return elementsIn(node)
    .filter(({ localName }) => localName === 'button')
    .map((one) => [one.attributes.get('aria-label') ?? one.textContent, one] as const);
}

/** With what each of these components is drawn meanwhile; one that is handed back as it was is not. */
export function drawnMeanwhile<P>(component: ComponentType<P>, work: () => void): readonly unknown[] {
  const drawn: unknown[] = [];
  const before: unknown = Reflect.get(options, 'vnode');
  options.vnode = (vnode) => {
    if (typeof before === 'function') Reflect.apply(before, options, [vnode]);
    if (vnode.type === component) drawn.push(vnode.props);
  };
  try {
    work();
  } finally {
    if (before === undefined) delete options.vnode;
    else Reflect.set(options, 'vnode', before);
  }
  return drawn;
}

import { render, type ComponentChild } from 'preact';

/** As much of a document as drawing needs, so that what is drawn can be read, and changes can be counted. */

export abstract class SmallNode {
  abstract readonly nodeType: number;
  readonly childNodes: SmallNode[] = [];
  parentNode: SmallNode | null = null;

  constructor(readonly ownerDocument: SmallDocument) {}

  get firstChild(): SmallNode | null {
    return this.childNodes[0] ?? null;
  }

  get nextSibling(): SmallNode | null {
    const siblings = this.parentNode?.childNodes ?? [];
    return siblings[siblings.indexOf(this) + 1] ?? null;
  }

  insertBefore(node: SmallNode, before: SmallNode | null): SmallNode {
    this.ownerDocument.touched.add(node);
    node.remove();
    const at = before === null ? this.childNodes.length : this.childNodes.indexOf(before);
    this.childNodes.splice(at, 0, node);
    node.parentNode = this;
    return node;
  }

  appendChild(node: SmallNode): SmallNode {
    return this.insertBefore(node, null);
  }

  removeChild(node: SmallNode): SmallNode {
    node.remove();
    return node;
  }

  remove(): void {
    const siblings = this.parentNode?.childNodes;
    if (siblings === undefined) return;
    siblings.splice(siblings.indexOf(this), 1);
    this.parentNode = null;
  }

  contains(node: SmallNode | null): boolean {
    return node === this || (node !== null && this.contains(node.parentNode));
  }

  get all(): readonly SmallNode[] {
    return [this, ...this.childNodes.flatMap((child) => child.all)];
  }

  get textContent(): string {
    return this.childNodes.map((child) => child.textContent).join('');
  }
}

export class SmallText extends SmallNode {
  readonly nodeType = 3;
  private text: string;

  constructor(owner: SmallDocument, text: string) {
    super(owner);
    this.text = text;
  }

  get data(): string {
    return this.text;
  }

  set data(text: string) {
    this.ownerDocument.touched.add(this);
    this.text = text;
  }

  override get textContent(): string {
    return this.text;
  }
}

export class SmallElement extends SmallNode {
  readonly nodeType = 1;
  readonly attributes = new Map<string, string>();
  readonly listeners = new Map<string, unknown>();
  readonly style: Record<string, string> = {};

  constructor(
    owner: SmallDocument,
    readonly localName: string,
  ) {
    super(owner);
  }

  setAttribute(name: string, value: unknown): void {
    this.ownerDocument.touched.add(this);
    this.attributes.set(name, String(value));
  }

  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }

  addEventListener(name: string, listener: unknown): void {
    this.listeners.set(name, listener);
  }

  removeEventListener(name: string): void {
    this.listeners.delete(name);
  }

  /** All of it is in view, and nobody listens further up. */
  scrollIntoView(): void {}

  dispatchEvent(): boolean {
    return true;
  }
}

export class SmallDocument {
  /** What was made or changed since it was last cleared. */
  readonly touched = new Set<SmallNode>();
  readonly body = new SmallElement(this, 'body');
  /** Nothing has the keyboard. */
  readonly activeElement = null;

  createElementNS(_namespace: string, name: string): SmallElement {
    return new SmallElement(this, name);
  }

  createElement(name: string): SmallElement {
    return new SmallElement(this, name);
  }

  createTextNode(text: string): SmallText {
    return new SmallText(this, text);
  }
}

/** Draws into a document of its own; what was drawn there before becomes what is drawn now. */
export function draw(view: ComponentChild, document = new SmallDocument()): SmallDocument {
  within(document, () => render(view, document.body));
  return document;
}

/** With this document as that of the page. */
function within(document: SmallDocument, work: () => void): void {
  const outer: unknown = Reflect.get(globalThis, 'document');
  Reflect.set(globalThis, 'document', document);
  try {
    work();
  } finally {
    Reflect.set(globalThis, 'document', outer);
  }
}

/** What a click does there; `detail` counts the clicks that follow each other quickly, as browsers do. */
export function click(element: SmallElement, detail = 1): void {
  const listener = element.listeners.get('click') ?? element.listeners.get('Click');
  if (typeof listener !== 'function') throw new Error('nothing happens on a click');
  const event = {
    type: 'click',
    detail,
    preventDefault: () => undefined,
    stopPropagation: () => undefined,
  };
  within(element.ownerDocument, () => void Reflect.apply(listener, element, [event]));
}

/** What a key does there; the answer is whether the browser would still do its own part of it. */
export function pressKey(element: SmallElement, key: string, repeat = false): boolean {
  const listener = element.listeners.get('keydown') ?? element.listeners.get('KeyDown');
  if (typeof listener !== 'function') return true;
  let isLeft = true;
  const preventDefault = (): void => {
    isLeft = false;
  };
  Reflect.apply(listener, element, [{ type: 'keydown', key, repeat, preventDefault }]);
  return isLeft;
}

export function elementsIn(node: SmallNode): readonly SmallElement[] {
  return node.all.filter((one) => one instanceof SmallElement);
}

/** The shape of what is drawn, one line an element; `only` names the attributes that matter. */
export function shapeOf(node: SmallNode, only: readonly string[] = [], depth = 0): string {
  const indent = '  '.repeat(depth);
  if (node instanceof SmallText) return `${indent}${JSON.stringify(node.data)}`;
  if (!(node instanceof SmallElement)) return '';
  const marks = only.flatMap((name) => {
    const value = node.attributes.get(name);
    return value === undefined ? [] : [` ${name}=${value}`];
  });
  const children = node.childNodes.map((child) => shapeOf(child, only, depth + 1));
  return [`${indent}${node.localName}${marks.join('')}`, ...children].join('\n');
}

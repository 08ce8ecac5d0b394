interface Line {
  readonly label: string;
}

type Said = Partial<{ items: readonly Line[]; activeItems: readonly number[]; value: string }>;

/**
 * A list as VS Code has it: drawn in a window that hears later what the extension says, all of it at once, and of which
 * the extension hears later. Lines are told by their places.
 */
export class FarQuickPick {
  static last: FarQuickPick;

  title = '';
  placeholder = '';
  busy = false;
  selectedItems: readonly Line[] = [];
  private lines: readonly Line[] = [];
  private active: readonly Line[] = [];
  private typed = '';
  private said: Said = {};
  private shown: { lines: readonly Line[]; at: number; value: string } = { lines: [], at: -1, value: '' };
  private readonly listeners: Record<'value' | 'accept' | 'hide', (() => void)[]> = {
    value: [],
    accept: [],
    hide: [],
  };

  constructor() {
    FarQuickPick.last = this;
  }

  readonly onDidChangeValue = (listener: () => void): void => void this.listeners.value.push(listener);
  readonly onDidAccept = (listener: () => void): void => void this.listeners.accept.push(listener);
  readonly onDidHide = (listener: () => void): void => void this.listeners.hide.push(listener);
  readonly onDidTriggerButton = (): void => undefined;

  get items(): readonly Line[] {
    return this.lines;
  }

  set items(items: readonly Line[]) {
    this.lines = [...items];
    this.said.items = this.lines;
  }

  get activeItems(): readonly Line[] {
    return this.active;
  }

  set activeItems(items: readonly Line[]) {
    this.active = items.filter((item) => this.lines.includes(item));
    this.said.activeItems = this.active.map((item) => this.lines.indexOf(item));
  }

  get value(): string {
    return this.typed;
  }

  set value(value: string) {
    this.typed = value;
    this.said.value = value;
  }

  /** What the window shows, with a mark before the line that Enter would take. */
  get drawn(): readonly string[] {
    return this.shown.lines.map(({ label }, at) => (at === this.shown.at ? `> ${label}` : label));
  }

  /** The window hears all that was said, and the extension what came of it. */
  hearing(): void {
    const { items, activeItems, value } = this.said;
    this.said = {};
    if (value !== undefined) this.shown.value = value;
    if (items !== undefined) this.shown = { ...this.shown, lines: items, at: items.length === 0 ? -1 : 0 };
    if (activeItems !== undefined) this.shown.at = activeItems[0] ?? -1;
    this.tellActive();
  }

  types(value: string): void {
    this.shown.value = value;
    this.typed = value;
    for (const listener of this.listeners.value) listener();
  }

  moves(at: number): void {
    this.shown.at = at;
    this.tellActive();
  }

  /** In the window as it is drawn, once it has heard what was said. */
  enter(): void {
    this.hearing();
    this.enterUnheard();
  }

  enterUnheard(): void {
    const line = this.lines[this.shown.at];
    this.selectedItems = line === undefined ? [] : [line];
    for (const listener of this.listeners.accept) listener();
  }

  show(): void {
    return undefined;
  }

  hide(): void {
    for (const listener of this.listeners.hide) listener();
  }

  dispose(): void {
    for (const all of Object.values(this.listeners)) all.length = 0;
  }

  private tellActive(): void {
    const line = this.lines[this.shown.at];
    this.active = line === undefined ? [] : [line];
  }
}

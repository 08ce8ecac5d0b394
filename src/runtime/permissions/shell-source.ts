/**
 * A command line that is read character by character. Trouble is kept and ends the reading, so that whoever
 * reads on finds the end: the line is then not understood, whatever was read of it.
 */
export class ShellSource {
  trouble: string | null = null;
  private at = 0;

  constructor(readonly text: string) {}

  get position(): number {
    return this.at;
  }

  /** The character that is `ahead` of the next, '' at the end. A backslash and a newline join two lines. */
  peek(ahead = 0): string {
    let at = this.afterJoins(this.at);
    for (let passed = 0; passed < ahead; passed += 1) at = this.afterJoins(at + 1);
    return this.text[at] ?? '';
  }

  /** The next character where lines are not joined. */
  peekRaw(): string {
    return this.text[this.at] ?? '';
  }

  take(): string {
    this.at = this.afterJoins(this.at);
    return this.takeRaw();
  }

  /** For places where lines are not joined, such as single quotes. */
  takeRaw(): string {
    const character = this.text[this.at] ?? '';
    if (character !== '') this.at += 1;
    return character;
  }

  startsWith(text: string): boolean {
    for (let ahead = 0; ahead < text.length; ahead += 1) if (this.peek(ahead) !== text[ahead]) return false;
    return true;
  }

  /** Takes the text if it comes next. */
  takes(text: string): boolean {
    if (!this.startsWith(text)) return false;
    for (let taken = 0; taken < text.length; taken += 1) this.take();
    return true;
  }

  /** Takes all up to the first of `end`, and that as well; null when there is none. */
  takeThrough(end: string): string | null {
    const found = this.text.indexOf(end, this.at);
    if (found < 0) return null;
    const taken = this.text.slice(this.at, found);
    this.at = found + end.length;
    return taken;
  }

  /** Takes the rest of the line, not the newline. Lines are not joined. */
  takeLine(): void {
    const end = this.text.indexOf('\n', this.at);
    this.at = end < 0 ? this.text.length : end;
  }

  takeBlanks(): void {
    while (this.peek() === ' ' || this.peek() === '\t') this.take();
  }

  since(start: number): string {
    return this.text.slice(start, this.at);
  }

  fail(why: string): void {
    this.trouble ??= why;
    this.at = this.text.length;
  }

  private afterJoins(at: number): number {
    let after = at;
    while (this.text[after] === '\\' && this.text[after + 1] === '\n') after += 2;
    return after;
  }
}

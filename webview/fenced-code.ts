export interface Passage {
  readonly kind: 'prose' | 'code';
  readonly text: string;
  readonly language: string;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`\s]*)/;

/** Splits a text at its code fences. An open fence is code to the end: it may still be streaming in. */
export function passages(text: string): readonly Passage[] {
  const found: Passage[] = [];
  let lines: string[] = [];
  let fence: { readonly marker: string; readonly language: string } | null = null;
  const close = (kind: Passage['kind'], language: string): void => {
    const body = kind === 'prose' ? lines.join('\n').replace(/^\n+|\n+$/g, '') : lines.join('\n');
    if (body !== '') found.push({ kind, text: body, language });
    lines = [];
  };
  for (const line of text.split('\n')) {
    const match: RegExpExecArray | null = FENCE.exec(line);
    const marker = match?.[1] ?? '';
    if (fence === null && marker !== '') {
      close('prose', '');
      fence = { marker, language: match?.[2] ?? '' };
    } else if (fence !== null && marker.startsWith(fence.marker) && line.trim() === marker) {
      close('code', fence.language);
      fence = null;
    } else {
      lines.push(line);
    }
  }
  close(fence === null ? 'prose' : 'code', fence?.language ?? '');
  return found;
}

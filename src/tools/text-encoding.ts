/** Telling text from binary by its first bytes, and naming the kind for people. */

export type TextEncodingName = 'utf-8' | 'utf-16le' | 'utf-16be';

export type Sniffed =
  | { readonly kind: 'text'; readonly encoding: TextEncodingName }
  | { readonly kind: 'binary'; readonly what: string };

const SIGNATURES: readonly { readonly what: string; readonly bytes: readonly number[] }[] = [
  { what: 'PNG image', bytes: [0x89, 0x50, 0x4e, 0x47] },
  { what: 'JPEG image', bytes: [0xff, 0xd8, 0xff] },
  { what: 'GIF image', bytes: [0x47, 0x49, 0x46, 0x38] },
  { what: 'PDF document', bytes: [0x25, 0x50, 0x44, 0x46] },
  { what: 'ZIP archive', bytes: [0x50, 0x4b, 0x03, 0x04] },
  { what: 'gzip archive', bytes: [0x1f, 0x8b] },
  { what: 'ELF program', bytes: [0x7f, 0x45, 0x4c, 0x46] },
  { what: 'Windows program', bytes: [0x4d, 0x5a] },
  { what: 'WebAssembly module', bytes: [0x00, 0x61, 0x73, 0x6d] },
  { what: 'SQLite database', bytes: [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65] },
];

function startsWith(head: Uint8Array, bytes: readonly number[]): boolean {
  return bytes.every((byte, at) => head[at] === byte);
}

/** Text is what has no NUL, or says by its mark that it is UTF-16 (as PowerShell's `>` writes it). */
export function sniff(head: Uint8Array): Sniffed {
  if (startsWith(head, [0xff, 0xfe])) return { kind: 'text', encoding: 'utf-16le' };
  if (startsWith(head, [0xfe, 0xff])) return { kind: 'text', encoding: 'utf-16be' };
  const binary = head.includes(0) || startsWith(head, [0x25, 0x50, 0x44, 0x46]);
  if (!binary) return { kind: 'text', encoding: 'utf-8' };
  const known = SIGNATURES.find((signature) => startsWith(head, signature.bytes));
  return { kind: 'binary', what: known?.what ?? 'binary data' };
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes / 1_024;
  let unit = 0;
  while (value >= 1_024 && unit < units.length - 1) {
    value /= 1_024;
    unit += 1;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}

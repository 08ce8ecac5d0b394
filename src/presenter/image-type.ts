/** The kind of picture that bytes are, by the bytes alone: a name, a clipboard or a message may claim anything. */
export function imageType(bytes: Uint8Array): string | null {
  const head = String.fromCodePoint(...bytes.subarray(0, 12));
  if (head.startsWith('\u0089PNG\r\n\u001a\n')) return 'image/png';
  if (head.startsWith('\u00ff\u00d8\u00ff')) return 'image/jpeg';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif';
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'image/webp' : null;
}

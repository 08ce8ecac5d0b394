import { imageType } from '../../src/presenter/image-type.ts';
import { t, tenths } from '../l10n.ts';
import type { Chosen } from '../state.ts';

export const LIMITS = { images: 10, attachments: 20, imageBytes: 5 * 1024 * 1024 } as const;

/** What came in with a paste or a drop, and what could not be taken. */
export interface Intake {
  readonly chosen: readonly Chosen[];
  readonly problems: readonly string[];
}

/** The host looks at the bytes again when the message is sent. */
export async function imagesFrom(files: readonly File[], alreadyThere: number): Promise<Intake> {
  const chosen: Chosen[] = [];
  const problems: string[] = [];
  for (const file of files) {
    const name = file.name === '' ? t('image') : file.name;
    const mime = imageType(new Uint8Array(await file.slice(0, 16).arrayBuffer()));
    if (mime === null) problems.push(t('{0} is no PNG, JPEG, GIF or WebP image. It was not attached.', name));
    else if (file.size > LIMITS.imageBytes)
      problems.push(
        t('{0} has {1}; an image may have 5 MB. It was not attached.', name, sizeText(file.size)),
      );
    else if (alreadyThere + chosen.length >= LIMITS.images)
      problems.push(t('At most {0} images fit into a message. {1} was not attached.', LIMITS.images, name));
    else
      chosen.push({ id: crypto.randomUUID(), kind: 'image', label: name, mime, data: await base64Of(file) });
  }
  return { chosen, problems };
}

async function base64Of(file: Blob): Promise<string> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''));
    reader.addEventListener('error', () => reject(reader.error ?? new Error('the file cannot be read')));
    reader.readAsDataURL(file);
  });
  return url.slice(url.indexOf(',') + 1);
}

/** Files and folders by their addresses, as the explorer of VS Code gives them. The host decides about each. */
export function filesFrom(list: string): readonly Chosen[] {
  return list.split(/\r?\n/u).flatMap((line) => {
    const path = line.startsWith('#') ? null : pathOf(line.trim());
    if (path === null) return [];
    const label = path.split('/').findLast((part) => part !== '') ?? path;
    return [{ id: crypto.randomUUID(), kind: 'file', label, path }];
  });
}

function pathOf(address: string): string | null {
  const url = URL.parse(address);
  if (url === null || !['file:', 'vscode-remote:'].includes(url.protocol)) return null;
  try {
    const path = decodeURIComponent(url.pathname);
    return /^\/[a-z]:/iu.test(path) ? path.slice(1) : path;
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

export function sizeText(bytes: number): string {
  if (bytes < 1024) return t('{0} bytes', bytes);
  const kilo = bytes / 1024;
  return kilo < 1024 ? t('{0} KB', Math.round(kilo)) : t('{0} MB', tenths(kilo / 1024));
}

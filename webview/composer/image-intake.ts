import { imageFacts, imageFault } from '../../src/presenter/image-facts.ts';
import { imageType } from '../../src/presenter/image-type.ts';
import { t, tenths, translated } from '../l10n.ts';
import type { Chosen } from '../state.ts';

export const LIMITS = {
  images: 10,
  attachments: 20,
  imageBytes: 5 * 1024 * 1024,
  /** Of all images of a message. */
  imagesBytes: 20 * 1024 * 1024,
} as const;

/** Of what is written as base64. */
export function imageBytes(data: string): number {
  return Math.floor(data.length * 0.75);
}

/** What came in with a paste or a drop, and what could not be taken. */
export interface Intake {
  readonly chosen: readonly Chosen[];
  readonly problems: readonly string[];
}

/** The host looks at the bytes again when the message is sent. */
export async function imagesFrom(files: readonly File[]): Promise<Intake> {
  const chosen: Chosen[] = [];
  const problems: string[] = [];
  for (const file of files) {
    const name = file.name === '' ? t('image') : file.name;
    const problem = await problemOf(file, name);
    if (problem === null) chosen.push(await imageOf(file, name));
    else problems.push(problem);
  }
  return { chosen, problems };
}

async function problemOf(file: File, name: string): Promise<string | null> {
  if (imageType(await bytesOf(file.slice(0, 16))) === null) return noImage(file, name);
  if (file.size > LIMITS.imageBytes)
    return t('{0} has {1}; an image may have 5 MB. It was not attached.', name, sizeText(file.size));
  const facts = imageFacts(await bytesOf(file));
  const fault = facts === null ? null : imageFault(facts, name);
  return fault === null ? null : translated(`${fault} It was not attached.`);
}

async function imageOf(file: File, label: string): Promise<Chosen> {
  const mime = imageType(await bytesOf(file.slice(0, 16))) ?? '';
  return { id: crypto.randomUUID(), kind: 'image', label, mime, data: await base64Of(file) };
}

async function bytesOf(file: Blob): Promise<Uint8Array> {
  return new Uint8Array(await file.arrayBuffer());
}

/** Of other files nothing but their bytes is known here: not where they are. */
function noImage({ type }: File, name: string): string {
  return type.startsWith('image/')
    ? t('{0} is no PNG, JPEG, GIF or WebP image. It was not attached.', name)
    : t(
        'Only images can be dropped or pasted from outside; use @ for files of the workspace. {0} was not attached.',
        name,
      );
}

/**
 * Pure: whether what is pasted is its text: tables and documents come with a picture of themselves. Files come with
 * their names.
 */
export function isPastedText(text: string, names: readonly string[]): boolean {
  const lines = text.split(/\r?\n/u).filter((line) => line.trim() !== '');
  return lines.some((line) => !names.some((name) => line === name || line.endsWith(`/${name}`)));
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

/** The paths of files and folders, as the explorer of VS Code gives their addresses. The host decides about each. */
export function pathsFrom(list: string): readonly string[] {
  return list.split(/\r?\n/u).flatMap((line) => (line.startsWith('#') ? [] : (pathOf(line.trim()) ?? [])));
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

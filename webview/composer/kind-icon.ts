import { own } from '../fields.ts';
import type { IconName } from '../icons.tsx';

const ICONS: Readonly<Record<string, IconName>> = {
  file: 'file',
  editor: 'file',
  folder: 'folder',
  selection: 'selection',
  problems: 'warning',
  image: 'image',
};

export function kindIcon(kind: string): IconName {
  return own(ICONS, kind) ?? 'file';
}

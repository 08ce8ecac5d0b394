import { imageType } from './image-type.ts';

/** What the bytes of a picture say of it. */
export interface ImageFacts {
  readonly mime: string;
  /** In pixels; null where its head does not say. */
  readonly size: { readonly width: number; readonly height: number } | null;
  /** More than one frame: models take none of these. */
  readonly animated: boolean;
  /** Nothing is seen to be missing of it. */
  readonly whole: boolean;
}

/** Pure: null for what is no picture that models take. Only heads are read, no pixel. */
export function imageFacts(bytes: Uint8Array): ImageFacts | null {
  const mime = imageType(bytes);
  if (mime === null) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = sizeOf(mime, view);
  const isSize = size !== null && size.width > 0 && size.height > 0;
  const { frames, cut } = mime === 'image/gif' ? framesOf(view) : { frames: 1, cut: false };
  const whole = isSize && frames > 0 && !cut && !breaksOff(mime, view);
  return { mime, size: isSize ? size : null, animated: frames > 1, whole };
}

/** Pure: why models would not take it, in words; null where they would. It stays in the input, and every request would fail. */
export function imageFault({ animated, whole }: ImageFacts, name: string): string | null {
  if (animated)
    return `${name} is an animated GIF, which models do not take. Attach one picture of it instead.`;
  return whole ? null : `${name} is damaged: a part of it is missing. Make it anew and attach that.`;
}

/** By what the file says of its own length. */
function breaksOff(mime: string, view: DataView): boolean {
  if (mime === 'image/webp') return view.byteLength < 12 || view.getUint32(4, true) + 8 > view.byteLength;
  return mime === 'image/png' && !hasPngEnd(view);
}

/** Parts follow each other up to the last one, which has a name of its own. */
function hasPngEnd(view: DataView): boolean {
  let at = 8;
  while (at + 12 <= view.byteLength) {
    if (view.getUint32(at + 4) === PNG_END) return true;
    at += 12 + view.getUint32(at);
  }
  return false;
}

/** 'IEND' */
const PNG_END = 0x49454e44;

function sizeOf(mime: string, view: DataView): ImageFacts['size'] {
  switch (mime) {
    case 'image/png':
      return view.byteLength < 24 ? null : { width: view.getUint32(16), height: view.getUint32(20) };
    case 'image/gif':
      return view.byteLength < 10
        ? null
        : { width: view.getUint16(6, true), height: view.getUint16(8, true) };
    case 'image/jpeg':
      return jpegSize(view);
    default:
      return webpSize(view);
  }
}

/** Segments follow each other up to the one that begins the frame. */
function jpegSize(view: DataView): ImageFacts['size'] {
  let at = 2;
  while (at + 9 <= view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return null;
}

function webpSize(view: DataView): ImageFacts['size'] {
  if (view.byteLength < 30) return null;
  switch (view.getUint32(12)) {
    case 0x56503820: // 'VP8 '
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case 0x5650384c: {
      // 'VP8L'
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 0x56503858: // 'VP8X'
      return { width: threeBytes(view, 24) + 1, height: threeBytes(view, 27) + 1 };
    default:
      return null;
  }
}

function threeBytes(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

const DESCRIPTOR = 0x2c;
const EXTENSION = 0x21;

/** Counted up to two: more does not matter. Cut, where one of those is not all there. */
function framesOf(view: DataView): { readonly frames: number; readonly cut: boolean } {
  const flags = view.byteLength < 13 ? 0 : view.getUint8(10);
  let at = 13 + tableBytes(flags);
  let frames = 0;
  while (at < view.byteLength && frames < 2) {
    const block = view.getUint8(at);
    if (block === DESCRIPTOR && at + 10 < view.byteLength) {
      frames += 1;
      at = afterBlocks(view, at + 11 + tableBytes(view.getUint8(at + 9)));
    } else if (block === EXTENSION) at = afterBlocks(view, at + 2);
    else break;
  }
  return { frames, cut: at > view.byteLength };
}

function tableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

function afterBlocks(view: DataView, from: number): number {
  let at = from;
  while (at < view.byteLength && view.getUint8(at) !== 0) at += view.getUint8(at) + 1;
  return at + 1;
}

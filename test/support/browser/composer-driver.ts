import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import type { Frame, Locator } from 'playwright-core';
import { until } from './until.ts';

/** What comes into the composer from outside, as the browser gives it to the page, and how it stands there. */

export function message(chat: Frame): Locator {
  return chat.getByRole('textbox', { name: 'Message' });
}

export function chips(chat: Frame): Locator {
  return chat.locator('.composer .chip');
}

export async function chipsAre(chat: Frame, count: number): Promise<void> {
  await until({
    what: `${count} chips`,
    probe: async () => ((await chips(chat).count()) === count ? true : undefined),
  });
}

/** Noise, so that it does not become small: side times side pixels. */
export function noisePng(side: number): Buffer {
  const rows: Buffer[] = [];
  let seed = 7;
  for (let y = 0; y < side; y += 1) {
    const row = Buffer.alloc(1 + side * 3);
    for (let at = 1; at < row.length; at += 1) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      row[at] = seed >>> 16;
    }
    rows.push(row);
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [
    part('IHDR', head),
    part('IDAT', deflateSync(Buffer.concat(rows))),
    part('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([signature, ...parts]);
}

function part(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  out.set(body, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

export async function giveImage(
  chat: Frame,
  how: 'paste' | 'drop',
  image: {
    readonly bytes: Buffer;
    readonly name: string;
    /** Zeros behind the bytes. */
    readonly padding?: number;
  },
): Promise<void> {
  await chat.locator('.composer textarea').evaluate(
    (field, given) => {
      const chars = atob(given.base64);
      const data = new Uint8Array(chars.length + given.padding);
      for (let at = 0; at < chars.length; at += 1) data[at] = chars.charCodeAt(at);
      const files = new DataTransfer();
      files.items.add(new File([data], given.name, { type: 'image/png' }));
      const gesture = { bubbles: true, cancelable: true };
      field.dispatchEvent(
        given.how === 'paste'
          ? new ClipboardEvent('paste', { ...gesture, clipboardData: files })
          : new DragEvent('drop', { ...gesture, dataTransfer: files }),
      );
    },
    { how, base64: image.bytes.toString('base64'), name: image.name, padding: image.padding ?? 0 },
  );
}

/** The contents of all that is kept beside the logs. */
export async function blobsIn(storage: string): Promise<readonly Buffer[]> {
  const blobs = path.join(storage, 'blobs');
  return Promise.all((await readdir(blobs)).map((name) => readFile(path.join(blobs, name))));
}

export async function dropAddresses(chat: Frame, addresses: readonly string[]): Promise<void> {
  await chat.locator('.composer').evaluate((composer, list) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.setData('text/uri-list', list);
    composer.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  }, addresses.join('\r\n'));
}

/** What stands out of the page at its sides, or of the bar, by its class. */
export async function overflowing(frame: Frame): Promise<readonly string[]> {
  return frame.evaluate(() => {
    const edge = document.documentElement.clientWidth;
    return [...document.querySelectorAll('.composer *')]
      .filter((element) => {
        const { left, right, width } = element.getBoundingClientRect();
        return width > 0 && (left < 0 || right > edge + 0.5) && !element.closest('.unseen');
      })
      .map((element) => `${element.tagName} ${element.className}`);
  });
}

/** Resolves when the words are where no end of a window can lose them. */
export async function draftOnDisk(storage: string, text: string): Promise<void> {
  const file = path.join(storage, 'drafts.json');
  await until({
    what: `"${text}" in ${file}`,
    probe: async () => {
      const content = existsSync(file) ? await readFile(file, 'utf8') : '';
      return content.includes(text) ? true : undefined;
    },
  });
}

export async function draftIs(chat: Frame, text: string): Promise<void> {
  await until({
    what: `the draft "${text}"`,
    probe: async () => ((await message(chat).inputValue()) === text ? true : undefined),
  });
}

/** With the keyboard alone. A draft of before may be there. */
export async function clear(chat: Frame): Promise<void> {
  await message(chat).fill('');
  for (let left = await chips(chat).count(); left > 0; left -= 1) {
    await message(chat).press('Backspace');
    await chips(chat)
      .nth(left - 1)
      .waitFor({ state: 'detached' });
  }
}

/** What a spreadsheet gives: text, and a picture of it. Answers who takes it. */
export async function pasteTable(chat: Frame, text: string): Promise<string> {
  return chat.locator('.composer textarea').evaluate((field, words) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', words);
    clipboardData.setData('text/html', `<table><tr><td>${words}</td></tr></table>`);
    clipboardData.items.add(new File([new Uint8Array(20)], 'image.png', { type: 'image/png' }));
    const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData });
    return field.dispatchEvent(event) ? 'left to the browser' : 'taken';
  }, text);
}

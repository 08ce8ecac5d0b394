import { beforeEach, describe, expect, test } from 'vitest';
import { HeldImages } from '../../webview/held-images.ts';

let revoked: string[] = [];
let asked: string[] = [];
let images: HeldImages;

beforeEach(() => {
  revoked = [];
  asked = [];
  images = new HeldImages((address) => revoked.push(address), 10);
});

function hold(name: string): () => void {
  return images.hold(name, () => asked.push(name));
}

/** Drawn, answered and looked away from. */
function seen(name: string, bytes: number): void {
  const release = hold(name);
  images.tell(name, () => ({ address: `blob:${name}`, bytes }));
  release();
}

describe('pictures on the page', () => {
  test('are asked for once, however many want them', () => {
    hold('a');
    hold('a');
    images.tell('a', () => ({ address: 'blob:a', bytes: 4 }));
    hold('a');
    expect([asked, images.get('a')]).toEqual([['a'], 'blob:a']);
  });

  test('that nobody draws go, the oldest first, and are asked for again', () => {
    seen('a', 4);
    seen('b', 4);
    seen('a', 4);
    seen('c', 4);
    expect(revoked).toEqual(['blob:b']);
    expect([images.get('a'), images.get('b'), images.get('c')]).toEqual(['blob:a', undefined, 'blob:c']);
    seen('b', 4);
    expect(asked).toEqual(['a', 'b', 'c', 'b']);
  });

  test('that are drawn stay, whatever their size, until the last of those who draw them is gone', () => {
    const [one, other] = [hold('a'), hold('a')];
    images.tell('a', () => ({ address: 'blob:a', bytes: 40 }));
    seen('b', 4);
    one();
    expect(revoked).toEqual([]);
    other();
    expect(revoked).toEqual(['blob:b', 'blob:a']);
  });

  test('keep the address that they have, and make no other', () => {
    hold('a');
    images.tell('a', () => ({ address: 'blob:a', bytes: 1 }));
    images.tell('a', () => {
      throw new Error('made twice');
    });
    hold('gone');
    images.tell('gone', () => ({ address: null, bytes: 0 }));
    expect([images.get('a'), images.get('gone')]).toEqual(['blob:a', null]);
  });
});

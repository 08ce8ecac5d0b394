import { describe, expect, test } from 'vitest';
import { DraftImages } from '../../src/app/draft-images.ts';
import type { KeptDraft } from '../../src/presenter/attachment.ts';

function draft(images: Readonly<Record<string, string | undefined>>, session_id = 'one'): KeptDraft {
  const attachments = Object.entries(images).map(([id, data]) => ({ id, kind: 'image', data }));
  return { session_id, text: 'look', attachments, at: 7 };
}

describe('the images of a draft', () => {
  test('go to a page once', () => {
    const images = new DraftImages();
    expect(images.forPage(draft({ i1: 'AAAA' }))).toEqual(draft({ i1: 'AAAA' }));
    expect(images.forPage(draft({ i1: 'AAAA' }))).toEqual(draft({ i1: undefined }));
    expect(images.forPage(draft({ i1: 'AAAA', i2: 'BBBB' }))).toEqual(draft({ i1: undefined, i2: 'BBBB' }));
  });

  test('do not go to the page that they came from', () => {
    const images = new DraftImages();
    images.forPage(draft({}));
    images.told(draft({ i1: 'AAAA' }));
    images.told(draft({ i1: undefined }));
    expect(images.forPage(draft({ i1: 'AAAA' }))).toEqual(draft({ i1: undefined }));
  });

  test('go to a page that has lost them: a new one, or one that showed another session', () => {
    const images = new DraftImages();
    images.forPage(draft({ i1: 'AAAA' }));
    images.pageBegan();
    expect(images.forPage(draft({ i1: 'AAAA' }))).toEqual(draft({ i1: 'AAAA' }));
    images.forPage(draft({}, 'two'));
    images.told(draft({ i1: 'AAAA' }));
    expect(images.forPage(draft({ i1: 'AAAA' }))).toEqual(draft({ i1: 'AAAA' }));
  });

  test('go again when they were taken out and put back', () => {
    const images = new DraftImages();
    images.forPage(draft({ i1: 'AAAA' }));
    images.told(draft({}));
    expect(images.forPage(draft({ i1: 'AAAA' }))).toEqual(draft({ i1: 'AAAA' }));
  });

  test('that a page names without having their bytes are sent', () => {
    const images = new DraftImages();
    images.forPage(draft({}));
    images.told(draft({ i1: undefined }));
    expect(images.forPage(draft({ i1: 'AAAA' }))).toEqual(draft({ i1: 'AAAA' }));
  });
});

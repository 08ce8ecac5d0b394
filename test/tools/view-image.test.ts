import { expect, it } from 'vitest';
import type { CompactedImage } from '../../src/runtime/context-events.ts';
import type { ToolOutcome } from '../../src/runtime/ports.ts';
import { createToolBox } from '../../src/tools/tool-box.ts';
import { RecordingContext, sha } from './tool-fixture.ts';

const BYTES = Buffer.from('a picture');

function image(sha256: string, label: string): CompactedImage {
  const facts = { mime: 'image/png', bytes: 9, width: 4, height: 2, turn_id: 't1', asked: 'What is this?' };
  return { sha256, label, ...facts };
}

const SHOT = image(sha(BYTES), 'shot.png');
const OTHER = image(`${SHOT.sha256.slice(0, 10)}${'0'.repeat(54)}`, 'other.png');
const LINE = `${SHOT.sha256.slice(0, 12)}: shot.png, image/png, 4 x 2 pixels, last seen with the request "What is this?"`;

/** Without any folder: what is looked at is the session's. */
async function view(reference: string, images: readonly CompactedImage[]): Promise<ToolOutcome> {
  const kept = new Map([[SHOT.sha256, { bytes: BYTES, mime: 'image/png' }]]);
  const box = createToolBox({
    roots: [],
    storageDir: '/nowhere',
    blobs: { put: async () => '' },
    images: { get: async (name) => kept.get(name) ?? null },
  });
  const args = JSON.stringify({ image: reference });
  const prepared = box.prepare({ call_id: 'c1', name: 'view_image', args });
  if (!prepared.ok) throw new Error(prepared.error.message);
  const context = new RecordingContext();
  return box.run(prepared.call, Object.assign(context, { images: () => images }));
}

it.each([SHOT.sha256, SHOT.sha256.slice(0, 8), ` ${SHOT.sha256.slice(0, 12).toUpperCase()} `])(
  'an image that the log names is shown again: %s',
  async (reference) => {
    const { mime, label, width, height } = SHOT;
    const data = BYTES.toString('base64');
    expect(await view(reference, [SHOT])).toEqual({
      kind: 'success',
      output: `Image ${LINE}`,
      changes: [],
      attachments: [{ kind: 'image', label, mime, data, sha256: SHOT.sha256, bytes: 9, width, height }],
    });
  },
);

it.each([
  [
    'that is too short',
    'abc',
    [SHOT],
    'invalid_arguments',
    `"abc" is no reference of an image: give its sha256, or at least the first 8 digits of it. The images of this session are:\n- ${LINE}`,
  ],
  [
    'that is a path',
    '../../etc/passwd',
    [],
    'invalid_arguments',
    '"../../etc/passwd" is no reference of an image: give its sha256, or at least the first 8 digits of it. This session has no images.',
  ],
  // The storage has it, and the log of this session does not name it.
  [
    'of an image of another session',
    SHOT.sha256,
    [],
    'not_found',
    `No image of this session has the reference ${SHOT.sha256}. This session has no images.`,
  ],
  [
    'that means two',
    SHOT.sha256.slice(0, 8),
    [SHOT, OTHER],
    'many_matches',
    `${SHOT.sha256.slice(0, 8)} means several images. The images of this session are:\n- ${LINE}\n- ${OTHER.sha256.slice(0, 12)}: other.png, image/png, 4 x 2 pixels, last seen with the request "What is this?"`,
  ],
  [
    'of what storage has lost',
    OTHER.sha256,
    [OTHER],
    'not_found',
    `The image ${OTHER.sha256.slice(0, 12)} (other.png) is missing or damaged in storage, so it cannot be looked at. Ask the person to attach it again.`,
  ],
])('a reference %s is answered with what there is', async (_, reference, images, kind, message) => {
  expect(await view(reference, images)).toEqual({ kind: 'failure', error: { kind, message }, changes: [] });
});

import { expect, test } from 'vitest';
import { DRAFTS } from '../../src/host/contribution-ids.ts';
import { Drafts } from '../../src/host/drafts.ts';

/** VS Code's memory: what goes in comes out as JSON. */
class Memory {
  private readonly values = new Map<string, string>();

  get(key: string): unknown {
    const value = this.values.get(key);
    return value === undefined ? undefined : JSON.parse(value);
  }

  async update(key: string, value: unknown): Promise<void> {
    this.values.set(key, JSON.stringify(value));
  }
}

const IMAGE = { id: 'i1', kind: 'image', label: 'shot.png', mime: 'image/png' };

function draft(
  session_id: string,
  text: string,
  attachments: readonly (typeof IMAGE & { data?: string })[] = [],
) {
  return { session_id, text, attachments: [...attachments], at: 7 };
}

test('each session has its own, also in another window later', async () => {
  const memory = new Memory();
  const drafts = new Drafts(memory);
  await drafts.write(draft('one', 'for one'));
  await drafts.write(draft('two', 'for two'));
  expect(new Drafts(memory).read('one')).toEqual(draft('one', 'for one'));
  expect(new Drafts(memory).read('three')).toEqual({ session_id: 'three', text: '', attachments: [], at: 0 });
});

test('what was sent is not kept', async () => {
  const memory = new Memory();
  const drafts = new Drafts(memory);
  await drafts.write(draft('one', 'words'));
  await drafts.write(draft('one', ''));
  expect(memory.get(DRAFTS)).toEqual([]);
});

test('the bytes of an image are there while the window is, come over once, and are never in the memory', async () => {
  const memory = new Memory();
  const drafts = new Drafts(memory);
  await drafts.write(draft('one', 'look', [{ ...IMAGE, data: 'AAAA' }]));
  await drafts.write(draft('one', 'look here', [IMAGE]));
  expect(drafts.read('one').attachments).toEqual([{ ...IMAGE, data: 'AAAA' }]);
  expect(JSON.stringify(memory.get(DRAFTS))).not.toContain('AAAA');
  expect(new Drafts(memory).read('one').attachments).toEqual([IMAGE]);
});

test('only the latest sessions are kept, and no more of them than fits', async () => {
  const memory = new Memory();
  const drafts = new Drafts(memory);
  for (let n = 0; n < 30; n += 1) await drafts.write(draft(`s${n}`, 'x'));
  const kept = ['s0', 's9', 's10', 's29'].map((id) => drafts.read(id).text);
  expect(kept).toEqual(['', '', 'x', 'x']);
  await drafts.write(draft('long', 'x'.repeat(500_000)));
  expect([drafts.read('long').text.length, drafts.read('s29').text]).toEqual([400_000, '']);
});

test('what another version kept is left alone', async () => {
  const memory = new Memory();
  await memory.update(DRAFTS, [{ session: 1 }, draft('one', 'words'), null]);
  expect(new Drafts(memory).read('one').text).toBe('words');
});

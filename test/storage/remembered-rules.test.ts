import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeClock } from '../../src/app/node-ports.ts';
import { NodeDisk } from '../../src/storage/node-disk.ts';
import { RememberedRules } from '../../src/storage/remembered-rules.ts';

let folder = '';
const path = (): string => join(folder, 'permissions.jsonl');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ledgerline-rules-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function rules(): Promise<RememberedRules> {
  const found = new RememberedRules(new NodeDisk(), nodeClock, path());
  await found.load();
  return found;
}

describe('rules that a person had remembered', () => {
  it('are none where there is no file', async () => {
    expect((await rules()).texts).toEqual({ allow: [], deny: [], unreadable: [] });
  });

  it('count at once, and for whoever opens the workspace next', async () => {
    const first = await rules();
    await first.add({ decision: 'allow', rules: ['run_command(npm test)', 'run_command(npm run build)'] });
    await first.add({ decision: 'deny', rules: ['write_file(a.ts)'] });
    const known = {
      allow: ['run_command(npm test)', 'run_command(npm run build)'],
      deny: ['write_file(a.ts)'],
      unreadable: [],
    };
    expect(first.texts).toEqual(known);
    expect((await rules()).texts).toEqual(known);
  });

  it('are only ever appended', async () => {
    const one = await rules();
    await one.add({ decision: 'allow', rules: ['write_file(a)'] });
    const before = await readFile(path(), 'utf8');
    await one.add({ decision: 'deny', rules: ['write_file(a)'] });
    expect((await readFile(path(), 'utf8')).startsWith(before)).toBe(true);
  });

  it('are seen by a window when another one adds to them', async () => {
    const [here, there] = [await rules(), await rules()];
    await there.add({ decision: 'allow', rules: ['write_file(a)'] });
    expect(here.texts.allow).toEqual([]);
    await here.load();
    expect(here.texts.allow).toEqual(['write_file(a)']);
  });

  it('do not count where the writer died in the middle of the line, and are written over by the next one', async () => {
    const line = JSON.stringify({ v: 1, ts: '', decision: 'allow', rule: 'write_file(a)' });
    for (let cut = 1; cut <= line.length; cut += 1) {
      await writeFile(path(), line.slice(0, cut));
      const found = await rules();
      expect(found.texts.allow).toEqual([]);
      await found.add({ decision: 'deny', rules: ['write_file(b)'] });
      expect((await rules()).texts).toEqual({ allow: [], deny: ['write_file(b)'], unreadable: [] });
    }
  });

  it.each([
    ['not JSON', 'allow everything'],
    ['no object', '"write_file"'],
    ['no rule', '{"decision":"deny"}'],
    ['another decision', '{"decision":"maybe","rule":"write_file"}'],
    ['a rule that is no text', '{"decision":"deny","rule":1}'],
  ])('name the line that cannot be read: %s', async (_name, line) => {
    const found = await rules();
    await found.add({ decision: 'allow', rules: ['write_file(a)'] });
    await appendFile(path(), `${line}\n`);
    expect((await rules()).texts).toEqual({
      allow: ['write_file(a)'],
      deny: [],
      unreadable: [{ line: 2, text: line }],
    });
  });
});

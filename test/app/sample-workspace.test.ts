import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { readSkillFile } from '../../src/app/skill-file.ts';
import { parseTemplate, specFrom } from '../../src/runtime/workflows/template.ts';

const SHIPPED = new URL('../sample-workspace/.ledgerline/workflows/', import.meta.url);
const GUIDE = new URL('../../docs/workflows.md', import.meta.url);

async function check(text: string): Promise<void> {
  const parsed = parseTemplate(JSON.parse(text));
  expect(parsed).toMatchObject({ ok: true });
  if (parsed.ok) expect(specFrom(parsed.template, {})).toMatchObject({ ok: true });
}

test('the workflows of the sample workspace can be run as they are', async () => {
  const files = await readdir(SHIPPED);
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) await check(await readFile(new URL(file, SHIPPED), 'utf8'));
});

test('the skills of the sample workspace can be used as they are', async () => {
  const shelf = new URL('../sample-workspace/.agents/skills/', import.meta.url);
  const names = await readdir(shelf);
  expect(names).toEqual(['invoice-rules']);
  for (const name of names) {
    const text = await readFile(new URL(`${name}/SKILL.md`, shelf), 'utf8');
    expect(readSkillFile(text, name)).toMatchObject({ ok: true, name, for_model: true });
  }
});

test('the example of the guide is one', async () => {
  const examples = [...(await readFile(GUIDE, 'utf8')).matchAll(/```json\n(?<text>[^]*?)```/gu)];
  expect(examples).toHaveLength(1);
  for (const example of examples) await check(example.groups?.['text'] ?? '');
});

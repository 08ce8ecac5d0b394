import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { once, readEvents } from '../support/headless.ts';
import { served, says } from './served.ts';

const bench = served();

test('skills of the person are looked for in the home of who runs it', async () => {
  const { home } = bench.place;
  const content = '---\ndescription: How I like it.\n---\nOne sentence a test.\n';
  await mkdir(join(home, '.agents/skills/my-way'), { recursive: true });
  await writeFile(join(home, '.agents/skills/my-way/SKILL.md'), content);
  const url = await bench.serve([says('Done.')]);
  const { code } = await once(bench.place, url, '/my-way it', { env: { HOME: home, USERPROFILE: home } });
  expect(code).toBe(0);
  const skills = (await readEvents(bench.place)).flatMap((event) =>
    event.type === 'skill_activation' ? [event.data] : [],
  );
  expect(skills).toMatchObject([{ name: 'my-way', path: '~/.agents/skills/my-way/SKILL.md', content }]);
});

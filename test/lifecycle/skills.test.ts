import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { SKILL_LIMITS } from '../../src/app/skills.ts';
import { asks, says, stage, type Window } from './window.ts';

const on = stage();

const REVIEW = '---\nname: review\ndescription: Looks for bugs.\n---\nRead it twice.\n';

type Skills = Extract<HostMessage, { type: 'skills' }>['items'];

async function offered(window: Window): Promise<Skills> {
  await window.receive({ type: 'find_skills', query_id: 'q' });
  const answer = window.messages.findLast((message) => message.type === 'skills');
  if (answer?.type !== 'skills') throw new Error('no answer');
  expect(answer.query_id).toBe('q');
  return answer.items;
}

describe('a skill', () => {
  it('that a message begins with is on record, and sent, for this turn alone', async () => {
    await on.write('.agents/skills/review/SKILL.md', REVIEW);
    await on.script(says('Two bugs.'), says('Welcome.'));
    const window = await on.open();
    expect(await window.turn('/review the log')).toBe('completed');
    await window.turn('Thanks.');
    const [skill, ...others] = await on.of('skill_activation');
    expect(others).toEqual([]);
    expect(skill).toMatchObject({
      name: 'review',
      path: '.agents/skills/review/SKILL.md',
      content: REVIEW,
      activated_by: 'user',
    });
    expect(skill?.content_hash).toMatch(/^[0-9a-f]{64}$/);
    const types = (await on.events()).map(({ type }) => type);
    expect(types.indexOf('skill_activation')).toBeGreaterThan(types.indexOf('user_message'));
    expect(types.indexOf('skill_activation')).toBeLessThan(types.indexOf('assistant_message'));
    expect(JSON.stringify(on.input(0))).toContain('Read it twice.');
    expect(JSON.stringify(on.input(0))).toContain('/review the log');
  });

  it('is not called for again when its turn goes on after a decision', async () => {
    await on.write('.ledgerline/skills/review/SKILL.md', REVIEW);
    await on.script(asks(['c1', 'write_file', { path: 'a.txt', content: 'new' }]), says('Done.'));
    const window = await on.open();
    expect(await window.turn('/review and write')).toBe('waiting');
    await window.decide('c1', 'resume');
    expect(await window.rests()).toBe('completed');
    expect(await on.of('skill_activation')).toHaveLength(1);
  });

  it('stays what it was when its turn is tried again', async () => {
    await on.write('.agents/skills/review/SKILL.md', REVIEW);
    await on.script(asks(['c1', 'list_files', { path: null, glob: null }]), says('Done.'));
    const window = await on.open({ maxRounds: 1 });
    expect(await window.turn('/review it')).toBe('failed');
    await rm(join(on.place.workspace, '.agents'), { recursive: true });
    await window.receive({ type: 'run_action', command: 'ledgerline.retryTurn' });
    expect(await window.rests()).toBe('completed');
    const skills = await on.of('skill_activation');
    expect(skills.map(({ content }) => content)).toEqual([REVIEW, REVIEW]);
    expect(new Set(skills.map(({ turn_id }) => turn_id)).size).toBe(2);
    expect(JSON.stringify(on.input(1))).toContain('Read it twice.');
  });

  it('is read up to a number of them in each folder', async () => {
    const names = Array.from({ length: SKILL_LIMITS.count + 1 }, (_, index) => `s${1000 + index}`);
    for (const name of names)
      await on.write(`.agents/skills/${name}/SKILL.md`, `---\ndescription: One of many.\n---\n`);
    await on.write('.ledgerline/skills/review/SKILL.md', REVIEW);
    await on.script();
    const found = (await offered(await on.open())).map(({ name }) => name);
    expect(found).toEqual(['review', ...names.slice(0, -1)]);
  });

  it('is offered with what it is for; of two with one name the first counts', async () => {
    await on.write('.agents/skills/review/SKILL.md', REVIEW);
    await on.write('.ledgerline/skills/review/SKILL.md', REVIEW.replace('bugs', 'typos'));
    await on.write('.ledgerline/skills/another/SKILL.md', '---\ndescription: Another one.\n---\n');
    await on.write('.agents/skills/empty/README.md', 'No skill.');
    await on.script();
    expect(await offered(await on.open())).toEqual([
      { name: 'another', description: 'Another one.' },
      { name: 'review', description: 'Looks for bugs.' },
    ]);
  });

  it('that cannot be used says why, and nothing is sent with it', async () => {
    await on.write('.agents/skills/broken/SKILL.md', 'Just do it.');
    await on.write('.agents/skills/large/SKILL.md', `${REVIEW}${'x'.repeat(70_000)}`);
    await mkdir(join(on.place.storage, 'outside'), { recursive: true });
    await writeFile(join(on.place.storage, 'outside', 'SKILL.md'), REVIEW);
    await symlink(join(on.place.storage, 'outside'), join(on.place.workspace, '.agents/skills/linked'));
    await on.script(says('No.'));
    const window = await on.open();
    const items = await offered(window);
    expect(items.map(({ name, problem = '' }) => [name, problem !== ''])).toEqual([
      ['broken', true],
      ['large', true],
      ['linked', true],
    ]);
    await window.send('/broken please', 'c1');
    expect(window.failures.at(-1)).toMatchObject({
      for: 'send',
      kind: 'skill_unusable',
      client_turn_id: 'c1',
      message:
        'The skill broken cannot be used. It does not begin with a block between two lines of ---. Nothing was sent.',
    });
    expect(on.requests).toEqual([]);
  });

  it('is kept from the model where a rule keeps its file from being read', async () => {
    await on.write('.agents/skills/review/SKILL.md', REVIEW);
    await on.script(says('No.'));
    const window = await on.open({ permissions: { deny: ['read_file(.agents/**)'] } });
    expect(await offered(window)).toEqual([
      { name: 'review', description: '', problem: 'A rule keeps it from being read.' },
    ]);
  });

  it('is none in a folder that is not trusted', async () => {
    await on.write('.agents/skills/review/SKILL.md', REVIEW);
    await on.script(says('Hello.'));
    const window = await on.open({}, 's1', { trusted: false });
    expect(await offered(window)).toEqual([]);
    expect(await window.turn('/review it')).toBe('completed');
    expect(await on.of('skill_activation')).toEqual([]);
  });
});

it('what begins like a path is said as it is', async () => {
  await on.script(says('A folder.'));
  const window = await on.open();
  expect(await window.turn('/usr/bin: what is that?')).toBe('completed');
  expect(JSON.stringify(on.input(0))).toContain('/usr/bin: what is that?');
});

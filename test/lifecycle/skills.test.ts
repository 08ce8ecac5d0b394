import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { MOST_SKILLS } from '../../src/app/skill-shelves.ts';
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
    const window = await on.turn('/review the log', [says('Two bugs.'), says('Welcome.')]);
    expect(window.state).toBe('completed');
    await window.turn('Thanks.');
    const { content, content_hash, ...skill } = await on.only('skill_activation');
    const path = '.agents/skills/review/SKILL.md';
    expect(skill).toMatchObject({ name: 'review', path, activated_by: 'user' });
    expect(content).toBe(REVIEW);
    expect(content_hash).toMatch(/^[0-9a-f]{64}$/);
    const types = (await on.events()).map(({ type }) => type);
    expect(types.indexOf('skill_activation')).toBeGreaterThan(types.indexOf('user_message'));
    expect(types.indexOf('skill_activation')).toBeLessThan(types.indexOf('assistant_message'));
    expect(JSON.stringify(on.input(0))).toContain('Read it twice.');
    expect(JSON.stringify(on.input(0))).toContain('/review the log');
  });

  it('is not called for again when its turn goes on after a decision', async () => {
    await on.write('.ledgerline/skills/review/SKILL.md', REVIEW);
    const window = await on.turn('/review and write', [
      asks(['c1', 'write_file', { path: 'a.txt', content: 'new' }]),
      says('Done.'),
    ]);
    expect(window.state).toBe('waiting');
    expect(await window.decided('c1', 'resume')).toBe('completed');
    expect(await on.of('skill_activation')).toHaveLength(1);
  });

  it('stays what it was when its turn is tried again', async () => {
    await on.write('.agents/skills/review/SKILL.md', REVIEW);
    const window = await on.turn(
      '/review it',
      [asks(['c1', 'list_files', { path: null, glob: null }]), says('Done.')],
      { maxRounds: 1 },
    );
    expect(window.state).toBe('failed');
    await rm(join(on.place.workspace, '.agents'), { recursive: true });
    await window.receive({ type: 'run_action', command: 'ledgerline.retryTurn' });
    expect(await window.rests()).toBe('completed');
    const skills = await on.of('skill_activation');
    expect(skills.map(({ content }) => content)).toEqual([REVIEW, REVIEW]);
    expect(new Set(skills.map(({ turn_id }) => turn_id)).size).toBe(2);
    expect(JSON.stringify(on.input(1))).toContain('Read it twice.');
  });

  it('is read up to a number of them in each folder, and whoever has more is told', async () => {
    const names = Array.from({ length: MOST_SKILLS + 1 }, (_, index) => `s${1000 + index}`);
    for (const name of names)
      await on.write(`.agents/skills/${name}/SKILL.md`, `---\ndescription: One of many.\n---\n`);
    await on.write('.ledgerline/skills/review/SKILL.md', REVIEW);
    await on.script(says('Yes.'));
    const window = await on.open();
    const found = (await offered(window)).map(({ name }) => name);
    expect(found).toEqual(['.agents/skills', 'review', ...names.slice(0, -1)]);
    await window.turn('Hello.');
    const told = (await on.of('diagnostic')).map(({ message }) => message);
    expect(told.join('\n')).toContain(
      `Not all skills in .agents/skills can be used. It has ${MOST_SKILLS + 1} folders, and only the first ${MOST_SKILLS} by name are looked at.`,
    );
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
      {
        name: 'review',
        description: '',
        problem: 'Another skill of this name counts: .agents/skills/review/SKILL.md.',
      },
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

  it('is not looked for where its folder is a link out of the workspace: nobody is told what is there', async () => {
    const outside = join(on.place.storage, 'outside');
    await mkdir(join(outside, 'private', 'workflows'), { recursive: true });
    await writeFile(join(outside, 'private', 'workflows', 'secret.json'), '{}');
    await on.write('.agents/README.md', 'x');
    await symlink(outside, join(on.place.workspace, '.agents/skills'));
    await on.script(says('Yes.'));
    const window = await on.open();
    const problem = 'It leads out of the workspace, so no skill is looked for there.';
    expect(await offered(window)).toEqual([{ name: '.agents/skills', description: '', problem }]);
    expect(await window.conversation.means.templates()).toEqual([]);
    expect(await window.turn('/private is a folder of mine')).toBe('completed');
    expect((await on.of('diagnostic')).map(({ message }) => message)).toEqual([
      `Not all skills in .agents/skills can be used. ${problem}`,
    ]);
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

async function own(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(on.place.home, path)), { recursive: true });
  await writeFile(join(on.place.home, path), content);
}

describe('a skill of the person', () => {
  it('is called by its name in every workspace, and recorded without where their folder is', async () => {
    await own('.agents/skills/review/SKILL.md', REVIEW);
    await own('.ledgerline/skills/another/SKILL.md', '---\ndescription: Another one.\n---\n');
    await on.script(says('Two bugs.'));
    const window = await on.open();
    expect((await offered(window)).map(({ name }) => name)).toEqual(['another', 'review']);
    await window.turn('/review it');
    expect(await on.of('skill_activation')).toMatchObject([
      { name: 'review', path: '~/.agents/skills/review/SKILL.md', content: REVIEW, activated_by: 'user' },
    ]);
    expect(JSON.stringify(on.requests.map(({ body }) => body))).not.toContain(on.place.home);
  });

  it('wins over one of the workspace with its name, which is reported as hidden', async () => {
    await own('.ledgerline/skills/review/SKILL.md', REVIEW);
    await on.write('.agents/skills/review/SKILL.md', REVIEW.replace('twice', 'never'));
    await on.script(says('Two bugs.'));
    const window = await on.open();
    expect(await offered(window)).toEqual([
      { name: 'review', description: 'Looks for bugs.' },
      {
        name: 'review',
        description: '',
        problem: 'Your own skill of this name counts: ~/.ledgerline/skills/review/SKILL.md.',
      },
    ]);
    await window.turn('/review it');
    expect(JSON.stringify(on.input(0))).toContain('Read it twice.');
    expect(await on.of('diagnostic')).toEqual([]);
  });

  it('stays in its shelf: a link out of it, a device and what is no text are refused with the reason', async () => {
    await own('.agents/skills/link/README.md', 'x');
    await own('elsewhere/SKILL.md', REVIEW);
    await own('.agents/skills/bytes/SKILL.md', '');
    await writeFile(join(on.place.home, '.agents/skills/bytes/SKILL.md'), Buffer.from([0x2d, 0xff, 0xfe]));
    await symlink(
      join(on.place.home, 'elsewhere/SKILL.md'),
      join(on.place.home, '.agents/skills/link/SKILL.md'),
    );
    await mkdir(join(on.place.home, '.agents/skills/device'));
    await symlink('/dev/zero', join(on.place.home, '.agents/skills/device/SKILL.md'));
    await mkdir(join(on.place.home, '.agents/skills/folder/SKILL.md'), { recursive: true });
    await on.script();
    const away = 'Its file is not inside the folder of your skills, where links have to stay.';
    const items = await offered(await on.open());
    expect(items.map(({ name, problem }) => [name, problem])).toEqual([
      ['bytes', 'It is not text in UTF-8.'],
      ['device', away],
      ['folder', expect.stringContaining('is a folder')],
      ['link', away],
    ]);
  });

  it('is there once where the person opened their own folder', async () => {
    await on.write('.agents/skills/review/SKILL.md', REVIEW);
    await symlink(join(on.place.workspace, '.agents'), join(on.place.home, '.agents'));
    await on.script();
    expect(await offered(await on.open())).toEqual([{ name: 'review', description: 'Looks for bugs.' }]);
  });

  it('can be called where the workspace is not trusted, of which no skill is looked at', async () => {
    await own('.agents/skills/mine/SKILL.md', REVIEW.replace('review', 'mine'));
    await on.write('.agents/skills/review/SKILL.md', REVIEW);
    await on.script(says('Hello.'));
    const window = await on.open({}, 's1', { trusted: false });
    expect((await offered(window)).map(({ name }) => name)).toEqual(['mine']);
    await window.turn('/mine it');
    expect((await on.of('skill_activation')).map(({ name }) => name)).toEqual(['mine']);
  });
});

describe('skills that something is wrong with', () => {
  it('are told of once, in the turn that goes without them, and again when it is something else', async () => {
    await on.write('.agents/skills/broken/SKILL.md', 'Just do it.');
    const window = await on.turn('One?', [says('One.'), says('Two.'), says('Three.')]);
    await window.turn('Two?', 'c2');
    const first = 'The skill broken cannot be used. It does not begin with a block between two lines of ---.';
    const next_actions = [{ label: 'Show skills', command: 'ledgerline.showSkills' }];
    const told = { code: 'skill_problems', message: first, details: { problems: [first] }, next_actions };
    expect(await on.of('diagnostic')).toMatchObject([told]);
    await on.write('.agents/skills/worse/SKILL.md', '---\nname: worse\n---\n');
    await window.turn('Three?', 'c3');
    const second = 'The skill worse cannot be used. It has no description, which says when to use it.';
    expect(await on.of('diagnostic')).toMatchObject([
      told,
      { message: `${first} More about skills: 1.`, details: { problems: [first, second] } },
    ]);
  });

  it('are also those that the list for the model has no room for', async () => {
    const description = 'd'.repeat(400);
    for (let n = 10; n < 40; n += 1)
      await on.write(`.agents/skills/s${n}/SKILL.md`, `---\ndescription: ${description}\n---\n`);
    await on.script(says('One.'));
    await (await on.open()).turn('One?');
    const [usage] = await on.of('provider_usage');
    const listed = usage?.skill_index?.match(/^- s\d+: /gmu)?.length ?? 0;
    expect(Buffer.byteLength(usage?.skill_index ?? '')).toBeLessThanOrEqual(8000);
    expect((await on.of('diagnostic')).map(({ message }) => message)).toEqual([
      `Skills without room in the list that the model gets: ${30 - listed}. You can still call them by their names.`,
    ]);
  });
});

it("templates in the person's own skills can be run in every workspace, and are not taken for those of a workspace", async () => {
  const workflow = { id: 'w', name: 'W', steps: [{ id: 's', task: 'Look.' }] };
  await own('.agents/skills/mine/workflows/go.json', JSON.stringify(workflow));
  await on.write('.agents/skills/mine/workflows/go.json', '{}');
  await on.script();
  const { means } = (await on.open()).conversation;
  expect((await means.templates()).map(({ name, path, ok }) => [name, path, ok])).toEqual([
    ['mine/go', '~/.agents/skills/mine/workflows/go.json', true],
    ['mine/go', '.agents/skills/mine/workflows/go.json', false],
  ]);
});

it('nothing in the folder of a skill runs, and its templates are only listed', async () => {
  const script = `#!/bin/sh\ntouch ${join(on.place.workspace, 'ran')}\n`;
  await on.write('.agents/skills/review/SKILL.md', `${REVIEW}!\`./run.sh\`\n`);
  for (const name of ['run.sh', 'scripts/install.sh', 'index.js']) {
    await on.write(`.agents/skills/review/${name}`, script);
    await chmod(join(on.place.workspace, '.agents/skills/review', name), 0o755);
  }
  const workflow = { id: 'w', name: 'W', steps: [{ id: 's', task: 'run ./run.sh' }] };
  await on.write('.agents/skills/review/workflows/go.json', JSON.stringify(workflow));
  await on.script(asks(['c1', 'activate_skill', { name: 'review' }]), says('Done.'));
  const window = await on.open({ permissionMode: 'auto' });
  await offered(window);
  expect((await window.conversation.means.templates()).map(({ name }) => name)).toEqual(['review/go']);
  expect(await window.turn('Look.')).toBe('completed');
  expect(await on.read('ran')).toBeNull();
  expect((await on.events()).filter(({ type }) => type === 'workflow_event')).toEqual([]);
});

it('what begins like a path is said as it is', async () => {
  const window = await on.turn('/usr/bin: what is that?', [says('A folder.')]);
  expect(window.state).toBe('completed');
  expect(JSON.stringify(on.input(0))).toContain('/usr/bin: what is that?');
});

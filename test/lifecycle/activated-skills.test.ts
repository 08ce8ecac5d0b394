import { writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LogEvent } from '../../src/runtime/events.ts';
import { responds } from '../support/responses-server/whole-replies.ts';
import { asks, says, stage } from './window.ts';

const on = stage();

const REVIEW =
  '---\nname: review\ndescription: Looks for bugs.\nwhen_to_use: Before a merge.\n---\nRead it twice.\n';
const ANOTHER = '---\ndescription: Another one.\n---\nAnother text.\n';
const OWN_CALL = '---\ndescription: For people.\ndisable-model-invocation: true\n---\nSecret practice.\n';

const activates = (call: string, name: string) => asks([call, 'activate_skill', { name }]);

function instructions(index: number): string {
  const body = on.requests[index]?.body as { instructions: string } | undefined;
  return body?.instructions ?? '';
}

function offered(index: number): readonly string[] {
  const body = on.requests[index]?.body as { tools: readonly { name: string }[] } | undefined;
  return (body?.tools ?? []).map(({ name }) => name);
}

async function own(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(on.place.home, path)), { recursive: true });
  await writeFile(join(on.place.home, path), content);
}

function typesAfter(events: readonly LogEvent[], type: LogEvent['type']): readonly string[] {
  const types = events.map((event) => event.type);
  return types.slice(types.indexOf(type));
}

describe('a skill that the model activates', () => {
  it('is on record right after the result, and reaches the model once', async () => {
    await on.write('.agents/skills/review/SKILL.md', REVIEW);
    await on.script(activates('c1', 'review'), says('Two bugs.'));
    const window = await on.open();
    expect(await window.turn('Look at it.')).toBe('completed');
    const [skill, ...others] = await on.of('skill_activation');
    expect(others).toEqual([]);
    expect(skill).toMatchObject({
      name: 'review',
      path: '.agents/skills/review/SKILL.md',
      content: REVIEW,
      activated_by: 'model',
    });
    expect(typesAfter(await on.events(), 'tool_result').slice(0, 3)).toEqual([
      'tool_result',
      'skill_activation',
      'tool_call_status',
    ]);
    const line = 'The skill review is active for this turn. Its text follows as a note.';
    expect(on.output(1, 'c1')).toBe(line);
    const sent = JSON.stringify(on.input(1));
    expect(sent.split('Read it twice.')).toHaveLength(2);
    expect(on.input(1).slice(-2)).toEqual([
      { type: 'function_call_output', call_id: 'c1', output: line },
      {
        type: 'message',
        role: 'user',
        content: [
          {
            type: 'input_text',
            text: `[Ledgerline note: skill review is active for this turn]\n${REVIEW}`,
          },
        ],
      },
    ]);
  });

  it('is recorded once a turn, also when two calls ask for it at once, and again in a later one', async () => {
    await on.write('.agents/skills/review/SKILL.md', REVIEW);
    const both = asks(
      ['c1', 'activate_skill', { name: 'review' }],
      ['c2', 'activate_skill', { name: '/review' }],
    );
    await on.script(both, activates('c3', 'review'), says('One.'), activates('c4', 'review'), says('Two.'));
    const window = await on.open();
    await window.turn('Look.');
    const already = 'The skill review is active in this turn already.';
    expect([on.output(2, 'c2'), on.output(2, 'c3')]).toEqual([already, already]);
    expect(await on.of('skill_activation')).toHaveLength(1);
    await window.turn('Look again.');
    const all = await on.of('skill_activation');
    expect(new Set(all.map(({ turn_id }) => turn_id)).size).toBe(2);
  });

  it('is read as it is then, and recorded again where it is another', async () => {
    await on.write('.agents/skills/review/SKILL.md', REVIEW);
    const changed = REVIEW.replace('twice', 'thrice');
    const afterChange = () => {
      writeFileSync(join(on.place.workspace, '.agents/skills/review/SKILL.md'), changed);
      return responds(activates('c2', 'review'));
    };
    await on.script(activates('c1', 'review'), afterChange, says('Done.'));
    await (await on.open()).turn('Look.');
    const contents = (await on.of('skill_activation')).map(({ content }) => content);
    expect(contents).toEqual([REVIEW, changed]);
  });

  it('was called for by the person already: it is active', async () => {
    await on.write('.agents/skills/review/SKILL.md', REVIEW);
    await on.script(activates('c1', 'review'), says('Done.'));
    await (await on.open()).turn('/review it');
    expect(on.output(1, 'c1')).toBe('The skill review is active in this turn already.');
    expect((await on.of('skill_activation')).map(({ activated_by }) => activated_by)).toEqual(['user']);
  });

  it.each([
    ['unknown', 'nope', 'Error (unknown_skill): There is no skill "nope".'],
    [
      'bad',
      'broken',
      'Error (skill_unusable): The skill broken cannot be used. It does not begin with a block between two lines of ---.',
    ],
    [
      'too large',
      'large',
      'Error (skill_unusable): The skill large cannot be used. It has more than 65536 bytes.',
    ],
    [
      'for people alone',
      'own-call',
      'Error (skill_not_for_model): Only the person can call the skill own-call, by beginning a message with /own-call.',
    ],
  ])('and is %s is an error with the reason and the names there are', async (_, name, message) => {
    await on.write('.agents/skills/review/SKILL.md', REVIEW);
    await on.write('.agents/skills/broken/SKILL.md', 'Just do it.');
    await on.write('.agents/skills/large/SKILL.md', `${REVIEW}${'x'.repeat(70_000)}`);
    await on.write('.agents/skills/own-call/SKILL.md', OWN_CALL);
    await on.script(activates('c1', name), says('Then not.'));
    expect(await (await on.open()).turn('Look.')).toBe('completed');
    expect(on.output(1, 'c1')).toBe(`${message} The skills that you can activate are: review.`);
    expect(await on.of('skill_activation')).toEqual([]);
    expect(JSON.stringify(on.input(1))).not.toContain('Secret practice');
  });

  it('and a rule denies is denied and not listed; one that a rule asks about waits', async () => {
    await on.write('.agents/skills/review/SKILL.md', REVIEW);
    await on.write('.agents/skills/another/SKILL.md', ANOTHER);
    const permissions = { deny: ['activate_skill(rev*)'], ask: ['activate_skill(another)'] };
    await on.script(activates('c1', 'review'), activates('c2', 'another'), says('Done.'));
    const window = await on.open({ permissions });
    expect(await window.turn('Look.')).toBe('waiting');
    expect(instructions(0)).toContain('- another: ');
    expect(instructions(0)).not.toContain('- review: ');
    expect(on.output(1, 'c1')).toMatch(/^Error \(permission_denied\): /);
    expect(await on.of('skill_activation')).toEqual([]);
    await window.decide('c2', 'resume');
    expect(await window.rests()).toBe('completed');
    expect((await on.of('skill_activation')).map(({ name }) => name)).toEqual(['another']);
    expect(JSON.stringify(on.input(2))).toContain('Another text.');
  });

  it('runs in read-only mode, because it only reads', async () => {
    await on.write('.agents/skills/review/SKILL.md', REVIEW);
    await on.script(activates('c1', 'review'), says('Done.'));
    await (await on.open({ permissionMode: 'read_only' })).turn('Look.');
    expect(await on.of('skill_activation')).toHaveLength(1);
  });

  it('is in a fork, because it was sent', async () => {
    await on.write('.agents/skills/review/SKILL.md', REVIEW);
    await on.script(activates('c1', 'review'), says('Two bugs.'), says('Yes.'));
    const window = await on.open();
    await window.turn('Look at it.');
    await window.receive({ type: 'fork' });
    await window.turn('Sure?', 'c9');
    expect(on.input(2).slice(0, on.input(1).length)).toEqual(on.input(1));
  });

  it('is told to children as well, who activate it for themselves', async () => {
    await on.write('.agents/skills/review/SKILL.md', REVIEW);
    await on.cast({
      'Ask somebody.': [
        asks(['c1', 'spawn_agent', { task: 'Look at it.' }]),
        asks(['c2', 'wait_agent', {}]),
        says('They did.'),
      ],
      'Look at it.': [activates('k1', 'review'), says('Two bugs.')],
    });
    const window = await on.open();
    expect(await window.turn('Ask somebody.')).toBe('completed');
    expect(await on.of('skill_activation')).toEqual([]);
    const [child] = (await on.events()).flatMap((event) =>
      event.type === 'subagent_event' ? [event.data.child_session_id] : [],
    );
    const skills = (await on.events(child)).filter(({ type }) => type === 'skill_activation');
    expect(skills).toHaveLength(1);
  });
});

describe('the index of skills in a request', () => {
  it('is at the end of the instructions, with its hash in the record and in the cache key', async () => {
    await on.write('.agents/skills/review/SKILL.md', REVIEW);
    await on.write('.ledgerline/skills/another/SKILL.md', ANOTHER);
    await on.write('.agents/skills/own-call/SKILL.md', OWN_CALL);
    await on.script(asks(['c1', 'list_files', { path: null, glob: null }]), says('Hello.'));
    await (await on.open()).turn('Hello.');
    expect(instructions(0).split('\n').slice(-2)).toEqual([
      '- another: "Another one."',
      '- review: "Looks for bugs." When to use: "Before a merge."',
    ]);
    expect(offered(0)).toContain('activate_skill');
    const [first, second] = await on.of('provider_usage');
    expect(first?.skill_index).toBe(instructions(0).slice(instructions(0).indexOf('\n\nSkills: ')));
    expect(first?.prompt_cache_key).toMatch(new RegExp(`:k_${first?.skill_index_hash}$`, 'u'));
    expect(first?.context.parts?.skills).toBe(Math.ceil(Buffer.byteLength(first?.skill_index ?? '') / 4));
    // Once a turn is enough: the hash says that it is the same.
    expect([second?.skill_index, second?.skill_index_hash]).toEqual([undefined, first?.skill_index_hash]);
  });

  it('is nothing without skills, and no tool is offered for them', async () => {
    await on.script(says('Hello.'));
    await (await on.open()).turn('Hello.');
    expect(instructions(0)).not.toContain('Skills');
    expect(offered(0)).not.toContain('activate_skill');
    expect((await on.of('provider_usage'))[0]).not.toHaveProperty('skill_index');
  });

  it('is nothing in a folder that is not trusted, nor for a turn without tools', async () => {
    await on.write('.agents/skills/review/SKILL.md', REVIEW);
    await own('.agents/skills/mine/SKILL.md', ANOTHER);
    await on.script(says('Hello.'), says('Hello.'));
    await (await on.open({}, 's1', { trusted: false })).turn('Hello.');
    const window = await on.open({}, 's2');
    await window.receive({
      type: 'send',
      client_turn_id: 'n',
      text: 'Hello.',
      attachments: [],
      tools: 'none',
    });
    await window.rests();
    expect(on.requests).toHaveLength(2);
    for (const index of [0, 1]) expect(instructions(index)).not.toContain('Skills');
  });

  it('that is another in a later turn gives another cache key, and a continuation begins anew with its reason', async () => {
    await on.write('.agents/skills/review/SKILL.md', REVIEW);
    await on.script(
      { id: 'r1', ...says('One.') },
      { id: 'r2', ...says('Two.') },
      { id: 'r3', ...says('Three.') },
    );
    const window = await on.open({ transport: 'websocket' });
    await window.turn('One?');
    await window.turn('Two?', 'c2');
    await on.write('.agents/skills/another/SKILL.md', ANOTHER);
    await window.turn('Three?', 'c3');
    const usages = await on.of('provider_usage');
    expect(usages.map(({ continuation }) => continuation)).toEqual([
      { attempted: false, used: false, reset_reason: 'no_previous_response' },
      { attempted: true, used: true, reset_reason: null },
      { attempted: false, used: false, reset_reason: 'instructions_changed' },
    ]);
    const keys = usages.map(({ prompt_cache_key }) => prompt_cache_key);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
  });

  it('says nothing of AGENTS.md, and neither does the rest of the request', async () => {
    await on.write('AGENTS.md', 'Words of the project.');
    await on.write('.agents/skills/review/AGENTS.md', 'Words of the project.');
    await on.write('.agents/skills/review/SKILL.md', REVIEW);
    await own('AGENTS.md', 'Words of the project.');
    await on.script(activates('c1', 'review'), says('Hello.'));
    await (await on.open()).turn('/review it');
    expect(JSON.stringify(on.requests.map(({ body }) => body))).not.toContain('Words of the project.');
  });
});

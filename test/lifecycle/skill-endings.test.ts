import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { diagnoseSession, inspectRequest } from '../../src/app/inspect.ts';
import { applyToSession, emptySession } from '../../src/runtime/session-state.ts';
import { cutTo, logText } from './log-file.ts';
import { asks, says, stage } from './window.ts';

const on = stage();

const REVIEW = '---\nname: review\ndescription: Looks for bugs.\n---\nRead it twice.\n';
const LEGAL = ['waiting', 'interrupted', 'completed', null];

it('every prefix of a turn in which the model activated a skill opens, goes on, and has the skill once at most', async () => {
  await on.write('.agents/skills/review/SKILL.md', REVIEW);
  const window = await on.turn('Go.', [
    asks(
      ['c1', 'write_file', { path: 'a.txt', content: 'new' }],
      ['c2', 'activate_skill', { name: 'review' }],
      ['c3', 'list_files', { path: null, glob: null }],
    ),
    says('I wait.'),
    says('Done.'),
  ]);
  expect(window.state).toBe('waiting');
  expect(await window.decided('c1', 'cancel')).toBe('completed');
  await window.close();
  const whole = await logText(on.place);
  const lines = whole.split('\n').length - 1;
  for (let count = lines; count > 0; count -= 1) {
    const where = `after ${count} lines`;
    await writeFile(join(on.place.storage, 'sessions', 's1.jsonl'), whole);
    await cutTo(on.place, count);
    await on.script(says('Here I am.'));
    const again = await on.open();
    expect(LEGAL, where).toContain(await again.rests());
    const { status, checks } = await diagnoseSession(on.place.storage, 's1');
    expect(status, `${where}: ${JSON.stringify(checks)}`).not.toBe('blocked');
    expect(await again.turn('Are you there?', `again_${count}`), where).toBe('completed');
    expect(on.requests[0]?.refusal, where).toBeNull();
    const sent = JSON.stringify(on.input(0)).split('Read it twice.').length - 1;
    expect(sent, where).toBeLessThanOrEqual(1);
    await again.close();
    const folded = (await on.events()).reduce(applyToSession, emptySession('s1'));
    expect(folded.turn?.violations, where).toEqual([]);
  }
}, 60_000);

it('a checkpoint drops a skill that the model activated, says so, and the skill can be activated again', async () => {
  await on.write('.agents/skills/review/SKILL.md', REVIEW);
  const talk = Array.from({ length: 12 }, (_, index) =>
    says(`Answer ${index}, in some more words than one.`),
  );
  const activate = asks(['c1', 'activate_skill', { name: 'review' }]);
  const again = asks(['c2', 'activate_skill', { name: 'review' }]);
  const window = await on.turn('Look at it.', [
    activate,
    says('Two bugs.'),
    ...talk,
    again,
    says('No bugs.'),
  ]);
  for (const [index] of talk.entries())
    await window.turn(`Question ${index}: ${'why '.repeat(60)}?`, `q${index}`);
  await window.receive({ type: 'compact', dry_run: false });
  await window.conversation.settled();
  const [checkpoint] = await on.of('history_compaction');
  expect(checkpoint?.skills_dropped).toEqual(['review']);
  expect(checkpoint?.limitations).toContain(
    'Skills that were active only in this range are not in force any more, unless they are activated again: review.',
  );
  await window.turn('Look again.', 'last');
  const [asked, answered] = [on.input(on.requests.length - 2), on.input(on.requests.length - 1)];
  expect(JSON.stringify(asked)).not.toContain('Read it twice.');
  expect(JSON.stringify(answered)).toContain('Read it twice.');
  expect(await on.of('skill_activation')).toHaveLength(2);
});

it('the report of a request has the index with the event that tells it, for later calls and turns as well', async () => {
  await on.write('.agents/skills/review/SKILL.md', REVIEW);
  const window = await on.turn('One?', [
    asks(['c1', 'list_files', { path: null, glob: null }]),
    says('One.'),
    says('Two.'),
  ]);
  await window.turn('Two?', 'c2');
  const tellers = (await on.events()).flatMap((event) =>
    event.type === 'provider_usage' && event.data.skill_index !== undefined ? [event] : [],
  );
  expect(tellers).toHaveLength(2);
  const [first, second] = tellers;
  const [, later] = await on.of('provider_usage');
  expect(later).not.toHaveProperty('skill_index');
  const past = await inspectRequest(on.place.storage, 's1', later?.at_seq ?? 0);
  const next = await inspectRequest(on.place.storage, 's1', null);
  const text = first?.data.skill_index ?? '';
  expect([past.skill_index, next.skill_index]).toEqual(
    [first, second].map((teller) => ({
      hash: teller?.data.skill_index_hash,
      text,
      source: { seq: teller?.seq, type: 'provider_usage' },
      bytes: Buffer.byteLength(text),
      tokens_estimate: Math.ceil(Buffer.byteLength(text) / 4),
    })),
  );
  expect(text).toContain('\n- review: "Looks for bugs."');
});

it('what a turn was given of a skill can be looked at later, whatever has become of its file', async () => {
  await on.write('.agents/skills/review/SKILL.md', REVIEW);
  const window = await on.turn('Look at it.', [
    asks(['c1', 'activate_skill', { name: 'review' }]),
    says('Two bugs.'),
  ]);
  await on.write('.agents/skills/review/SKILL.md', 'Gone.');
  const { changes } = window.conversation;
  const event = (await on.events()).find(({ type }) => type === 'skill_activation');
  const turn_id = (await on.of('skill_activation'))[0]?.turn_id ?? '';
  const seq = event?.seq ?? -1;
  expect(await changes.skill({ turn_id, seq })).toEqual({ kind: 'text', name: 'review', text: REVIEW });
  const none = { kind: 'refused', message: 'The log has no such skill in this turn.' };
  expect(await changes.skill({ turn_id, seq: seq - 1 })).toEqual(none);
  expect(await changes.skill({ turn_id: 'another', seq })).toEqual(none);
});

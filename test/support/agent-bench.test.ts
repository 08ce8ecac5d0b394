import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { AgentBench } from './agent-bench.ts';
import { asks, later, NOTHING, reports, run, says, spawn, wait } from './cast-provider.ts';
import { CUT, MINUTE } from './child-stories.ts';

/** Children and a workflow beside each other, a crash, and what is gone on with after it. */
async function told(): Promise<readonly string[]> {
  const steps = [
    { id: 'one', task: 'Do one.' },
    { id: 'two', task: 'Do two.' },
  ];
  const first = await new AgentBench(
    {
      'Go.': [
        asks(
          spawn('c1', 'Look.', { agent: 'explorer' }),
          spawn('c2', 'Ask.'),
          run('c3', { name: 'Flow', steps }),
        ),
        asks(wait('c4')),
      ],
      'Look.': [CUT, later(MINUTE, says('Seen.'))],
      'Ask.': [asks(['ask', 'run_command', { command: 'make' }]), NOTHING],
      'Do one.': reports('checkpoint_ready', 'It is ready.'),
      'Do two.': [NOTHING],
    },
    { mode: 'ask' },
  ).turn('Go.');
  await first.pass(2 * MINUTE);
  const second = await first.crash({ 'Ask.': [says('Well.')] });
  await second.person((desk) => desk.resume('agent_2'));
  await second.decide('suspension_c1', 'cancel');
  return second.log.lines;
}

test('a story is the same each time it is told, down to its ids and times', async () => {
  const once = await told();
  expect(once.length).toBeGreaterThan(40);
  expect(await told()).toEqual(once);
});

test('a story in which the model has a line too few is told as a mistake', async () => {
  const bench = new AgentBench({ 'Go.': [asks(spawn('c1', 'Look.'))] });
  await expect(bench.turn('Go.')).rejects.toThrow('no line');
});

test('a story does not go on over a tool that looks at a disk, however busy that is', async () => {
  const derive = promisify(pbkdf2);
  // They take turns with what reads files: whoever comes next has to wait for them.
  const busy = Promise.all(Array.from({ length: 16 }, () => derive('a', 'b', 100_000, 64, 'sha512')));
  const bench = await new AgentBench({
    'Go.': [asks(['c1', 'read_file', { path: 'notes.txt' }]), says('It is not there.')],
  }).turn('Go.');
  expect(bench.events.at(-1)).toMatchObject({
    type: 'run_status',
    data: { status: 'done', reason: 'natural_end' },
  });
  await busy;
});

import { describe, expect, it } from 'vitest';
import { run, write } from './calls.ts';
import { asks, says, stage } from './window.ts';

const on = stage();

/** Begins, and ends as soon as the file `go` is there. */
const WAITS = 'touch began; while [ ! -e go ]; do sleep 0.02; done';

describe('calls that a person lets go on', () => {
  it('run at once, also beside a command that was let go on before', async () => {
    const window = await on.turn('Go.', [
      asks(run('c1', WAITS), run('c2', 'touch second'), write('c3', 'third')),
      says('Done.'),
    ]);
    await window.decide('c1', 'resume');
    await expect.poll(() => on.read('began')).toBe('');
    await window.decide('c2', 'resume');
    await window.decide('c3', 'resume');
    await Promise.all([window.call('c2', 'succeeded'), window.call('c3', 'succeeded')]);
    expect(window.state).toBe('running');
    await on.write('go', '');
    expect(await window.rests()).toBe('completed');
  });

  it('keep a command behind an edit that is being made', async () => {
    const command = run('c2', 'cat a.txt');
    const window = await on.turn('Go.', [asks(write('c1', 'a.txt'), command), says('Done.')]);
    await Promise.all([window.decide('c1', 'resume'), window.decide('c2', 'resume')]);
    expect(await window.rests()).toBe('completed');
    expect(on.output(1, 'c2')).toContain('by c1');
  });
});

describe('calls that nobody was asked about', () => {
  it('keep the order of the model around commands', async () => {
    const script = asks(
      run('c1', 'sleep 0.1; echo one >> log'),
      run('c2', 'echo two >> log'),
      write('c3', 'a'),
    );
    const window = await on.turn('Go.', [script, says('Done.')], { permissionMode: 'auto' });
    expect(window.state).toBe('completed');
    expect(await on.read('log')).toBe('one\ntwo\n');
    const ended = (await on.of('tool_call_status')).filter(({ to }) => to === 'succeeded');
    expect(ended.map(({ call_id }) => call_id)).toEqual(['c1', 'c2', 'c3']);
  });
});

describe('denials', () => {
  it('are no errors: a person may deny as often as the model asks', async () => {
    const rounds = [1, 2, 3, 4, 5, 6].map((n) => asks(write(`c${n}`, `file${n}`)));
    const window = await on.turn('Go.', [...rounds, says('I see.')]);
    for (let n = 1; n <= 6; n += 1) {
      await window.decide(`c${n}`, 'cancel');
      await window.rests();
    }
    expect(window.state).toBe('completed');
  });
});

import { expect, it } from 'vitest';
import type { RunSettings } from '../../../src/runtime/extension.ts';
import { call, message, responds } from '../../support/scripted-provider.ts';
import { SessionBench } from '../../support/session-bench.ts';
import { succeed, toolBox } from '../../support/tool-stubs.ts';

/** Asks about a write to a file, which is another one by the time that it is approved. */
async function approvedLate(settings: Partial<RunSettings>): Promise<{ bench: SessionBench; runs: number }> {
  let sha256 = 'as it was shown';
  let runs = 0;
  const bench = new SessionBench({
    scripts: [responds(call('c1', 'write', { path: 'a' })), responds(message('Done.'))],
    settings: { permission_mode: 'ask' },
    tools: toolBox({
      write: {
        effect: 'write',
        preview: () => ({ ok: true, preview: { parameters: {}, basis: { path: 'a', sha256 } } }),
        run: () => {
          runs += 1;
          return succeed('wrote a');
        },
      },
    }),
  });
  await bench.run('Go.');
  sha256 = 'as somebody else has left it';
  const decision = { decision_id: 'd1', target_id: 'c1', action: 'resume' };
  await bench.clock.until(bench.session.decide(decision, async () => bench.ports(settings)));
  await bench.settled();
  return { bench, runs };
}

it('asks again about a file that changed after it was approved', async () => {
  const { bench, runs } = await approvedLate({});
  expect({ state: bench.state, runs }).toEqual({ state: 'waiting', runs: 0 });
});

it('asks again about a file that changed, also when by now nobody would be asked', async () => {
  const { bench, runs } = await approvedLate({ permission_mode: 'auto' });
  expect({ state: bench.state, runs }).toEqual({ state: 'waiting', runs: 0 });
});

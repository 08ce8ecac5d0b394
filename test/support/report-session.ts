import { call, DONE, fails, reasoning, responds, text } from './scripted-provider.ts';
import { SessionBench } from './session-bench.ts';

/** What reports are made of: a turn with reasoning and a call, and one whose answer was cut by its provider. */
export async function reportSession(): Promise<SessionBench> {
  const bench = new SessionBench({
    scripts: [
      responds(reasoning('rs_1'), call('c1', 'read', { path: 'a' })),
      DONE,
      [text('Half'), fails('server_error')],
    ],
  });
  await bench.run('One.');
  await bench.run('Two.');
  return bench;
}

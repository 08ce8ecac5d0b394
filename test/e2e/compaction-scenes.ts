import { toLine } from '../../src/runtime/event-line.ts';
import { MANUAL } from '../support/browser/compaction-scenes.ts';
import { Story } from './diagnostics-scenes.ts';

export * from '../support/browser/compaction-scenes.ts';

export const COMPACTED_TITLE = 'Why does login.test.ts fail on CI?';

/** Where the checkpoint of that log is. */
export const COMPACTED_AT = 12;

/** The log of a session that was compacted between its turns, as another run left it. */
export function compactedLog(): readonly string[] {
  const story = new Story()
    .add('session_started', {
      workspace: '/w',
      app_version: '0',
      prompt_contract_version: 'll1',
      permission_mode: 'ask',
      fork_root_session_id: 's1',
    })
    .add('developer_context', { workspace: '/w', branch: 'main', permission_mode: 'ask' })
    .turn('t1', COMPACTED_TITLE)
    .answer('t1', 'The clock is mocked after the client is built.')
    .turn('t2', 'Then give it the clock.')
    .answer('t2', 'The client takes its clock now.')
    .add('history_compaction', {
      ...MANUAL,
      range: { from_seq: 0, to_seq: 6 },
      tail_from_seq: 7,
      keeps: [],
      tool_calls: { total: 0, failed: 0, by_name: {}, last: [] },
    })
    .turn('t3', 'And on Windows?')
    .answer('t3', 'It passes there, too.');
  return story.events.map((event) => toLine(event));
}

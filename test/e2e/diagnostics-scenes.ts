import type { Envelope, EventData, EventType, LogEvent } from '../../src/runtime/events.ts';
import { toLine } from '../../src/runtime/event-line.ts';
import { AgentBench } from '../support/agent-bench.ts';
import { asks, later, NOTHING, reports, run, says, spawn, wait } from '../support/cast-provider.ts';
import { MINUTE } from '../support/child-stories.ts';
import { READY } from '../support/flow-stories.ts';
import { made, usage } from '../support/made-events.ts';
import { fails, text } from '../support/scripted-provider.ts';

/** Logs as other runs left them, for what would take too long to make anew. */

export class Story {
  readonly events: LogEvent[] = [];

  add<T extends EventType>(type: T, data: EventData[T]): this {
    const event: Envelope<string, unknown> = made(type, this.events.length, data);
    this.events.push(event as LogEvent);
    return this;
  }

  turn(turn_id: string, text: string): this {
    return this.add('user_message', { turn_id, client_turn_id: `k_${turn_id}`, text, attachments: [] }).add(
      'run_status',
      { turn_id, status: 'running' },
    );
  }

  call(turn_id: string, call_id: string, name: string, args: object): this {
    const place = { turn_id, stream_run_id: `r_${call_id}`, output_index: 0, output_count: 1 };
    return this.add('tool_call', { ...place, call_id, name, args: JSON.stringify(args) });
  }

  ran(turn_id: string, call_id: string, error?: { kind: string; message: string }): this {
    const ok = error === undefined;
    return this.add('tool_call_status', { turn_id, call_id, from: 'new', to: 'running' })
      .add('tool_result', {
        turn_id,
        call_id,
        ok,
        duration_ms: 1200,
        ...(ok ? { output: 'done' } : { error }),
      })
      .add('tool_call_status', { turn_id, call_id, from: 'running', to: ok ? 'succeeded' : 'failed' });
  }

  answer(turn_id: string, text: string): this {
    const place = { turn_id, stream_run_id: `r_${turn_id}`, output_index: 0, output_count: 1 };
    return this.add('assistant_message', { ...place, text, metadata: { partial: false } })
      .add('provider_usage', usage({ turn_id, stream_run_id: `r_${turn_id}` }))
      .add('run_status', { turn_id, status: 'done', reason: 'natural_end' });
  }

  failed(turn_id: string, data: Partial<EventData['turn_failed']>): this {
    return this.add('turn_failed', {
      turn_id,
      terminal_status: 'failed',
      error_kind: 'auth',
      error_message: 'The key was refused.',
      details: {},
      next_actions: [],
      ...data,
    }).add('run_status', { turn_id, status: 'done', reason: 'error' });
  }
}

const TITLE = 'Move the login to the new client';

/** Every state there is, in one session, as the runtime records it. */
export async function everyState(): Promise<readonly string[]> {
  const steps = [
    { id: 'survey', task: 'Survey it.' },
    { id: 'port', task: 'Port it.', depends_on: ['survey'] },
  ];
  const cast = {
    [TITLE]: [
      asks(['c1', 'read_file', { path: 'src/session/login-client.ts' }]),
      says('Done.'),
      asks(
        spawn('a1', 'Look for clocks', { agent: 'explorer' }),
        spawn('a2', 'Look for timers', { agent: 'explorer', timeout_ms: 5 * MINUTE }),
        run('flow', { name: 'port the client', steps }),
      ),
      asks(wait('w')),
      NOTHING,
      [fails('auth')],
      [text('Looking at'), ...NOTHING],
      asks(['c6', 'run_command', { command: 'npm test -- login' }]),
    ],
    'Look for clocks': [later(42_000, says('Two clocks.'))],
    'Look for timers': [NOTHING],
    'Survey it.': READY,
    'Port it.': reports('held', 'Which client?'),
  };
  const bench = await new AgentBench(cast, { mode: 'ask', turn_timeout_ms: 10 * MINUTE }).turn(TITLE);
  await bench.turn('Ask two helpers about the clock');
  await bench.pass(10 * MINUTE);
  await bench.turn('And the other tests?');
  await bench.turn('Look at the client');
  await bench.stop();
  await bench.turn('Test the new client');
  return bench.log.lines;
}

/** A line in the middle that a disk has spoilt. */
export function damaged(): { readonly lines: readonly string[]; readonly line: number } {
  const all = lines(
    new Story()
      .turn('t1', 'A session that was spoilt')
      .answer('t1', 'Fine.')
      .turn('t2', 'One more')
      .answer('t2', 'Fine too.'),
  );
  const line = 4;
  return { lines: all.with(line - 1, `${all[line - 1]!.slice(0, 40)}\u0000\u0000`), line };
}

function lines({ events }: Story): readonly string[] {
  return events.map((event) => toLine(event));
}

import type { Envelope, EventData, EventType, LogEvent } from '../../src/runtime/events.ts';
import { toLine } from '../../src/runtime/event-line.ts';
import { made, usage } from '../support/made-events.ts';

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

/** Every state there is, in one session. */
export function everyState(): readonly string[] {
  const story = new Story()
    .add('session_started', {
      workspace: '/w',
      app_version: '0',
      prompt_contract_version: 'll1',
      permission_mode: 'ask',
      fork_root_session_id: 's1',
    })
    .add('developer_context', { workspace: '/w', branch: 'main', permission_mode: 'ask' })
    .turn('t1', TITLE)
    .call('t1', 'c1', 'read_file', { path: 'src/session/login-client.ts' })
    .ran('t1', 'c1')
    .call('t1', 'c2', 'run_command', { command: 'npm test -- login' })
    .ran('t1', 'c2', { kind: 'exit_1', message: 'The command failed with code 1.' })
    .answer('t1', 'Done.')
    .turn('t2', 'Ask three helpers about the clock')
    .add('subagent_event', child('a1', 'started', 'running', { task: 'Look for clocks', agent: 'explorer' }))
    .add(
      'subagent_event',
      child('a1', 'finished', 'completed', { summary: 'Two clocks.', elapsed_ms: 42_000 }),
    )
    .add('subagent_event', child('a2', 'started', 'running', { task: 'Look for timers', agent: 'explorer' }))
    .add(
      'subagent_event',
      child('a2', 'finished', 'timed_out', { timeout_ms: 600_000, elapsed_ms: 600_400, reason: 'too slow' }),
    )
    .add('workflow_event', { turn_id: 't2', event: 'workflow_started', workflow_id: 'port the client' })
    .add('workflow_event', flow('step_started', 'survey', 'running'))
    .add('workflow_event', flow('checkpoint_decided', 'survey', 'checkpoint_ready'))
    .add('workflow_event', flow('step_held', 'port', 'held'))
    .add('workflow_event', {
      turn_id: 't2',
      event: 'workflow_finished',
      workflow_id: 'port the client',
      status: 'partial',
    })
    .failed('t2', {
      terminal_status: 'timed_out',
      error_kind: 'stopped:timeout',
      timeout_ms: 600_000,
      elapsed_ms: 600_800,
    })
    .turn('t3', 'And the other tests?')
    .failed('t3', {})
    .turn('t4', 'Look at the client')
    .add('assistant_message', {
      turn_id: 't4',
      stream_run_id: 'r4',
      text: 'Looking at',
      metadata: { partial: true },
    })
    .failed('t4', {
      terminal_status: 'interrupted',
      error_kind: 'user_cancelled',
      interrupted_reason: 'user_cancelled',
    })
    .turn('t5', 'Write the new client')
    .call('t5', 'c5', 'read_file', { path: 'src/session/client.ts' })
    .ran('t5', 'c5')
    .call('t5', 'c6', 'write_file', { path: 'docs/clock.md', content: '# The clock' });
  return lines(waiting(story, 't5', 'c6'));
}

function waiting(story: Story, turn_id: string, call_id: string): Story {
  const suspension = {
    id: 'suspension_1',
    reason: 'approval',
    message: 'Write docs/clock.md?',
    parameters: { tool: 'write_file' },
    resume_mode: 'replay_tool_call' as const,
  };
  return story
    .add('tool_call_status', { turn_id, call_id, from: 'new', to: 'suspended', suspension })
    .add('provider_usage', usage({ turn_id, stream_run_id: `r_${call_id}` }))
    .add('run_status', { turn_id, status: 'waiting', reason: 'suspended' });
}

function child(
  subagent_id: string,
  event: string,
  status: string,
  more: Partial<EventData['subagent_event']>,
): EventData['subagent_event'] {
  return { turn_id: 't2', subagent_id, child_session_id: `ses_${subagent_id}`, event, status, ...more };
}

function flow(event: string, step_id: string, status: string): EventData['workflow_event'] {
  return { turn_id: 't2', workflow_id: 'port the client', event, step_id, status };
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

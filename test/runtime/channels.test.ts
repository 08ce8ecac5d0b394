import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { channelOf, type Channel } from '../../src/runtime/channels.ts';
import type { EphemeralType, EventType } from '../../src/runtime/events.ts';
import { says } from '../support/cast-provider.ts';
import { leavesAlone } from '../support/child-stories.ts';
import { made, oneOfEach, unknown } from '../support/made-events.ts';

/** Section 3 of the contract, as it stands there. */
const TABLE: Readonly<Record<EventType, Channel>> = {
  session_started: 'audit',
  session_fork: 'audit',
  developer_context: 'replayed',
  user_message: 'replayed',
  assistant_message: 'replayed',
  reasoning: 'replayed',
  tool_call: 'replayed',
  tool_result: 'replayed',
  tool_call_status: 'audit',
  tool_call_decision: 'audit',
  run_status: 'audit',
  permission_decision: 'audit',
  file_change: 'audit',
  provider_usage: 'audit',
  turn_failed: 'audit',
  interruption_note: 'replayed',
  skill_activation: 'replayed',
  history_compaction: 'replayed',
  branch_summary: 'replayed',
  subagent_event: 'audit',
  workflow_event: 'audit',
  diagnostic: 'audit',
};

const EPHEMERAL: Readonly<Record<EphemeralType, Channel>> = {
  text_delta: 'ephemeral',
  reasoning_delta: 'ephemeral',
  status: 'ephemeral',
  plan: 'ephemeral',
  context_pressure: 'ephemeral',
  tool_progress: 'ephemeral',
};

describe('the channel of a fact', () => {
  it('is for every event type the one of the table', () => {
    const channels = Object.entries(oneOfEach()).map(([type, event]) => [type, channelOf(event)]);
    expect(Object.fromEntries(channels)).toEqual(TABLE);
  });

  it('is ephemeral for everything that is only live display', () => {
    const types = Object.keys(EPHEMERAL) as EphemeralType[];
    expect(Object.fromEntries(types.map((type) => [type, channelOf({ type })]))).toEqual(EPHEMERAL);
  });

  it('is audit for the partial text of an answer', () => {
    const data = { turn_id: 't1', stream_run_id: 'r1', text: 'half an ans', metadata: { partial: true } };
    expect(channelOf(made('assistant_message', 0, data))).toBe('audit');
  });

  it('is replayed for the one event that delivers what a child said', async () => {
    const { events } = await leavesAlone([says('Seen.')], says('Meanwhile.'), says('Done.'));
    const channels = events.flatMap((event) =>
      event.type === 'subagent_event' ? [[event.data.event, channelOf(event)]] : [],
    );
    expect(channels).toEqual([
      ['spawned', 'audit'],
      ['started', 'audit'],
      ['finished', 'audit'],
      ['delivered', 'replayed'],
    ]);
  });

  it('is audit for an event of a later version', () => {
    expect(channelOf(unknown(0, 'telepathy', { text: 'hm' }))).toBe('audit');
  });

  it('takes no type that the vocabulary does not have', () => {
    // @ts-expect-error: `telepathy` is neither an event type nor an ephemeral one.
    expect(() => channelOf({ type: 'telepathy' })).toThrow('unreachable: {"type":"telepathy"}');
  });
});

const RUNTIME = fileURLToPath(new URL('../../src/runtime', import.meta.url));
const TSC = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

describe('a new event type', () => {
  it('does not compile before it has a channel', { timeout: 60_000 }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'ledgerline-channels-'));
    try {
      const files = [
        'agent-events.ts',
        'events.ts',
        'context-events.ts',
        'channels.ts',
        'machines.ts',
        'unreachable.ts',
      ];
      for (const file of files) cpSync(join(RUNTIME, file), join(folder, file));
      expect(compile(folder)).toEqual([]);
      const events = readFileSync(join(folder, 'events.ts'), 'utf8');
      const added = events.replace('export interface EventData {', '$& readonly telepathy: object;');
      expect(added).not.toBe(events);
      writeFileSync(join(folder, 'events.ts'), added);
      expect(compile(folder)).toEqual([expect.stringMatching(/^channels\.ts.*error TS2345/)]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

function compile(folder: string): readonly string[] {
  const options = ['--noEmit', '--strict', '--allowImportingTsExtensions', '--module', 'esnext'];
  const target = ['--moduleResolution', 'bundler', '--target', 'es2023', '--types', ''];
  try {
    execFileSync(process.execPath, [TSC, ...options, ...target, 'channels.ts'], {
      cwd: folder,
      encoding: 'utf8',
    });
    return [];
  } catch (error) {
    const { stdout } = error as { readonly stdout: string };
    return stdout.split('\n').filter((line) => line.includes('error TS'));
  }
}

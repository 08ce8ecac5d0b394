import { OpenedSession } from '../../src/app/open-session.ts';
import { stopConditions } from '../../src/runtime/extensions/stop-conditions.ts';
import type { SessionOutput } from '../../src/runtime/outputs.ts';
import type { ModelRequest } from '../../src/runtime/ports.ts';
import type { RunPorts } from '../../src/runtime/session-ports.ts';
import type { Session } from '../../src/runtime/session.ts';
import type { SessionStore } from '../../src/storage/session-store.ts';
import {
  call,
  fails,
  HANG,
  message,
  reasoning,
  responds,
  ScriptedProvider,
  text,
  type Script,
} from '../support/scripted-provider.ts';
import { PERMISSIONS, SETTINGS } from '../support/session-bench.ts';
import { NOBODY_WATCHES } from '../support/session-watch.ts';
import { succeed, toolBox, TOOLS } from '../support/tool-stubs.ts';

/** Real sessions on a real store, with a model and tools that do as they are told. */

export const BOX = toolBox({
  ...TOOLS,
  dump: { effect: 'read', run: () => succeed('ä'.repeat(20_000)) },
});

export interface Turn {
  readonly say: string;
  readonly scripts: readonly Script[];
  /** Stopped by the person as soon as this text has been shown. */
  readonly stop_at?: string;
}

export const TALK: Turn = {
  say: 'Grüße, wie geht es?',
  scripts: [responds(reasoning('r1'), message('Gut 🎉 — 日本語も大丈夫。'))],
};

export const ROUNDS: Turn = {
  say: 'Grüße, ändere das',
  scripts: [
    responds(
      reasoning('r2'),
      message('Gern 🎉 日本語'),
      call('c1', 'read', { path: 'a.ts' }),
      call('c2', 'write', { path: 'a.ts' }),
      call('c3', 'run', { path: 'npm test' }),
    ),
    responds(message('Done.')),
  ],
};

export const FAILURE: Turn = { say: 'fail', scripts: [[text('half of an ans'), fails('server_error')]] };

export const STOPPED: Turn = {
  say: 'talk on',
  scripts: [[text('a long st'), HANG]],
  stop_at: 'a long st',
};

export const LARGE: Turn = {
  say: 'dump it',
  scripts: [responds(call('c5', 'dump')), responds(message('That was much.'))],
};

export interface Ready {
  readonly opened: OpenedSession;
  readonly session: Session;
  /** All that was published, from the opening on. */
  readonly outputs: readonly SessionOutput[];
  readonly requests: readonly ModelRequest[];
  readonly play: (turn: Turn) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** It was opened, but only for looking. */
export class NotWritable extends Error {
  override readonly name = 'NotWritable';
}

/** Opens, loads and recovers, as a conversation does. */
export async function openSession(
  store: SessionStore,
  id = 's1',
  publish: (output: SessionOutput) => void = () => undefined,
): Promise<Ready> {
  const outputs: SessionOutput[] = [];
  let onOutput: (output: SessionOutput) => void = publish;
  const opened = await OpenedSession.open(
    store,
    id,
    {
      ...NOBODY_WATCHES,
      publish: (output) => {
        outputs.push(output);
        publish(output);
        onOutput(output);
      },
    },
    { take_over: false },
  );
  try {
    await opened.load(async () => BOX);
  } catch (error) {
    await opened.close();
    throw error;
  }
  const { session } = opened;
  if (session === null || opened.access.kind !== 'writer') {
    await opened.close();
    throw new NotWritable(JSON.stringify(opened.access));
  }
  const requests: ModelRequest[] = [];
  const play = async (turn: Turn): Promise<void> => {
    const provider = new ScriptedProvider(store.ports.clock, turn.scripts);
    let stopped: Promise<void> = Promise.resolve();
    onOutput = (output) => {
      if (output.kind === 'text_delta' && output.text === turn.stop_at)
        stopped = session.stop('user_cancelled');
    };
    const client_turn_id = store.ports.ids.next('turn');
    await session.send({ client_turn_id, text: turn.say, attachments: [] }, runPorts(provider));
    await session.settled();
    await stopped;
    await session.settled();
    requests.push(...provider.requests);
  };
  return { opened, session, outputs, requests, play, close: () => opened.close() };
}

export function runPorts(provider: ScriptedProvider): RunPorts {
  return {
    provider,
    tools: BOX,
    extensions: [PERMISSIONS, stopConditions],
    settings: SETTINGS,
    app_version: '0.0.0',
  };
}

export async function record(store: SessionStore, turns: readonly Turn[], id = 's1'): Promise<void> {
  const ready = await openSession(store, id);
  for (const turn of turns) await ready.play(turn);
  await ready.close();
}

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Conversation } from '../../src/app/conversation.ts';
import { parseSettings } from '../../src/app/settings.ts';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { apiError, type Reply } from '../support/responses-server/reply.ts';
import { startResponsesServer } from '../support/responses-server/server.ts';
import { hangs, responds } from '../support/responses-server/whole-replies.ts';
import { withPlace } from './place.ts';
import { median, row, type Row } from './table.ts';

const TIMES = 15;
/** What a person may wait for a stop. */
const BUDGET_MS = 100;

interface Scene {
  readonly name: string;
  readonly reply: Reply;
  readonly mode: 'ask' | 'auto';
  /** From here on the run is where it is to be stopped. */
  readonly there: (message: HostMessage) => boolean;
  /** How long it is left there. */
  readonly for_ms?: number;
}

const COMMAND = (command: string): Reply =>
  responds({ calls: [{ call_id: 'c1', name: 'run_command', args: { command } }] });

const isState = (state: string) => (message: HostMessage) =>
  message.type === 'tool_state' && message.state === state;
const isActivity = (words: string) => (message: HostMessage) =>
  message.type === 'turn_state' && message.activity?.text.startsWith(words) === true;
/** The command has said something: all of its processes are there. */
const speaks = (message: HostMessage): boolean =>
  message.type === 'tool_state' && message.progress?.includes('ready') === true;

const isProgress = (message: HostMessage): boolean =>
  message.type === 'tool_state' && (message.progress ?? '') !== '';

const TREE = 'for i in 1 2 3 4 5 6 7 8; do sleep 300 & done; echo ready; wait';
/** Enough for more output than is kept. */
const FLOOD_MS = 400;
const STUBBORN = "trap '' TERM; for i in 1 2 3 4; do (trap '' TERM; sleep 300) & done; echo ready; wait";

const SCENES: readonly Scene[] = [
  {
    name: 'before the first delta',
    reply: { kind: 'silence' },
    mode: 'auto',
    there: isActivity('Waiting for the model'),
  },
  {
    name: 'in inference',
    reply: hangs('A long answer'),
    mode: 'auto',
    there: (message) => message.type === 'delta',
  },
  {
    name: 'in a retry back-off',
    reply: apiError(429, { code: 'rate_limit_exceeded' }, { 'retry-after': '30' }),
    mode: 'auto',
    there: isActivity('Trying again'),
  },
  { name: 'in a wait', reply: COMMAND('true'), mode: 'ask', there: isState('suspended') },
  { name: 'in a command of 9 processes', reply: COMMAND(TREE), mode: 'auto', there: speaks },
  { name: 'in one that ignores SIGTERM', reply: COMMAND(STUBBORN), mode: 'auto', there: speaks },
  {
    name: 'in one that floods',
    reply: COMMAND('yes'),
    mode: 'auto',
    there: isProgress,
    for_ms: FLOOD_MS,
  },
  {
    name: 'in one that floods with noise',
    reply: COMMAND('cat /dev/urandom | base64'),
    mode: 'auto',
    there: isProgress,
    for_ms: FLOOD_MS,
  },
];

/** From the message `stop` to the message that the turn is interrupted: durable, and every process gone. */
export async function stopCost(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const scene of SCENES) {
    const times: number[] = [];
    for (let i = 0; i < TIMES; i += 1) times.push(await stopOnce(scene));
    const slowest = Math.max(...times).toFixed(0);
    const ours = median(times);
    rows.push(
      row(`stop ${scene.name}`, {
        ours,
        baseline: BUDGET_MS,
        unit: 'ms',
        goal: 1,
        note: `slowest of ${TIMES}: ${slowest}`,
      }),
    );
  }
  return rows;
}

async function stopOnce({ reply, mode, there, for_ms = 0 }: Scene): Promise<number> {
  return withPlace(async (folder) => {
    const workspace = join(folder, 'workspace');
    await mkdir(workspace);
    const server = await startResponsesServer({ handler: () => reply });
    const parsed = parseSettings({ baseUrl: server.url, model: 'gpt-test', permissionMode: mode });
    if (!parsed.ok) throw new Error(parsed.problems.join());
    const heard = new Hearing();
    const conversation = new Conversation({
      storage: join(folder, 'storage'),
      roots: [{ name: 'workspace', path: workspace }],
      settings: () => parsed.settings,
      api_key: async () => 'sk-bench',
      trusted: () => true,
      app_version: 'bench',
      app_root: null,
      home: null,
      logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
      emit: (message) => heard.hear(message),
    });
    try {
      await conversation.receive({ type: 'ready' });
      const arrived = heard.until(there);
      await conversation.receive({ type: 'send', client_turn_id: 'bench', text: 'Go.' });
      await arrived;
      await delay(for_ms);
      const ended = heard.until((one) => one.type === 'turn_state' && one.state === 'interrupted');
      const began = performance.now();
      void conversation.receive({ type: 'stop' });
      await ended;
      return performance.now() - began;
    } finally {
      await conversation.dispose();
      await server.close();
    }
  });
}

class Hearing {
  private waiting: { readonly fits: (message: HostMessage) => boolean; readonly resolve: () => void }[] = [];

  hear(message: HostMessage): void {
    for (const one of this.waiting) if (one.fits(message)) one.resolve();
  }

  until(fits: (message: HostMessage) => boolean): Promise<void> {
    return new Promise((resolve) => this.waiting.push({ fits, resolve }));
  }
}

import { existsSync } from 'node:fs';
import * as z from 'zod';
import type { ToolContext, ToolOutcome } from '../runtime/ports.ts';
import { unreachable } from '../runtime/unreachable.ts';
import { CommandOutput } from './command-output.ts';
import { commandEnvironment, shellCommand } from './command-shell.ts';
import type { BlobStore } from './file-replacement.ts';
import { ProgressFeed } from './progress-feed.ts';
import { SecretFilter, type Secrets } from './secret-filter.ts';
import { StartedCommand, type EndingBounds, type ExitStatus, type Leftovers } from './started-command.ts';
import { CANCELLED, ok, type ToolFault } from './tool-faults.ts';
import type { ToolLimits } from './tool-limits.ts';
import { defineTool, failed, type Tool } from './tool.ts';
import type { Workspace } from './workspace-paths.ts';

const MAX_TIMEOUT_SECONDS = 600;

const RunCommand = z.strictObject({
  command: z
    .string()
    .refine((command) => command.trim() !== '', { error: 'is empty' })
    .refine((command) => !command.includes('\0'), { error: 'contains a NUL character' })
    .describe('Command line for the shell.'),
  timeout_s: z
    .int()
    .min(1)
    .max(MAX_TIMEOUT_SECONDS)
    .nullish()
    .describe('Seconds after which it is ended, at most 600. Default: 120.'),
});

export interface RunCommandOptions {
  readonly workspace: Workspace;
  readonly limits: ToolLimits;
  readonly blobs: BlobStore;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly shell: string | undefined;
  readonly secrets: Secrets;
}

export function runCommandTool(options: RunCommandOptions): Tool {
  return defineTool({
    name: 'run_command',
    description:
      'Runs a command line in the first workspace folder with bash or sh, on Windows with PowerShell. There ' +
      'is no terminal and no input. Processes that it leaves in the background are ended when they can be ' +
      'found. Long output is cut in the middle.',
    effect: 'execute',
    schema: RunCommand,
    target: (input) => ok({ subject: input.command, writes: [] }),
    async run(input, context) {
      const seconds = input.timeout_s ?? options.limits.commandTimeoutSeconds;
      return await runCommand({ command: input.command, seconds, context }, options);
    },
  });
}

/** How a command came to its end. */
type Ending =
  | ExitStatus
  | { readonly kind: 'timed_out'; readonly seconds: number }
  | { readonly kind: 'cancelled' };

interface CommandCall {
  readonly command: string;
  readonly seconds: number;
  readonly context: ToolContext;
}

async function runCommand(call: CommandCall, options: RunCommandOptions): Promise<ToolOutcome> {
  const { context } = call;
  const { limits, workspace, env, shell } = options;
  const { platform } = workspace;
  if (context.signal.aborted) return failed(CANCELLED);
  const output = new CommandOutput({
    head: limits.commandHeadBytes,
    tail: limits.commandTailBytes,
    whole: limits.commandBlobBytes,
  });
  const feed = new ProgressFeed(context, limits.progressMs);
  const filter = new SecretFilter(options.secrets, (chunk) => {
    output.push(chunk);
    feed.push(chunk);
  });
  const started = await StartedCommand.spawn({
    shell: shellCommand(call.command, { platform, shell, exists: existsSync }),
    cwd: workspace.roots[0]?.path ?? '',
    env: commandEnvironment(env),
    platform,
    onOutput: (chunk) => filter.push(chunk),
  });
  if (!started.ok) return failed(started.error);
  const command = started.value;
  const bounds = {
    drainMs: limits.commandDrainMs,
    relayMs: limits.commandRelayMs,
    graceMs: limits.commandGraceMs,
    stopMs: limits.commandStopMs,
    signal: context.signal,
  };
  try {
    // On record before it does anything: a failed append leaves it held, and `abandon` ends it.
    await context.started(command.process);
    feed.open();
    if (!context.signal.aborted) command.release();
    const ending = await endingOf(command, call);
    const leftovers = await endTree(command, ending, bounds);
    filter.end();
    feed.flush();
    return await report(ending, { output, leftovers, options });
  } finally {
    feed.close();
    command.abandon();
  }
}

/** Resolves when the shell exits, the time is up or the call is stopped; in the latter cases signals at once. */
async function endingOf(command: StartedCommand, call: CommandCall): Promise<Ending> {
  const { signal } = call.context;
  const settled = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Ending>((resolve) => {
      const stop = (ending: Ending) => {
        if (settled.signal.aborted) return;
        command.terminate();
        resolve(ending);
      };
      timer = setTimeout(() => stop({ kind: 'timed_out', seconds: call.seconds }), call.seconds * 1_000);
      signal.addEventListener('abort', () => stop({ kind: 'cancelled' }), { signal: settled.signal });
      if (signal.aborted) stop({ kind: 'cancelled' });
      void command.exited.then(resolve);
    });
  } finally {
    settled.abort();
    clearTimeout(timer);
  }
}

async function endTree(command: StartedCommand, ending: Ending, bounds: EndingBounds): Promise<Leftovers> {
  switch (ending.kind) {
    case 'exited':
    case 'signalled':
      return await command.endLeftovers(bounds);
    case 'timed_out':
    case 'cancelled': {
      const left = await command.finish(bounds);
      // That all of it ended is what the headline says.
      return left === 'ended' ? 'none' : left;
    }
    default:
      return unreachable(ending);
  }
}

const LEFTOVER_NOTES = {
  none: [],
  ended: ['[Processes that it left in the background were ended.]'],
  remaining: ['[Processes that it started could not all be ended.]'],
} as const satisfies Record<Leftovers, readonly string[]>;

interface Reported {
  readonly output: CommandOutput;
  readonly leftovers: Leftovers;
  readonly options: RunCommandOptions;
}

async function report(ending: Ending, { output, leftovers, options }: Reported): Promise<ToolOutcome> {
  // The person who stopped it is waiting: head and tail have to do.
  const overflow = ending.kind === 'cancelled' ? undefined : output.overflow();
  const blob = overflow === undefined ? {} : { blob: await options.blobs.put(overflow) };
  // Once more: what is removed to make it readable may have stood inside a secret.
  const said = options.secrets.scrub(output.render()).replace(/\n+$/, '');
  const text = [headline(ending), said === '' ? '(no output)' : said, ...LEFTOVER_NOTES[leftovers]].join(
    '\n',
  );
  const error = faultOf(ending);
  return error === undefined
    ? { kind: 'success', output: text, changes: [], ...blob }
    : { kind: 'failure', error, output: text, changes: [], ...blob };
}

function headline(ending: Ending): string {
  switch (ending.kind) {
    case 'exited':
      return `exit code ${ending.code}`;
    case 'signalled':
      return `killed by ${ending.signal}`;
    case 'timed_out':
      return `timed out after ${ending.seconds} s`;
    case 'cancelled':
      return 'stopped before it finished';
    default:
      return unreachable(ending);
  }
}

function faultOf(ending: Ending): ToolFault | undefined {
  const message = headline(ending);
  switch (ending.kind) {
    case 'exited':
      return ending.code === 0
        ? undefined
        : { kind: 'exit_code', message, details: { exit_code: ending.code } };
    case 'signalled':
      return { kind: 'exit_code', message, details: { exit_code: null, signal: ending.signal } };
    case 'timed_out':
      return {
        kind: 'timeout',
        message: `${message} and was ended. Raise timeout_s (at most 600) or split the work.`,
        details: { timeout_s: ending.seconds },
      };
    case 'cancelled':
      return CANCELLED;
    default:
      return unreachable(ending);
  }
}

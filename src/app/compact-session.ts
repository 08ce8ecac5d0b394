import type { HostMessage } from '../presenter/protocol.ts';
import type { CompactionRecord } from '../runtime/context-events.ts';
import type { NextAction } from '../runtime/events.ts';
import { Session } from '../runtime/session.ts';
import type { CompactOutcome } from '../runtime/session-compaction.ts';
import { SessionStore } from '../storage/session-store.ts';
import { isAlive } from '../tools/recorded-process.ts';
import type { Tool } from '../tools/tool.ts';
import { orchestrationTools } from './agents/offered-tools.ts';
import { Conversation } from './conversation.ts';
import type { ConversationOptions } from './conversation-options.ts';
import { ModelConnection } from './model-connection.ts';
import { nodeStorePorts } from './node-ports.ts';
import { runPorts } from './run-ports.ts';
import { UnwrittenLog } from './unwritten-log.ts';
import { WorkspaceRules } from './workspace-rules.ts';

/** What came of a compaction from outside of a conversation, as one document. */
export type CompactionDocument =
  | {
      readonly ok: true;
      readonly dry_run: boolean;
      readonly recorded: boolean;
      /** Of the event that was recorded. */
      readonly seq: number | null;
      readonly record: CompactionRecord | Readonly<Record<string, unknown>>;
    }
  | {
      readonly ok: false;
      readonly dry_run: boolean;
      readonly recorded: false;
      readonly kind: string;
      readonly message: string;
      readonly next_actions: readonly NextAction[];
    };

type Options = Omit<ConversationOptions, 'emit' | 'session_id'>;

/**
 * What would be recorded. Opens nothing for writing: no lease is taken, and what a crash left open stays as it is in the
 * log. It is closed in memory alone, because whoever compacts would close it first.
 */
export async function previewCompaction(options: Options, sessionId: string): Promise<CompactionDocument> {
  const ports = nodeStorePorts((text) => options.logger.warn(text));
  const store = new SessionStore(ports, options.storage);
  const stored = store.inspect(sessionId);
  const { clock, ids, hasher } = ports;
  const session = new Session(sessionId, {
    clock,
    ids,
    hasher,
    isAlive,
    publish: () => undefined,
    remember: async () => undefined,
  });
  const connection = new ModelConnection();
  try {
    const { damage, end } = await stored.load({
      event: (event) => {
        if (event.seq === session.state.last_seq + 1) session.restore(event);
      },
    });
    if (damage.length > 0) {
      const message = `Line ${damage[0]?.line ?? 0} of the log is damaged, so it can only be read. Nothing was changed.`;
      return {
        ok: false,
        dry_run: true,
        recorded: false,
        kind: 'session_damaged',
        message,
        next_actions: [],
      };
    }
    const rules = new WorkspaceRules(ports.disk, options.storage, (reason) => options.logger.warn(reason));
    const settings = options.settings();
    const others = async (): Promise<readonly Tool[]> => (options.trusted() ? orchestrationTools() : []);
    const means = { blobs: store.blobs, rules, connection, others };
    const run = await runPorts({ ...options, emit: () => undefined }, settings, means);
    if (await stored.ownerGone()) {
      session.attach(new UnwrittenLog(ports, sessionId, end.next_seq));
      await session.recover(null, run.tools, { batch: settings['approvals.batch'] });
    }
    const outcome = await session.compact({ dry_run: true }, async () => run);
    return documentOf(outcome, { dry_run: true, seq: null });
  } finally {
    await connection.leave();
    await stored.close();
  }
}

/** Compacts a session as its presenter would, under its lease, and leaves it. */
export async function compactSession(options: Options, sessionId: string): Promise<CompactionDocument> {
  const heard: HostMessage[] = [];
  const emit = (message: HostMessage): void => void heard.push(message);
  const conversation = new Conversation({ ...options, emit, session_id: sessionId });
  try {
    await conversation.receive({ type: 'ready' });
    await conversation.receive({ type: 'compact', dry_run: false });
    await conversation.settled();
  } finally {
    await conversation.dispose();
  }
  const items = heard.flatMap((message) => (message.type === 'append' ? message.items : []));
  const item = items.findLast(({ type }) => type === 'history_compaction');
  if (item !== undefined)
    return { ok: true, dry_run: false, recorded: true, seq: item.seq, record: item.data };
  const failure = heard.findLast((message) => message.type === 'failure');
  return {
    ok: false,
    dry_run: false,
    recorded: false,
    kind: failure?.kind ?? 'internal',
    message: failure?.message ?? 'The session could not be compacted. Nothing was changed.',
    next_actions: failure?.next_actions ?? [],
  };
}

function documentOf(
  outcome: CompactOutcome,
  { dry_run, seq }: { readonly dry_run: boolean; readonly seq: number | null },
): CompactionDocument {
  if (outcome.kind !== 'refused')
    return { ok: true, dry_run, recorded: outcome.kind === 'compacted', seq, record: outcome.record };
  const { code: kind, message, next_actions } = outcome;
  return { ok: false, dry_run, recorded: false, kind, message, next_actions };
}

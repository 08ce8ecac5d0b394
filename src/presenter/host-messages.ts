import * as z from 'zod/mini';
import { attachmentSchema, draftFields } from './attachment.ts';
import { evidenceSchema, planStepSchema } from './evidence-schema.ts';
import { placeSchema, version } from './message-fields.ts';

const nextAction = z.object({ label: z.string(), command: z.string(), args: z.optional(z.unknown()) });

/** One event of the log as presenters see it: bounded, and without what is only for the provider. */
const itemSchema = z.object({
  seq: z.number(),
  ts: z.string(),
  type: z.string(),
  turn_id: z.optional(z.string()),
  data: z.record(z.string(), z.unknown()),
});

export type Item = z.infer<typeof itemSchema>;

const accessSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('writer') }),
  z.object({ kind: z.literal('loading') }),
  z.object({
    kind: z.literal('read_only'),
    reason: z.enum(['held', 'damaged', 'failed', 'untrusted', 'deleted', 'imported']),
    message: z.string(),
    next_actions: z.array(nextAction),
  }),
]);

export type Access = z.infer<typeof accessSchema>;

const stateSchema = z.enum([
  'running',
  'waiting',
  'completed',
  'partial_failed',
  'failed',
  'interrupted',
  'timed_out',
]);

/** What hosts send. */
export const hostMessageSchema = z.discriminatedUnion('type', [
  z.object({
    v: version,
    type: z.literal('snapshot'),
    session_id: z.string(),
    title: z.string(),
    /** Of a child: whose it is. The title is empty where nothing is known of the parent. */
    parent: z.optional(
      z.object({
        session_id: z.string(),
        subagent_id: z.string(),
        agent: z.string(),
        depth: z.number(),
        title: z.string(),
      }),
    ),
    /** Of a fork: which session it was made of. The title is empty where nothing is known of that. */
    fork: z.optional(z.object({ session_id: z.string(), title: z.string() })),
    access: accessSchema,
    items: z.array(itemSchema),
    first_seq: z.nullable(z.number()),
    last_seq: z.nullable(z.number()),
    has_more: z.boolean(),
    /** The presenter has the items already, and none are told again. */
    unchanged: z.optional(z.literal(true)),
    /** Text of a stream that is under way. */
    stream: z.nullable(
      z.object({ turn_id: z.string(), stream_run_id: z.string(), text: z.string(), reasoning: z.string() }),
    ),
    settings: z.object({ provider: z.string(), model: z.string(), mode: z.string() }),
    /** Where the reader was when the session was last shown. */
    place: z.optional(placeSchema),
    /** Why no tool can work on files here; not there when they can. */
    no_files: z.optional(z.enum(['untrusted', 'no_folder', 'virtual'])),
  }),
  z.object({ v: version, type: z.literal('append'), session_id: z.string(), items: z.array(itemSchema) }),
  /** Items before the window, in answer to `load_before`. */
  z.object({
    v: version,
    type: z.literal('prepend'),
    session_id: z.string(),
    items: z.array(itemSchema),
    has_more: z.boolean(),
    /** The seq that was asked for. */
    before: z.optional(z.number()),
  }),
  /** Items after a seq, in answer to `load_after`. */
  z.object({
    v: version,
    type: z.literal('extend'),
    session_id: z.string(),
    items: z.array(itemSchema),
    has_later: z.boolean(),
    after: z.number(),
  }),
  z.object({
    v: version,
    type: z.literal('delta'),
    turn_id: z.string(),
    stream_run_id: z.string(),
    kind: z.enum(['text', 'reasoning']),
    text: z.string(),
  }),
  z.object({
    v: version,
    type: z.literal('turn_state'),
    turn_id: z.nullable(z.string()),
    client_turn_id: z.nullable(z.string()),
    state: z.nullable(stateSchema),
    reason: z.nullable(z.string()),
    message: z.optional(z.string()),
    next_actions: z.array(nextAction),
    /** What a running turn is doing, and since when (milliseconds since 1970). */
    activity: z.optional(
      z.object({ text: z.string(), since: z.number(), calls: z.optional(z.array(z.string())) }),
    ),
    /** What a turn that is over did, also before the window. */
    evidence: z.optional(evidenceSchema),
    /** The calls that wait for a decision, also those before the window. */
    pending: z.optional(
      z.array(
        z.object({
          call_id: z.string(),
          name: z.string(),
          subject: z.optional(z.string()),
          suspension: z.unknown(),
          pending_id: z.optional(z.string()),
          /** Decided already, and held back by what has to come first. */
          decided: z.optional(z.boolean()),
        }),
      ),
    ),
  }),
  z.object({
    v: version,
    type: z.literal('tool_state'),
    turn_id: z.string(),
    call_id: z.string(),
    name: z.string(),
    state: z.string(),
    suspension: z.optional(z.unknown()),
    /** One more name of what waits. */
    pending_id: z.optional(z.string()),
    progress: z.optional(z.string()),
    /** Of a call whose outcome is unknown: its old process, while it is watched. */
    process: z.optional(z.object({ pid: z.number(), alive: z.boolean() })),
    next_actions: z.optional(z.array(nextAction)),
  }),
  /**
   * What children of the session are doing now, and what they ask a person: beside the log, which has their states.
   * Only those that changed since the last message; all that are open after a snapshot.
   */
  z.object({
    v: version,
    type: z.literal('children'),
    session_id: z.string(),
    items: z.array(
      z.object({
        subagent_id: z.string(),
        child_session_id: z.string(),
        /** Null when it does nothing: it is queued, waits for a person, or is over. */
        activity: z.nullable(z.object({ text: z.string(), since: z.number() })),
        /** When something was last heard of it, in milliseconds since 1970. */
        news_at: z.number(),
        /** What it asks, its own children's questions among it. Answered with `decide` by the id of the suspension. */
        questions: z.array(
          z.object({
            call_id: z.string(),
            name: z.string(),
            subject: z.optional(z.string()),
            suspension: z.unknown(),
            /** Who asks, from the child down to the one whose call it is. */
            asked_by: z.array(z.object({ subagent_id: z.string(), agent: z.string() })),
          }),
        ),
      }),
    ),
  }),
  z.object({
    v: version,
    type: z.literal('context_pressure'),
    tier: z.string(),
    ratio: z.nullable(z.number()),
    /** Of the last call; null where the provider or the settings do not say. */
    input_tokens: z.optional(z.nullable(z.number())),
    cached_tokens: z.optional(z.nullable(z.number())),
    window_tokens: z.optional(z.nullable(z.number())),
    /** What fills the request, in estimated tokens: where the input was measured, only the shares mean something. */
    parts: z.optional(
      z.object({
        instructions: z.number(),
        tools: z.number(),
        skills: z.number(),
        history: z.number(),
        tool_output: z.number(),
      }),
    ),
    /** Nobody counted: `input_tokens` is an estimate, the sum of the parts. */
    estimated: z.optional(z.boolean()),
    /** History was compacted since the last call: the estimate is of the next one, as its checkpoint has it. */
    after_compaction: z.optional(z.boolean()),
  }),
  /** In answer to `compact` with `dry_run`: exactly what would be recorded, and nothing was. */
  z.object({
    v: version,
    type: z.literal('compaction_preview'),
    session_id: z.string(),
    record: z.record(z.string(), z.unknown()),
    next_actions: z.array(nextAction),
  }),
  /** The plan of the last turn, as a whole; none when it has no steps. */
  z.object({
    v: version,
    type: z.literal('plan'),
    turn_id: z.optional(z.string()),
    steps: z.array(planStepSchema),
  }),
  z.object({
    v: version,
    type: z.literal('notice'),
    level: z.enum(['info', 'warning', 'error']),
    tier: z.optional(z.string()),
    message: z.string(),
    next_actions: z.array(nextAction),
  }),
  z.object({
    v: version,
    type: z.literal('failure'),
    for: z.string(),
    kind: z.string(),
    message: z.string(),
    next_actions: z.array(nextAction),
    /** Of a `send`. */
    client_turn_id: z.optional(z.string()),
    /** Of a `decide`. */
    target_id: z.optional(z.string()),
    decision_id: z.optional(z.string()),
  }),
  /** In answer to `find_attachments`. */
  z.object({
    v: version,
    type: z.literal('suggestions'),
    query_id: z.string(),
    items: z.array(z.object({ attachment: attachmentSchema, label: z.string(), detail: z.string() })),
  }),
  /** In answer to `check_sent`. */
  z.object({
    v: version,
    type: z.literal('attachment_standing'),
    turn_id: z.string(),
    index: z.number(),
    standing: z.enum(['same', 'changed', 'gone', 'denied', 'none']),
  }),
  /** In answer to `load_image`; without data where it is no longer in storage. */
  z.object({
    v: version,
    type: z.literal('image'),
    sha256: z.string(),
    mime: z.string(),
    data: z.nullable(z.string()),
  }),
  /** In answer to `check_attachments`: those that cannot be sent, and why. */
  z.object({
    v: version,
    type: z.literal('unfit_attachments'),
    items: z.array(z.object({ id: z.string(), why: z.string() })),
  }),
  /** What a message can begin with, in answer to `find_skills`; one with a problem cannot be used. */
  z.object({
    v: version,
    type: z.literal('skills'),
    query_id: z.string(),
    items: z.array(z.object({ name: z.string(), description: z.string(), problem: z.optional(z.string()) })),
  }),
  /** What was kept of a session's composer; follows its `snapshot` where the host keeps drafts. */
  z.object({ v: version, type: z.literal('draft'), ...draftFields }),
  /** Words for the composer, from elsewhere in the program. The person still has to send them. */
  z.object({
    v: version,
    type: z.literal('compose'),
    text: z.string(),
    attachments: z.array(attachmentSchema),
  }),
  /** Asks the presenter to bring something into view, and the keyboard to it. */
  z.object({
    v: version,
    type: z.literal('reveal'),
    what: z.enum(['decision', 'composer', 'turn']),
    turn_id: z.optional(z.string()),
    /** Where the turn is in the log, so that it can be loaded first. */
    seq: z.optional(z.number()),
  }),
]);

export type HostMessage = z.infer<typeof hostMessageSchema>;

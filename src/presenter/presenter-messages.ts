import * as z from 'zod/mini';
import { attachmentSchema, draftFields } from './attachment.ts';
import { id, path, placeSchema, version } from './message-fields.ts';

/** What presenters send. */
export const presenterMessageSchema = z.discriminatedUnion('type', [
  z.object({ v: version, type: z.literal('ready') }),
  z.object({
    v: version,
    type: z.literal('send'),
    client_turn_id: id,
    text: z.string(),
    attachments: z._default(z.array(attachmentSchema), []),
    /** For an answer in words alone: no tool is offered in this turn, and none runs. */
    tools: z.optional(z.literal('none')),
  }),
  /** A turn that begins with a workflow: a spec, or a template with its parameters, or one to go on with. */
  z.object({ v: version, type: z.literal('run_workflow'), client_turn_id: id, workflow: z.unknown() }),
  z.object({ v: version, type: z.literal('stop') }),
  z.object({
    v: version,
    type: z.literal('decide'),
    target_id: id,
    decision_id: id,
    action: z.string(),
    resume_mode: z.optional(z.enum(['replay_tool_call', 'use_decision_as_result', 'pass_decision_to_tool'])),
    result: z.optional(z.unknown()),
    reason: z.optional(z.string()),
    remember: z.optional(z.unknown()),
  }),
  z.object({ v: version, type: z.literal('compact'), dry_run: z._default(z.boolean(), false) }),
  z.object({ v: version, type: z.literal('new_session') }),
  z.object({ v: version, type: z.literal('open_session'), session_id: id }),
  /** Without a seq: from the last good event. With a summary, the model is told what is left behind. */
  z.object({
    v: version,
    type: z.literal('fork'),
    at_seq: z.optional(z.int().check(z.minimum(0))),
    summary: z._default(z.boolean(), false),
  }),
  /** Forks to just before a prompt, whose words are in the composer of the fork then. */
  z.object({ v: version, type: z.literal('edit_prompt'), seq: z.int().check(z.minimum(1)) }),
  z.object({ v: version, type: z.literal('undo'), turn_id: id, path: z.optional(z.string()) }),
  /** Takes an undo back: what calls had changed stands again. */
  z.object({ v: version, type: z.literal('redo'), turn_id: id, path: z.optional(z.string()) }),
  /** Shows what an undo, or taking one back, would do to each file. */
  z.object({
    v: version,
    type: z.literal('preview_undo'),
    turn_id: id,
    way: z._default(z.enum(['undo', 'redo']), 'undo'),
    path: z.optional(path),
  }),
  /** Opens a file that has changed since beside what it was before, to be merged by the person. */
  z.object({
    v: version,
    type: z.literal('merge_undo'),
    turn_id: id,
    way: z._default(z.enum(['undo', 'redo']), 'undo'),
    path: path,
  }),
  z.object({ v: version, type: z.literal('load_before'), seq: z.int().check(z.minimum(0)) }),
  /** For a presenter that has let go of what follows; answered with `extend`. */
  z.object({ v: version, type: z.literal('load_after'), seq: z.int().check(z.minimum(0)) }),
  z.object({
    v: version,
    type: z.literal('set'),
    model: z.optional(z.string().check(z.minLength(1))),
    mode: z.optional(z.enum(['read_only', 'ask', 'auto'])),
  }),
  z.object({ v: version, type: z.literal('take_over') }),
  /** Where the reader of a session is, for the next page that shows it. */
  z.object({ v: version, type: z.literal('place'), session_id: id, place: placeSchema }),
  /** Whether the keys of a person go to the page, for hosts that have keys of their own for it. */
  z.object({ v: version, type: z.literal('focus'), focused: z.boolean() }),
  z.object({ v: version, type: z.literal('run_action'), command: id, args: z.optional(z.unknown()) }),
  /** Shows a file of the workspace. Lines and columns begin at 1. */
  z.object({
    v: version,
    type: z.literal('open'),
    path: path,
    line: z.optional(z.int().check(z.minimum(1))),
    column: z.optional(z.int().check(z.minimum(1))),
  }),
  /** What to do with a block of code that the model wrote. */
  z.object({
    v: version,
    type: z.literal('code'),
    action: z.enum(['copy', 'insert', 'apply']),
    text: z.string(),
    language: z.optional(z.string()),
    path: z.optional(path),
    /** Perhaps the name of its file: it counts where there is such a file. */
    guess: z.optional(path),
  }),
  /** Shows a change as a diff: the one a call proposes or made, all that a turn did to a file, or to all of them. */
  z.object({
    v: version,
    type: z.literal('show_change'),
    turn_id: id,
    call_id: z.optional(id),
    path: z.optional(path),
    /** Of what a child asks: the id of the suspension. The turn is the parent's, the call the child's. */
    target_id: z.optional(id),
  }),
  /** Shows all that a call gave, where only a part is in view. */
  z.object({ v: version, type: z.literal('open_output'), turn_id: id, call_id: id }),
  /** Shows what went with the message of a turn, as it was sent. */
  z.object({
    v: version,
    type: z.literal('open_attachment'),
    turn_id: id,
    index: z.int().check(z.minimum(0)),
    /** Of what a call came back with. */
    call_id: z.optional(id),
  }),
  /** Whether what went with a message would be found the same now; answered with `attachment_standing`. */
  z.object({
    v: version,
    type: z.literal('check_sent'),
    turn_id: id,
    index: z.int().check(z.minimum(0)),
  }),
  /** An image that a call came back with, to be drawn; answered with `image`. */
  z.object({
    v: version,
    type: z.literal('load_image'),
    turn_id: id,
    call_id: id,
    index: z.int().check(z.minimum(0)),
  }),
  /** What is attached to a draft, and what of it has just come; answered with `unfit_attachments` where it cannot be sent. */
  z.object({
    v: version,
    type: z.literal('check_attachments'),
    attachments: z.array(z.extend(attachmentSchema, { id })).check(z.maxLength(100)),
    fresh: z.array(id).check(z.maxLength(100)),
  }),
  /** Shows a skill as a turn was given it, from the log. */
  z.object({ v: version, type: z.literal('open_skill'), turn_id: id, seq: z.int().check(z.minimum(0)) }),
  /** What could be attached to a message; answered with `suggestions`. */
  z.object({
    v: version,
    type: z.literal('find_attachments'),
    query_id: id,
    text: z.string().check(z.maxLength(500)),
  }),
  /** Files and folders that were dropped on the page; answered with `compose`, under the names that tools use. */
  z.object({ v: version, type: z.literal('attach_files'), paths: z.array(path).check(z.maxLength(500)) }),
  /** The skills that a message can begin with; answered with `skills`. */
  z.object({ v: version, type: z.literal('find_skills'), query_id: id }),
  /** What is in the composer, for hosts that keep it. */
  z.object({ v: version, type: z.literal('draft'), ...draftFields }),
]);

export type PresenterMessage = z.infer<typeof presenterMessageSchema>;

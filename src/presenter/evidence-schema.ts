import * as z from 'zod/mini';
import type { PlanStep, TurnEvidence } from '../runtime/turn-evidence.ts';

/** The facts of a turn as they travel. The fold that makes them is `turn-evidence.ts`. */

const hash = z.nullable(z.string());
const lines = z.nullable(z.number());

export const planStepSchema = z.object({
  step: z.string(),
  status: z.enum(['pending', 'in_progress', 'completed']),
}) satisfies z.ZodMiniType<PlanStep>;

export const evidenceSchema = z.object({
  changes: z.array(
    z.object({
      call_id: z.string(),
      path: z.string(),
      before_sha256: hash,
      after_sha256: hash,
      before_blob: hash,
      before_mode: z.nullable(z.number()),
      added: lines,
      removed: lines,
      undo_of: z.array(z.string()),
      redo_of: z.array(z.string()),
    }),
  ),
  commands: z.array(
    z.object({
      call_id: z.string(),
      command: z.string(),
      outcome: z.enum(['open', 'succeeded', 'failed', 'refused', 'skipped', 'cancelled']),
      exit_code: z.nullable(z.number()),
    }),
  ),
  others: z.object({
    open: z.number(),
    succeeded: z.number(),
    failed: z.number(),
    refused: z.number(),
    skipped: z.number(),
    cancelled: z.number(),
  }),
  approvals: z.object({
    approved: z.number(),
    always: z.number(),
    denied: z.number(),
    allowed_by_rule: z.number(),
    denied_by_rule: z.number(),
  }),
  responses: z.number(),
  tokens: z.nullable(z.number()),
  cached: z.nullable(z.object({ input: z.number(), cached: z.number() })),
  skills: z.array(z.object({ name: z.string(), activated_by: z.string() })),
  plan: z.nullable(z.array(planStepSchema)),
  undo_open: z.array(z.string()),
  redo_open: z.array(z.string()),
  undo_mergeable: z.array(z.string()),
  redo_mergeable: z.array(z.string()),
  merge_opened: z.array(z.string()),
  children: z.array(z.string()),
}) satisfies z.ZodMiniType<TurnEvidence>;

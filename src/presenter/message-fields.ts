import * as z from 'zod/mini';

/** Fields that messages of both directions have. */

export const version = z._default(z.number(), 1);
export const id = z.string().check(z.minLength(1), z.maxLength(200));
export const path = z.string().check(z.minLength(1), z.maxLength(4096));

/** A turn, by its first known event, and how far its top is from the top of the view. */
export const placeSchema = z.object({
  turn_id: id,
  seq: z.int().check(z.minimum(0)),
  offset: z.number(),
  at_bottom: z.boolean(),
});

export type Place = z.infer<typeof placeSchema>;

import { z } from "zod";

/** Every answer of the management API. `code` names an error; `message` is a sentence in English. */
export const Envelope = <T extends z.ZodType>(data: T) =>
  z.object({ success: z.literal(true), message: z.string(), data });

export const Failure = z.object({
  success: z.literal(false),
  message: z.string(),
  code: z.string(),
  /** Sentences per form field. */
  fields: z.record(z.string(), z.string()).optional(),
  request_id: z.string().optional(),
});
export type Failure = z.infer<typeof Failure>;

/** Answer of a route that has nothing to tell. */
export const Nothing = z.null();

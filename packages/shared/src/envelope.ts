import { z } from "zod";

/** Every answer of the management API. `code` and `params` name an error; `message` is the same in English. */
export const Envelope = <T extends z.ZodType>(data: T) =>
  z.object({ success: z.literal(true), message: z.string(), data });

export const ErrorValues = z.record(z.string(), z.union([z.string(), z.number()]));

export const Failure = z.object({
  success: z.literal(false),
  message: z.string(),
  code: z.string(),
  /** The `reason` where the code has several, and the values that the message names. */
  params: ErrorValues,
  /** A sentence per form field. */
  fields: z.record(z.string(), z.string()).optional(),
  /** The same by form field, as a reason and its values. */
  issues: z.record(z.string(), ErrorValues).optional(),
  request_id: z.string().optional(),
});
export type Failure = z.infer<typeof Failure>;

/** Answer of a route that has nothing to tell. */
export const Nothing = z.null();

import { z } from "zod";

/**
 * Shape of every response of the management API. `code` and `params` identify an error; `message` is its
 * English text.
 */
export const Envelope = <T extends z.ZodType>(data: T) =>
  z.object({ success: z.literal(true), message: z.string(), data });

export const ErrorValues = z.record(z.string(), z.union([z.string(), z.number()]));

export const Failure = z.object({
  success: z.literal(false),
  message: z.string(),
  code: z.string(),
  /** The `reason`, where the code has several, and the values of the message. */
  params: ErrorValues,
  /** An error message per form field. */
  fields: z.record(z.string(), z.string()).optional(),
  /** The reason and its values per form field. */
  issues: z.record(z.string(), ErrorValues).optional(),
  request_id: z.string().optional(),
});
export type Failure = z.infer<typeof Failure>;

/** Response data of a route that returns none. */
export const Nothing = z.null();

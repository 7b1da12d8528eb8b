import { z } from "zod";
import { notGenuine, type PaymentNotice } from "./gateway.ts";
import { readForm } from "./signing.ts";

/**
 * Notifications that arrive as a form. The protocols sign `name=value&…` without encoding, so a field we do not expect,
 * a field that comes twice or a value with a separator could change what was signed. Each is refused before the
 * signature is looked at.
 */

/** Characters that may stand in a value besides its own rule: no separator, no control character. */
const SAFE = /^[^&=\p{Cc}]*$/u;

export const noticeField = {
  /** A number of ours or of the gateway's. */
  id: z.string().regex(/^[\w.:-]{1,100}$/),
  amount: z.string().regex(/^\d{1,12}(\.\d{1,2}0*)?$/),
  word: z.string().regex(/^[\w-]{1,64}$/),
  /** Text that other people wrote, such as a title. */
  text: z.string().max(4_000).regex(SAFE),
} as const;

/** Throws `forbidden` for anything but exactly these fields, in the query or in the body. */
export function readNotice<Shape extends z.ZodRawShape>(
  shape: Shape,
  { query, body }: Pick<PaymentNotice, "query" | "body">,
): z.output<z.ZodObject<Shape, z.core.$strict>> {
  if (query !== "" && body !== "") throw notGenuine("it has fields in the query and in the body");
  const fields = readForm(query === "" ? body : query);
  if (fields === undefined) throw notGenuine("a field comes twice");
  const parsed = z.strictObject(shape).safeParse(fields);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = issue?.code === "unrecognized_keys" ? issue.keys[0] : issue?.path.join(".");
  throw notGenuine(
    `the field ${name?.slice(0, 64) ?? ""} is not one of a notification, or its value is not valid`,
  );
}

/** For notifications whose fields are all in the body. */
export function refuseQuery({ query }: Pick<PaymentNotice, "query">): void {
  if (query !== "") throw notGenuine("it has fields in the query");
}

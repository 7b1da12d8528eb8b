/**
 * Parses notifications that arrive as a form. The protocols sign `name=value&…` without encoding. An
 * unexpected field, a repeated field or a value with a separator could change what was signed. Each is
 * rejected before the signature is checked.
 */
import { z } from "zod";
import { notGenuine, type PaymentNotice } from "./gateway.ts";
import { readForm } from "./signing.ts";

/** Characters allowed in any value: no separator, no control character. */
const SAFE = /^[^&=\p{Cc}]*$/u;

export const noticeField = {
  /** Our number or the gateway's. */
  id: z.string().regex(/^[\w.:-]{1,100}$/),
  amount: z.string().regex(/^\d{1,12}(\.\d{1,2}0*)?$/),
  word: z.string().regex(/^[\w-]{1,64}$/),
  /** Text written by others, such as a title. */
  text: z.string().max(4_000).regex(SAFE),
} as const;

/** Parses the fields of the query or of the body. Throws `forbidden` for any other set of fields. */
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

/** Throws when the query is not empty, for notifications whose fields are all in the body. */
export function refuseQuery({ query }: Pick<PaymentNotice, "query">): void {
  if (query !== "") throw notGenuine("it has fields in the query");
}

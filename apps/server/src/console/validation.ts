import type { FastifySchemaCompiler } from "fastify";
import type { z } from "zod";
import { GatewayError } from "#errors.ts";
import { faultIn } from "./request-body.ts";

/** Checks what comes in with the route's zod schema; what is wrong comes back as a sentence per field. */
export const validator: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart }) =>
  (data) => {
    // Bodies were looked at when they were read; this is for the address and its query.
    const fault = httpPart === "body" ? undefined : faultIn(data);
    if (fault !== undefined) return { error: fault };
    const result = schema.safeParse(data);
    return result.success ? { value: result.data } : { error: refusal(result.error) };
  };

/** The same for what no route's schema sees. Throws `invalid_request`. */
export function checked<Schema extends z.ZodType>(schema: Schema, data: unknown): z.output<Schema> {
  const result = schema.safeParse(data);
  if (!result.success) throw refusal(result.error);
  return result.data;
}

function refusal(error: z.ZodError): GatewayError {
  const fields: Record<string, string> = {};
  for (const issue of error.issues) fields[issue.path.join(".")] ??= issue.message;
  const [first] = Object.entries(fields);
  const [path, sentence] = first ?? ["", "It does not fit."];
  const message = path === "" ? `The request is not valid: ${sentence}.` : `${path}: ${sentence}.`;
  return new GatewayError("invalid_request", message.replace(/\.\.$/, "."), { fields, param: path });
}

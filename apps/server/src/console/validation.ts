import type { FieldIssue } from "@gateway/shared/errors";
import { issueOf } from "@gateway/shared/errors/issue";
import type { FastifySchemaCompiler } from "fastify";
import type { z } from "zod";
import { type GatewayError, invalidFields, invalidRequest } from "#errors.ts";
import { faultIn } from "./request-body.ts";

/** Most fields that an error names. A body may have 100,000 faulty values. */
const MOST_NAMED = 100;

/** Validates requests with the route's zod schema. Errors contain one issue per field. */
export const validator: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart }) =>
  (data) => {
    // Bodies were checked when they were read. This checks the path and the query.
    const fault = httpPart === "body" ? undefined : faultIn(data);
    if (fault !== undefined) return { error: fault };
    const result = schema.safeParse(data);
    return result.success ? { value: result.data } : { error: refusal(result.error, data) };
  };

/** Validates data that no route schema covers. Throws `invalid_request`. */
export function validate<Schema extends z.ZodType>(schema: Schema, data: unknown): z.output<Schema> {
  const result = schema.safeParse(data);
  if (!result.success) throw refusal(result.error, data);
  return result.data;
}

function refusal(error: z.ZodError, data: unknown): GatewayError {
  const issues: Record<string, FieldIssue> = {};
  for (const issue of error.issues.slice(0, MOST_NAMED))
    issues[issue.path.join(".")] ??= issueOf(issue, data);
  return invalidFields(issues) ?? invalidRequest({ reason: "value_not_valid", field: "" });
}

/** The error of a single value, for fields outside of a form. */
import { issueOf } from "@gateway/shared/errors/issue";
import type { TFunction } from "i18next";
import type { z } from "zod";
import { issueText } from "#lib/errors/error-text.ts";

/** Returns the schema's first error for one value; undefined when it is valid. */
export function problemIn(t: TFunction, schema: z.ZodType, value: unknown): string | undefined {
  const issue = schema.safeParse(value).error?.issues[0];
  return issue === undefined ? undefined : issueText(t, { ...issueOf(issue, value) });
}

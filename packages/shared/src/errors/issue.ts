/** Converts schema issues to reasons with their limits. Both the server and the console's forms use it. */
import type { z } from "zod";
import type { FieldIssue } from "#errors.ts";
import { type FieldReason, fieldReasons } from "./fields.ts";

/** Marks the message of a schema's check as a reason. The limits of the check become its params. */
export function because(reason: FieldReason): FieldReason {
  return reason;
}

const isReason = (text: string): text is FieldReason => Object.hasOwn(fieldReasons, text);

/**
 * Returns the reason that the schema names, or the general one for the kind of issue.
 * @param data the validated value; it shows whether a value is missing or has the wrong type
 */
export function issueOf(issue: z.core.$ZodIssue, data: unknown): FieldIssue {
  const limits = limitsOf(issue);
  // Templates of schema reasons have no values except these limits.
  if (isReason(issue.message)) return { reason: issue.message, ...limits } as FieldIssue;
  switch (issue.code) {
    case "too_small":
      return tooSmall(issue);
    case "too_big":
      return tooBig(issue);
    case "invalid_type":
      return wrongType(issue.expected, valueAt(data, issue.path));
    case "invalid_value":
      return { reason: "value_not_listed", values: issue.values.map(String).join(", ") };
    case "unrecognized_keys":
      return { reason: "names_unknown", names: issue.keys.join(", ") };
    case "not_multiple_of":
      return { reason: "not_multiple", divisor: issue.divisor };
    case "invalid_format":
      if (issue.format === "email") return { reason: "not_email" };
      return { reason: issue.format === "url" ? "not_web_address" : "value_not_valid" };
    default:
      return { reason: "value_not_valid" };
  }
}

function limitsOf(issue: z.core.$ZodIssue): { minimum?: number; maximum?: number } {
  if (issue.code === "too_small") return { minimum: Number(issue.minimum) };
  return issue.code === "too_big" ? { maximum: Number(issue.maximum) } : {};
}

function tooSmall(issue: z.core.$ZodIssueTooSmall): FieldIssue {
  const minimum = Number(issue.minimum);
  if (issue.origin === "string")
    return minimum <= 1 ? { reason: "value_required", minimum } : { reason: "text_too_short", minimum };
  if (issue.origin === "array" || issue.origin === "set")
    return minimum <= 1 ? { reason: "value_required", minimum } : { reason: "list_too_short", minimum };
  return { reason: issue.inclusive === false ? "number_not_above" : "number_too_small", minimum };
}

function tooBig(issue: z.core.$ZodIssueTooBig): FieldIssue {
  const maximum = Number(issue.maximum);
  if (issue.origin === "string") return { reason: "text_too_long", maximum };
  if (issue.origin === "array" || issue.origin === "set") return { reason: "list_too_long", maximum };
  return { reason: issue.inclusive === false ? "number_not_below" : "number_too_big", maximum };
}

function wrongType(expected: string, value: unknown): FieldIssue {
  if (expected === "int") return { reason: "whole_number_required" };
  if (value === undefined || value === null || value === "") return { reason: "value_required" };
  return expected === "number" ? { reason: "number_required" } : { reason: "type_expected", expected };
}

function valueAt(data: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, name) =>
      typeof inner === "object" && inner !== null ? (inner as Record<PropertyKey, unknown>)[name] : undefined,
    data,
  );
}

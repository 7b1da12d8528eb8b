import { GatewayError, internalError } from "#errors.ts";
import { ImportRefusal } from "./refusal.ts";
import type { RunFailure } from "./runs.ts";

/** Describes for the console why a run failed. Reports what is no refusal. */
export function failureOf(error: unknown, onError: (error: unknown) => void): RunFailure {
  if (error instanceof ImportRefusal)
    return { code: "conflict", params: { ...error.facts }, message: error.message };
  if (error instanceof GatewayError)
    return { code: error.code, params: { ...error.params }, message: error.message };
  onError(error);
  const { code, params, message } = internalError(error);
  const why = error instanceof Error ? error.message.slice(0, 500) : "";
  return { code, params: { ...params }, message: `${message} ${why}`.trim() };
}

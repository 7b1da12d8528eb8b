import { TransportError } from "./transport-error.ts";

/** Limits that end a response although its bytes keep arriving. Absent means no limit. */
export interface AnswerLimits {
  maxBytes?: number;
  /** Maximum time from the request being sent to the end of the body. */
  maxDurationMs?: number;
}

/**
 * Returns the error of a response that exceeds its limits.
 * @param bytes received so far
 * @param ms time since the request was sent, in milliseconds
 */
export function excessOf(
  { maxBytes = Infinity, maxDurationMs = Infinity }: AnswerLimits,
  bytes: number,
  ms: number,
): TransportError | undefined {
  const reason =
    bytes > maxBytes
      ? `The response is larger than the ${maxBytes} bytes that its request allows.`
      : ms > maxDurationMs
        ? `The response took longer than ${Math.round(maxDurationMs / 1_000)} seconds.`
        : undefined;
  return reason === undefined ? undefined : new TransportError("network", reason, undefined, true);
}

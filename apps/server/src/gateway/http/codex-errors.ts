import type { FastifyRequest } from "fastify";
import { dialects } from "#dialects/index.ts";
import { formatFrame } from "#dialects/stream/sse.ts";
import { asRecord } from "#dialects/wire.ts";
import type { GatewayError } from "#errors.ts";
import { now } from "#platform/clock.ts";

/**
 * Codex repeats a request five times unless the status is 400, and shows the body of a 400 as it is. A response
 * that failed with this code ends at once, with its message only. See `process_responses_event` in its
 * `codex-rs/codex-api/src/sse/responses.rs`, read 2026-11-25.
 */
const FINAL_CODE = "invalid_prompt";
/** Statuses that say themselves what to do: another request, another key, or wait. */
const others: ReadonlySet<number> = new Set([400, 401, 408, 409, 429]);

/** Whether Codex would repeat a request that it should not. */
export function needsFinalStatus(
  { headers }: Pick<FastifyRequest, "headers">,
  { status }: GatewayError,
): boolean {
  if (status < 400 || status >= 500 || others.has(status)) return false;
  return [headers["originator"], headers["user-agent"]].some(
    (name) => typeof name === "string" && name.startsWith("codex"),
  );
}

/** Returns the error as the only event of a response. */
export function failedResponse(named: GatewayError, requestId: string): string {
  const { body } = dialects["openai-responses"].encodeError(named, requestId);
  const { message } = asRecord(body["error"]) ?? {};
  return JSON.stringify({
    type: "response.failed",
    sequence_number: 0,
    response: {
      id: `resp_${requestId.replaceAll("-", "")}`,
      object: "response",
      created_at: Math.floor(now() / 1_000),
      status: "failed",
      error: { code: FINAL_CODE, message },
      output: [],
      usage: null,
    },
  });
}

export function failedFrame(named: GatewayError, requestId: string): string {
  return formatFrame({ event: "response.failed", data: failedResponse(named, requestId) });
}

import type { Tally, Upstream } from "#dialects/dialect.ts";
import type { ChatResponse, UpstreamError, Usage } from "#dialects/ir.ts";
import { billedUsage } from "#dialects/service-tier.ts";
import { GatewayError } from "#errors.ts";
import type { UpstreamResponse } from "#platform/http.ts";
import type { ChatCall } from "./call.ts";
import { tallyResponse } from "./meter.ts";

/** A whole answer: read, understood as far as the meter needs it, and spelled for the client. */
export interface ReadBody {
  body: string;
  usage: Usage | undefined;
  tally: Tally;
}

/** Answers may carry images and audio as base64. */
const MAX_BODY_BYTES = 128 * 1024 * 1024;

export async function readBody(
  call: Pick<ChatCall, "client" | "request">,
  tried: { response: UpstreamResponse; upstream: Upstream },
): Promise<ReadBody | { error: UpstreamError }> {
  const { response, upstream } = tried;
  const text = await response.text(MAX_BODY_BYTES);
  if (upstream.id !== "own" && upstream.id === call.client.id) {
    // Untouched: a scan finds the usage. An answer that is not JSON at all must not reach a client as one.
    if (!text.trimStart().startsWith("{")) return { error: unreadable(response.status) };
    const { usage, tally } = upstream.skimResponse(text);
    if (usage === undefined && isSilent(tally)) return { error: errorInside(upstream, text) ?? silence };
    return { body: text, usage, tally };
  }
  const parsed = (upstream.read ?? parseJson)(text);
  if (parsed === undefined) return { error: unreadable(response.status) };
  const decoded = decode(upstream, parsed);
  if (decoded === undefined) return { error: errorInside(upstream, text) ?? unreadable(response.status) };
  const tally = tallyResponse(decoded);
  const nothing = decoded.choices.every((choice) => choice.parts.length === 0);
  if (decoded.usage === undefined && nothing) return { error: errorInside(upstream, text) ?? silence };
  return {
    body: JSON.stringify(call.client.encodeResponse(decoded, call.request)),
    usage: billedUsage(decoded),
    tally,
  };
}

/** Undefined for JSON that is no answer of this dialect: another channel may have one. */
function decode(upstream: Upstream, parsed: unknown): ChatResponse | undefined {
  try {
    return upstream.decodeResponse(parsed);
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

function isSilent(tally: Tally): boolean {
  return tally.narrow === 0 && tally.wide === 0;
}

/** Some vendors answer 200 with an error inside, or with nothing at all: neither is an answer. */
function errorInside(upstream: Upstream, text: string): UpstreamError | undefined {
  if (!/"(?:error|base_resp|code)"/.test(text)) return undefined;
  const error = upstream.decodeError(502, text, {});
  return error.kind === "bad-request" ? { ...error, status: 400 } : error;
}

const silence: UpstreamError = {
  kind: "server",
  message: "The upstream answered with nothing.",
  status: 200,
};

function unreadable(status: number): UpstreamError {
  return { kind: "server", message: "The upstream's answer could not be read.", status };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { randomBytes } from "node:crypto";
import type { Wire } from "#dialects/dialect.ts";
import type { ChatRequest, ChatResponse, FinishReason, Usage } from "#dialects/ir.ts";
import { geminiTier } from "#dialects/usage/service-tier.ts";
import { compact, ownFields } from "#dialects/wire.ts";
import { encodeParts } from "./encode-steps.ts";
import { encodeUsage } from "./usage.ts";

/** Returns the beginning of an interaction. The id is ours: a later call may refer to it. */
export function interactionHead(request: ChatRequest, model: string, created: number): Wire {
  const time = new Date(created * 1_000).toISOString();
  return {
    id: `int_${randomBytes(24).toString("hex")}`,
    object: "interaction",
    model: model || request.model,
    created: time,
    updated: time,
    ...ownFields("interactions", request.repeat),
  };
}

function statusOf(finish: FinishReason): string {
  switch (finish) {
    case "tool-calls":
      return "requires_action";
    case "length":
    case "pause":
      return "incomplete";
    case "content-filter":
    case "refusal":
    case "error":
      return "failed";
    default:
      return "completed";
  }
}

const messages: Partial<Record<FinishReason, string>> = {
  "content-filter": "The provider's content filter ended the response.",
  refusal: "The model refused to continue.",
  error: "The provider ended the response with an error.",
};

/** Returns the complete interaction. The stream's last event and the plain response contain the same. */
export function completeInteraction(
  head: Wire,
  steps: Wire[],
  finish: FinishReason,
  end: { usage?: Usage | undefined; serviceTier?: string | undefined },
): Wire {
  const message = messages[finish];
  return compact<Wire>({
    ...head,
    status: statusOf(finish),
    steps,
    errors: message === undefined ? undefined : [{ code: finish.replace("-", "_"), message }],
    usage: end.usage === undefined ? undefined : encodeUsage(end.usage),
    service_tier: geminiTier(end.serviceTier),
  });
}

/** This format has one response only. */
export function encodeResponse(response: ChatResponse, request: ChatRequest): Wire {
  const [choice] = response.choices;
  const created = response.created ?? Math.floor(Date.now() / 1_000);
  return completeInteraction(
    interactionHead(request, response.model, created),
    encodeParts(choice?.parts ?? [], "model_output"),
    choice?.finish ?? "stop",
    response,
  );
}

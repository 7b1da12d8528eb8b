import type { Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import { formatFrame } from "#dialects/stream/sse.ts";
import { resolveModel } from "#domain/settings/model-lists.ts";
import { GatewayError } from "#errors.ts";
import { admit } from "#gateway/access/admit.ts";
import type { JsonBody } from "#gateway/body/json-body.ts";
import type { GatewayServices } from "#gateway/services.ts";
import type { ChatCall } from "#relay/chat/chat-call.ts";
import { relayChat } from "#relay/chat/chat.ts";
import type { Answer } from "#relay/core/call.ts";
import { streamText } from "#relay/core/response/text-stream.ts";
import { offersResponses } from "#relay/core/routing/price-options.ts";
import { type CompactionResult, isTrigger, summarize, summaryBody } from "./summarize.ts";

const responses = dialects["openai-responses"];

/**
 * Whether the last item of a request asks for a compaction, as Codex sends it. The response consists of that
 * one item.
 */
export function requestsCompaction({ body }: JsonBody): boolean {
  return Array.isArray(body["input"]) && isTrigger((body["input"] as unknown[]).at(-1));
}

/** Whether a channel of the model speaks Responses, so that its provider may support compaction. */
function hasResponses({ relay }: GatewayServices, { caller, model }: ChatCall): boolean {
  return offersResponses(relay.candidates.find(caller.group, model), model);
}

/** Whether an error shows that the provider does not support compaction. */
function cannotCompact(error: unknown): boolean {
  return (
    error instanceof GatewayError && (error.code === "upstream_refused" || error.code === "model_not_found")
  );
}

/**
 * Uses the provider's compaction if there is one, else a summary by the same model. Each attempt is a call of
 * its own, and a failed one costs nothing.
 */
export async function providerElseHere(
  services: GatewayServices,
  call: ChatCall,
  byProvider: () => Promise<Answer>,
): Promise<Answer | CompactionResult> {
  if (hasResponses(services, call)) {
    try {
      return await byProvider();
    } catch (error) {
      if (!cannotCompact(error)) throw error;
    }
  } else call.used?.(0);
  const { call: admitted } = await admit(services, summaryCallOf(services, call));
  return summarize(services, services.secrets, admitted);
}

/** Returns the response to a request whose last item asks for a compaction. */
export async function answerCompaction(services: GatewayServices, call: ChatCall): Promise<Answer> {
  const made = await providerElseHere(services, call, () =>
    relayChat(services.relay, { ...call, needs: "responses" }),
  );
  if ("kind" in made) return made;
  const response = responseOf(made);
  if (!call.stream) return { kind: "body", headers: made.headers, body: JSON.stringify(response) };
  const headers = { ...made.headers, "content-type": "text/event-stream; charset=utf-8" };
  return { kind: "stream", headers, stream: streamText(eventsOf(response, made.item)) };
}

function responseOf({ id, createdAt, model, item, usage }: CompactionResult): Wire {
  return {
    id,
    object: "response",
    created_at: createdAt,
    status: "completed",
    error: null,
    incomplete_details: null,
    model,
    output: [item],
    usage,
  };
}

function eventsOf(response: Wire, item: Wire): string {
  const begun = { ...response, status: "in_progress", output: [], usage: null };
  const events: Wire[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response },
  ];
  return events
    .map((event, index) => {
      const data = JSON.stringify({ ...event, sequence_number: index });
      return formatFrame({ event: String(event["type"]), data });
    })
    .join("");
}

/** Returns the call that creates the summary, from the call that requested the compaction. */
export function summaryCallOf(services: GatewayServices, call: ChatCall): ChatCall {
  const { finished: _finished, background: _background, rewritten, ...rest } = call;
  const whole = rewritten === true ? responses.encodeRequest(call.request).body : call.body;
  const { body, raw } = summaryBody(whole);
  const request = call.client.decodeRequest(body, {});
  return {
    ...rest,
    body,
    raw,
    request,
    needs: "chat",
    model: resolveModel(services.relay.settings, request.model),
    stream: false,
    tools: request.tools !== undefined && request.tools.length > 0,
  };
}

import type { Upstream } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { ChatRequest, ClientDialectId, DialectId } from "#dialects/ir.ts";
import type { ActiveChannel } from "#domain/channels/selection/active-channel.ts";
import { dialectsFor, type RequestFeature } from "#providers/provider.ts";
import { shapeOf } from "#relay/core/upstream/send.ts";

/** Returns the upstream wire for a client's call through this channel. */
export function upstreamFor(
  channel: ActiveChannel,
  client: ClientDialectId,
  model: string,
  request?: ChatRequest,
): Upstream {
  const own = channel.provider.wire?.(shapeOf(channel, { model }));
  return own ?? dialects[dialectFor(channel, client, model, request)];
}

/**
 * Returns the dialect for the provider: the client's own if the provider speaks it and the operator allows
 * it, else the provider's first. Interactions are closest to Gemini. Some providers speak another one depending on the request.
 */
export function dialectFor(
  channel: ActiveChannel,
  client: ClientDialectId,
  model: string,
  request?: ChatRequest,
): DialectId {
  const needs = channel.provider.speaks === undefined || request === undefined ? undefined : needsOf(request);
  const spoken = dialectsFor(channel.provider, shapeOf(channel, { model, needs }));
  if (client === "openai-responses" && channel.compatibleResponse) return spoken[0];
  const own = client === "interactions" ? "gemini" : client;
  return spoken.includes(own) ? own : spoken[0];
}

/** Returns the features of a request that may decide a provider's dialect. */
function needsOf({ tools, serverTools, reasoning }: ChatRequest): ReadonlySet<RequestFeature> | undefined {
  if (tools === undefined && serverTools === undefined) return undefined;
  const needs = new Set<RequestFeature>();
  if (tools !== undefined && tools.length > 0) needs.add("tools");
  for (const { kind, extra } of serverTools ?? [])
    if (kind !== "other" && extra.dialect !== "openai-chat") needs.add(kind);
  const { effort, budgetTokens, adaptive } = reasoning ?? {};
  if (effort === "none" || budgetTokens === 0) needs.add("no-thinking");
  else if (effort !== undefined || budgetTokens !== undefined || adaptive === true) needs.add("thinking");
  return needs;
}

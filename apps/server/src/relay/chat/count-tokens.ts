import type { Dialect, Wire } from "#dialects/dialect.ts";
import type { ChatRequest } from "#dialects/ir.ts";
import { estimateUsage } from "#domain/pricing/estimate.ts";
import type { Caller, Pin } from "#domain/tokens/callers.ts";
import { mayUseModel } from "#domain/tokens/scope.ts";
import { modelNotFound } from "#errors.ts";
import { TransportError } from "#platform/http.ts";
import { CredentialError, dialectsFor } from "#providers/provider.ts";
import type { Chosen } from "#relay/core/call.ts";
import { makePlan } from "#relay/core/plan.ts";
import { nextChoice } from "#relay/core/route.ts";
import { send, shapeOf } from "#relay/core/send.ts";
import type { RelayServices } from "#relay/core/services.ts";

/** How many tokens a request has: asked of the vendor where it speaks the client's dialect, else counted by us. */
export interface CountCall {
  caller: Caller;
  pin: Pin | undefined;
  client: Dialect;
  body: Wire;
  raw: Buffer;
  request: ChatRequest;
  /** What came before is in `request` only: no vendor can be asked with the body. */
  rewritten?: boolean;
  forward: Record<string, string>;
  signal: AbortSignal;
}

/** Says in an answer's headers that a number is ours, not the vendor's. */
const OURS = { "x-gateway-estimated": "tokens" };
const TIMEOUT_MS = 20_000;
const MAX_BYTES = 64 * 1024;

export async function countTokens(
  services: RelayServices,
  call: CountCall,
): Promise<{ headers: Record<string, string>; body: string }> {
  const { model } = call.request;
  if (!mayUseModel(call.caller, model)) throw modelNotFound(model);
  const chosen = choose(services, call);
  const counted = chosen === undefined ? undefined : await askVendor(services, call, chosen);
  if (counted !== undefined) return { headers: {}, body: counted };
  const { input } = estimateUsage(call.request, { maxOutputTokens: 1 });
  return { headers: OURS, body: JSON.stringify(call.client.count?.encode(input) ?? {}) };
}

/** Nothing is held and nothing charged, but the model must be one that this caller could use. */
function choose(services: RelayServices, call: CountCall): Chosen | undefined {
  const asked = {
    requestId: "",
    startedAt: 0,
    caller: call.caller,
    pin: call.pin,
    ip: "",
    endpoint: "",
    needs: "chat" as const,
    model: call.request.model,
    stream: false,
    tools: false,
    estimate: { input: 0, output: 0 },
    calls: 0,
    signal: call.signal,
  };
  return nextChoice(services, makePlan(services, asked), asked);
}

async function askVendor(
  services: RelayServices,
  call: CountCall,
  chosen: Chosen,
): Promise<string | undefined> {
  const { channel, upstreamModel } = chosen;
  const { count, id } = call.client;
  if (count === undefined || call.rewritten === true) return undefined;
  const path = count.path(upstreamModel);
  const { provider, plugin } = channel;
  const spoken = dialectsFor(provider, shapeOf(channel, { model: upstreamModel }));
  if (!spoken.includes(id) || provider.offers?.(path, plugin) === false) return undefined;
  const named = call.body["model"] === undefined ? call.body : { ...call.body, model: upstreamModel };
  try {
    const response = await send(services, chosen, {
      method: "POST",
      path,
      model: upstreamModel,
      dialect: id,
      headers: { "content-type": "application/json", accept: "application/json", ...call.forward },
      body: call.request.model === upstreamModel ? call.raw : JSON.stringify(named),
      signal: call.signal,
      timeoutMs: TIMEOUT_MS,
    });
    const text = await response.text(MAX_BYTES);
    return response.status === 200 ? text : undefined;
  } catch (error) {
    // A vendor that cannot count just now leaves it to us.
    if (error instanceof TransportError || error instanceof CredentialError) return undefined;
    throw error;
  }
}

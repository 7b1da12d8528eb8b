import type { FastifyRequest } from "fastify";
import { type GatewayError, insufficientQuota, modelNotFound } from "#errors.ts";
import { resolveModel } from "#gateway/models/model-alias.ts";
import type { GatewayServices } from "#gateway/services.ts";
import { isCompressed } from "#platform/body/compressed-body.ts";
import type { ReceivedCall } from "#relay/core/call.ts";
import { noteRefusal } from "#relay/core/exchange.ts";
import { isModelOffered, mayBeFree, mayCallFree } from "#relay/core/routing/free-models.ts";
import { type Access, accessOf } from "./access.ts";

/**
 * Checks of large requests before they are read and parsed: an account without a balance must not cause work, nor a
 * call of a model that does not exist. Small requests are checked where they are reserved.
 */

/** Size up to which a body costs no more than its head, in bytes. */
const SMALL_BODY = 16 * 1024;

type Services = Pick<GatewayServices, "relay" | "balances">;
type UnreadRequest = Pick<Access, "requestId" | "ip" | "caller" | "pin" | "startedAt">;

/** Whether the body may be large: its size is above the limit, or unknown. */
export function hasLargeBody({ method, headers }: FastifyRequest["raw"]): boolean {
  if (method === "GET" || method === "HEAD" || method === "DELETE") return false;
  const { "content-length": length, "transfer-encoding": encoding, "content-encoding": coding } = headers;
  return length === undefined ? encoding !== undefined : Number(length) > SMALL_BODY || isCompressed(coding);
}

/** Throws `insufficient_quota` for an account without a balance for which no model is free. */
export async function requireBalance(
  { relay, balances }: Services,
  begun: UnreadRequest,
  endpoint: string,
): Promise<void> {
  const { caller } = begun;
  if ((await balances.has(caller.userId)) || mayCallFree(relay, caller)) return;
  throw refuse(relay, begun, endpoint, "", insufficientQuota());
}

/**
 * Throws `insufficient_quota` for an account without a balance whose model is not free, and `model_not_found`.
 * Called when the bytes of a large body have arrived, before they are parsed.
 */
export async function requireCallable(
  { relay, balances }: Services,
  request: FastifyRequest,
  endpoint: string,
  named: string,
): Promise<void> {
  const access = accessOf(request);
  const { caller, pin } = access;
  const model = resolveModel({ relay }, named);
  if (!isModelOffered(relay, caller, pin, model))
    throw refuse(relay, access, endpoint, model, modelNotFound(model));
  if ((await balances.has(caller.userId)) || mayBeFree(relay, caller, model)) return;
  throw refuse(relay, access, endpoint, model, insufficientQuota());
}

/** Logs the refusal, and returns its error. */
function refuse(
  relay: GatewayServices["relay"],
  begun: UnreadRequest,
  endpoint: string,
  model: string,
  error: GatewayError,
): GatewayError {
  noteRefusal(relay, unreadCall(begun, endpoint, model), error);
  return error;
}

/** Returns a call whose body was not read, for the log. */
export function unreadCall(begun: UnreadRequest, endpoint: string, model = ""): ReceivedCall {
  return {
    ...begun,
    endpoint,
    needs: "chat",
    model,
    stream: false,
    tools: false,
    estimate: { input: 0, output: 0 },
    calls: 1,
    signal: AbortSignal.abort(),
  };
}

import type { FastifyRequest } from "fastify";
import type { Caller, Pin } from "#domain/tokens/callers.ts";
import { invalidRequest } from "#errors.ts";
import type { CancelSignal } from "#platform/http/cancellation.ts";
import type { MemoryAllocation } from "#platform/memory/memory-budget.ts";
import type { CallTrace } from "#relay/core/call.ts";

/** What is known about a request before its body is read: the part of a call that all kinds share. */
export interface Access {
  requestId: string;
  /** See `ReceivedCall`. */
  clientRequestId?: string | undefined;
  trace?: CallTrace | undefined;
  ip: string;
  caller: Caller;
  pin: Pin | undefined;
  /** See `ReceivedCall`. */
  maxPrice?: bigint | undefined;
  /** Milliseconds since 1970. */
  startedAt: number;
  /** Released after the last byte of the response, or when the client disconnects. */
  memory: MemoryAllocation;
  /**
   * Aborts when the client leaves before its response is complete. The request's own signal is unsuitable: it
   * follows the request body, which ends as soon as it is read.
   */
  signal: CancelSignal;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Serves the route without a key: the response is the same for everyone. */
    open?: boolean;
    /** The route makes calls that may have a quote. */
    takesQuote?: boolean;
  }
  interface FastifyRequest {
    access: Access | null;
  }
}

/**
 * Whether the client sent `cache-control: no-cache` or `no-store`, so that no cached response may be used.
 */
export function wantsFresh(request: FastifyRequest): boolean {
  return /\bno-(cache|store)\b/i.test(request.headers["cache-control"] ?? "");
}

/** Whether the client lets the gateway help the provider's prompt cache: anything but `x-prompt-cache: off`. */
export function wantsPromptCache({ headers }: FastifyRequest): boolean {
  const value = headers["x-prompt-cache"];
  return typeof value !== "string" || value.trim().toLowerCase() !== "off";
}

const amountReasons = {
  "x-session-budget": "session_budget_amount",
  "x-max-price": "max_price_amount",
} as const;
const amount = /^\d{1,7}(?:\.\d{1,6})?$/;

/**
 * Returns the amount in US dollars that a header contains; undefined without it. Throws `invalid_request` for a header
 * that is no amount with at most six decimals.
 */
export function usdHeader(
  { headers }: Pick<FastifyRequest, "headers">,
  name: keyof typeof amountReasons,
): number | undefined {
  const value = headers[name];
  if (value === undefined) return undefined;
  if (typeof value !== "string" || !amount.test(value.trim()))
    throw invalidRequest({ reason: amountReasons[name] }, { param: name });
  return Number(value);
}

/** Returns the caller and its request's resources. Set on every guarded route. */
export function accessOf({ access }: FastifyRequest): Access {
  if (access === null) throw new Error("The route is not guarded.");
  return access;
}

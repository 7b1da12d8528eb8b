/** Requests to payment gateways, and the two ways they can fail. */
import { GatewayError } from "#errors.ts";
import type { World } from "./gateway.ts";

const TIMEOUT_MS = 10_000;
const MOST = 1_000_000;

export interface PaymentRequest {
  label: string;
  method: "GET" | "POST";
  url: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface PaymentResponse {
  status: number;
  headers: Headers;
  text: string;
}

/** Sends a request. Returns the response for any status below 500. Throws `upstream_failed`. */
export async function ask(
  world: World,
  { label, method, url, headers, body }: PaymentRequest,
): Promise<PaymentResponse> {
  let answer: PaymentResponse;
  try {
    const response = await world.fetch(url, {
      method,
      headers: { accept: "application/json", "user-agent": "gateway", ...headers },
      body: body ?? null,
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    answer = { status: response.status, headers: response.headers, text: await response.text() };
  } catch (error) {
    throw unreachable(label, error instanceof Error ? `${error.name}: ${error.message}` : "no answer");
  }
  if (answer.status >= 500) throw unreachable(label, `status ${answer.status}`);
  if (answer.text.length > MOST) throw unreachable(label, "an answer without end");
  return answer;
}

export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Error of a request that may be retried. The reason is for operators and never contains a secret. */
export function unreachable(label: string, reason: string): GatewayError {
  return new GatewayError(
    "upstream_failed",
    { reason: "payment_gateway_unreachable" },
    {
      cause: new Error(`${label}: ${reason}`.slice(0, 500)),
    },
  );
}

export function paymentError(label: string, reason: string): GatewayError {
  return new GatewayError(
    "upstream_refused",
    { reason: "payment_refused" },
    {
      cause: new Error(`${label}: ${reason}`.slice(0, 500)),
    },
  );
}

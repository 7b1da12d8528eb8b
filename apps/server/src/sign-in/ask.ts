/** JSON requests to identity providers, and the two ways they can fail. */
import type { z } from "zod";
import { forbidden, GatewayError } from "#errors.ts";
import type { Fetch } from "./provider.ts";

const TIMEOUT_MS = 10_000;

export interface IdentityRequest {
  label: string;
  url: string | URL;
  headers?: Record<string, string>;
  /** Sent as JSON. Without it the request is a GET. */
  body?: unknown;
}

/**
 * Sends a request. Throws `forbidden` for a refusal, and `upstream_failed` for no response, an invalid one or
 * a server error.
 */
export async function ask<T extends z.ZodType>(
  fetch: Fetch,
  schema: T,
  { label, url, headers, body }: IdentityRequest,
): Promise<z.output<T>> {
  let status: number;
  let answer: unknown;
  try {
    const response = await fetch(url, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        accept: "application/json",
        "user-agent": "gateway",
        ...(body === undefined ? {} : { "content-type": "application/json; charset=utf-8" }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    status = response.status;
    answer = await response.json();
  } catch (error) {
    throw unreachable(label, asError(error));
  }
  if (status >= 500) throw unreachable(label, `status ${status}`);
  if (status >= 400) throw identityError(label, `status ${status}`);
  const parsed = schema.safeParse(answer);
  if (!parsed.success) throw unreachable(label, parsed.error.issues[0]?.message);
  return parsed.data;
}

type Reason = Error | string | null | undefined;

/** Error of a request that may be retried. The reason is for the log and never contains a secret. */
export function unreachable(label: string, reason: Reason): GatewayError {
  return new GatewayError(
    "upstream_failed",
    { reason: "sign_in_provider_unreachable" },
    {
      cause: because(label, reason),
    },
  );
}

export function identityError(label: string, reason: Reason): GatewayError {
  return forbidden(
    { reason: "sign_in_not_confirmed" },
    {
      cause: because(label, reason),
    },
  );
}

export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error("something that is no error was thrown");
}

/** Keeps only the message of an error for the log, because the libraries attach whole requests to errors. */
function because(label: string, reason: Reason): Error {
  const text = reason instanceof Error ? `${reason.name}: ${reason.message}` : (reason ?? "no reason");
  const below = reason instanceof Error && reason.cause instanceof Error ? ` (${reason.cause.message})` : "";
  return new Error(`${label}: ${text}${below}`.slice(0, 500));
}

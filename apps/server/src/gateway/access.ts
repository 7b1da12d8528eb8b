import type { FastifyRequest } from "fastify";
import type { Caller, Pin } from "#domain/tokens/callers.ts";
import type { MemoryAllocation } from "#platform/memory-budget.ts";

/** What is known of a request before its body is read: the part of a call that is the same for every kind. */
export interface Access {
  requestId: string;
  ip: string;
  caller: Caller;
  pin: Pin | undefined;
  /** Milliseconds since 1970. */
  startedAt: number;
  /** Released after the last byte of the answer, or when the client disconnects. */
  memory: MemoryAllocation;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Answers without a key: what is said there is the same for everyone. */
    open?: boolean;
  }
  interface FastifyRequest {
    access: Access | null;
  }
}

/** `cache-control: no-cache` asks for a new answer, as it does anywhere on the web. */
export function wantsFresh(request: FastifyRequest): boolean {
  return /\bno-(cache|store)\b/i.test(request.headers["cache-control"] ?? "");
}

/** The caller and what its request may use. Every route of a guarded scope has it. */
export function accessOf({ access }: FastifyRequest): Access {
  if (access === null) throw new Error("The route is not guarded.");
  return access;
}

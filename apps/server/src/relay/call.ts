import type { Settings } from "@gateway/shared/settings";
import type { Dialect, Wire } from "#dialects/dialect.ts";
import type { ChatRequest } from "#dialects/ir.ts";
import type { GroupsInForce } from "#domain/accounts/groups-in-force.ts";
import type { Ledger } from "#domain/billing/ledger.ts";
import type { Prices } from "#domain/billing/prices.ts";
import type { Candidates } from "#domain/channels/candidates.ts";
import type { Health } from "#domain/channels/health.ts";
import type { Caller, Pin } from "#domain/tokens/callers.ts";
import type { UpstreamClient } from "#platform/http.ts";
import type { Metrics } from "#platform/metrics.ts";

/** What the relay works with; handed in once by app.ts. */
export interface RelayServices {
  candidates: Candidates;
  groups: GroupsInForce;
  health: Health;
  ledger: Ledger;
  prices: Prices;
  settings: { current(): Settings };
  upstream: UpstreamClient;
  metrics: Metrics;
  random(): number;
}

/** One chat call of a client, decoded and with its caller known. */
export interface ChatCall {
  requestId: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  caller: Caller;
  pin: Pin | undefined;
  ip: string;
  client: Dialect;
  /** The path as the log names it, e.g. `/v1/chat/completions`. */
  endpoint: string;
  /** The body as parsed, and as it came: the same call in three forms, so that nothing is parsed twice. */
  body: Wire;
  raw: Buffer;
  request: ChatRequest;
  /** Headers of the client that an upstream of the same dialect understands. */
  forward: Record<string, string>;
  /** Aborts when the client leaves. */
  signal: AbortSignal;
}

/** What goes back to the client. `frames` must be read to its end or left with `return()`: both close the bill. */
export type Answer =
  | { kind: "body"; headers: Record<string, string>; body: string }
  | { kind: "stream"; headers: Record<string, string>; frames: AsyncGenerator<string, void, undefined> };

import type { Settings } from "@gateway/shared/site/settings";
import type { ActiveGroups } from "#domain/accounts/groups/active-groups.ts";
import type { AnswerCache } from "#domain/answers/answer-cache.ts";
import type { Health } from "#domain/channels/health/health.ts";
import type { ActiveChannel } from "#domain/channels/selection/active-channel.ts";
import type { Affinity } from "#domain/channels/selection/affinity.ts";
import type { Candidates } from "#domain/channels/selection/candidates.ts";
import type { KnownPrompts } from "#domain/channels/selection/known-prompts.ts";
import type { CallRecord } from "#domain/ledger/calls/call-record.ts";
import type { Ledger } from "#domain/ledger/ledger.ts";
import type { BodyLog } from "#domain/logs/bodies.ts";
import type { Prices } from "#domain/pricing/prices.ts";
import type { BackgroundBills } from "#domain/responses/background.ts";
import type { Revocations } from "#domain/tokens/revocations.ts";
import type { WebSearch } from "#domain/web-search/web-search.ts";
import type { UpstreamClient } from "#platform/http/http.ts";
import type { FetchedFile, PublicFetchOptions } from "#platform/http/public-fetch.ts";
import type { MemoryBudget } from "#platform/memory/memory-budget.ts";
import type { TransientMap } from "#platform/memory/transient-map.ts";
import type { Metrics } from "#platform/metrics/metrics.ts";
import type { ModelLabels } from "#platform/metrics/model-labels.ts";
import type { CallReporter } from "./billing/call-report.ts";
import type { CallTrace } from "./call.ts";
import type { Reasoners } from "./routing/reasoners.ts";
import type { Drains } from "./upstream/drains.ts";

/** A call with an open bill. */
export interface OpenCall {
  /**
   * Returns the log row to use if this node dies now. Undefined unless a checkpoint is due and something was
   * delivered since the last one.
   * @param at milliseconds since 1970
   */
  checkpoint(at: number): CallRecord | undefined;
}

/** Begins the trace of a call. Called on the hot path: it must not throw. */
export interface Tracing {
  begin(headers: Readonly<Record<string, unknown>>): CallTrace;
}

/** Dependencies of the relay. app.ts creates them once. */
export interface RelayServices {
  candidates: Candidates;
  groups: ActiveGroups;
  health: Health;
  affinity: Affinity;
  /** Prompts of sessions, for the marks of their next calls. */
  prompts: KnownPrompts;
  ledger: Ledger;
  prices: Prices;
  settings: { current(): Settings };
  upstream: UpstreamClient;
  memory: MemoryBudget;
  metrics: Metrics;
  modelLabel: ModelLabels;
  bodies: Pick<BodyLog, "keep">;
  answers: AnswerCache;
  background: BackgroundBills;
  /** Returns a channel of any status: a disabled one must still serve its stored responses. */
  storedChannel(id: number): Promise<ActiveChannel | "deleted" | undefined>;
  random(): number;
  /** Calls with a reservation, by request id. Empty when every bill is closed. */
  open: TransientMap<string, OpenCall>;
  /** Responses still read after their client disconnected. */
  drains: Drains;
  reasoners: Reasoners;
  /** Reports when an account or key may no longer be used. */
  revocations: Pick<Revocations, "watch">;
  /** Fetches from public addresses only. Throws `invalid_request`. */
  fetchPublic(address: string, options: PublicFetchOptions): Promise<FetchedFile>;
  /** Searches the web through the operator's search service. */
  webSearch: WebSearch;
  /** Receives every call that has ended; undefined when no one wants to know. */
  reporter: CallReporter | undefined;
  /** Undefined while traces are not sent. */
  tracing: Tracing | undefined;
  /** Reports a defect of ours that a call survived. */
  onError(error: unknown): void;
}

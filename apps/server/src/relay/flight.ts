import type { AttemptNote, Outcome, PausedChannel } from "@gateway/shared/log";
import type { Tally } from "#dialects/dialect.ts";
import type { UpstreamError, Usage } from "#dialects/ir.ts";
import { computeBill, heldTier, type PriceInForce } from "#domain/billing/pricing.ts";
import type { Lease } from "#domain/channels/health.ts";
import type { CallRecord } from "#domain/logs/record.ts";
import { GatewayError, reservationLost } from "#errors.ts";
import { withImpliedSearch } from "#providers/implied-search.ts";
import type { Call, RelayServices } from "./call.ts";
import { meter, type Metered } from "./meter.ts";
import type { Chosen } from "./plan.ts";

/** How a call that reached a vendor ended. */
export interface End {
  outcome: Exclude<Outcome, "failed">;
  vendor: Usage | undefined;
  delivered: Tally;
  /** Our own count, where it is of more than text: stands in for a silent vendor. */
  counted?: Usage;
}

/** How a call ended that only passed through. */
export interface Passed {
  outcome: End["outcome"];
  /** The vendor's. */
  status: number;
  /** What the log says of it. */
  content: string;
}

const brokenStatus = { "client-left": 499, "upstream-died": 502 } as const;

/** How a call was served, but for who served it. */
export type Served = Omit<Chosen, "channel" | "key">;

/** What was charged for, and how it ended. */
export interface Billed {
  usage: Usage;
  outcome: End["outcome"];
  served: Served;
}

/** One call from its reservation to its log row. Closed exactly once, however many hands try. */
export class Flight {
  readonly attempts: AttemptNote[] = [];
  /** Channels that were paused when the call began. */
  paused: readonly PausedChannel[] = [];
  chosen: Chosen | undefined;
  /** In the place of `chosen` when the answer was one that had been given before. */
  remembered: Served | undefined;
  /** The place it takes at its channel. */
  lease: Lease | undefined;
  /** The model exists for this caller. A name that nobody serves is the client's text: it must not make statistics. */
  modelKnown = false;
  firstByteAt: number | undefined;
  /** The service tier that the head of the answer names. */
  tierSaid: string | undefined;
  readonly #services: RelayServices;
  readonly #call: Call;
  #closing: Promise<void> | undefined;
  /** Billed, input and output together. */
  #tokens = 0;

  constructor(services: RelayServices, call: Call) {
    this.#services = services;
    this.#call = call;
  }

  noteAttempt(chosen: Chosen, begun: number, error: UpstreamError | undefined): void {
    this.#services.metrics.attempt(chosen.channel.provider.id, chosen.channel.id, error?.kind ?? "ok");
    this.attempts.push({
      channel_id: chosen.channel.id,
      channel_name: chosen.channel.name,
      result: error?.kind ?? "ok",
      status: error?.status ?? 200,
      duration: Date.now() - begun,
      message: error?.message.slice(0, 500) ?? "",
    });
  }

  /** Charges what was delivered. Resolves when the charge is committed; throws when the reservation was lost. */
  settle(end: End): Promise<void> {
    return this.#close(() => this.#settle(end));
  }

  /** Closes a call that costs nothing: what the vendor answered passed as it was. */
  pass({ outcome, status, content }: Passed): Promise<void> {
    return this.#close(() =>
      this.#book({
        ...this.#record(),
        type: 2,
        outcome,
        status: outcome === "complete" ? status : brokenStatus[outcome],
        errorCode: outcome === "upstream-died" ? "upstream_failed" : "",
        content,
        usage: undefined,
        quota: 0n,
        estimated: false,
        bill: null,
      }),
    );
  }

  #close(settle: () => Promise<void>): Promise<void> {
    this.#closing ??= settle().finally(() => {
      this.lease?.leave();
      this.#services.open.delete(this.#call.requestId);
      this.#call.used?.(this.#tokens);
    });
    return this.#closing;
  }

  #vendorCount(vendor: Usage | undefined): Usage | undefined {
    if (vendor === undefined || this.chosen === undefined) return vendor;
    return withImpliedSearch(this.chosen.channel.provider, this.chosen.upstreamModel, vendor);
  }

  /** As the answer names it. One that broke off before it did is billed in the dearer tier it was asked for. */
  #tierOf(vendor: Usage | undefined, price: PriceInForce): string | undefined {
    const said = vendor?.tier ?? this.tierSaid;
    const { tier: asked } = this.#call.estimate;
    return said ?? (vendor === undefined && asked !== "auto" ? heldTier(price, asked) : undefined);
  }

  async #settle(end: End): Promise<void> {
    const served = this.chosen ?? this.remembered;
    if (served === undefined) throw new Error("A call cannot be settled before a channel served it.");
    const { usage, estimated, implausible }: Metered =
      end.vendor === undefined && end.counted !== undefined
        ? { usage: end.counted, estimated: true }
        : meter(
            this.#vendorCount(end.vendor),
            end.outcome === "complete",
            end.delivered,
            this.#call.estimate,
          );
    if (this.remembered === undefined) this.#tokens = usage.input + usage.output;
    const tier = this.#tierOf(end.vendor, served.price);
    const priced = tier === undefined ? usage : { ...usage, tier };
    const { points, bill } = computeBill(served.price, served.groupRatio, priced, this.#call.calls);
    await this.#book({
      ...this.#record(),
      type: 2,
      outcome: end.outcome,
      status: end.outcome === "complete" ? 200 : brokenStatus[end.outcome],
      errorCode: end.outcome === "upstream-died" ? "upstream_failed" : "",
      usage,
      quota: points,
      estimated,
      bill: implausible === undefined ? bill : { ...bill, implausible },
    });
    this.#services.metrics.used(usage, points);
    this.#call.billed?.({ usage: priced, outcome: end.outcome, served });
  }

  async #book(record: CallRecord): Promise<void> {
    const settled = await this.#services.ledger.settle(record);
    const { endpoint, startedAt } = this.#call;
    this.#services.metrics.call(endpoint, record.status, Date.now() - startedAt, this.firstByteMs());
    if (settled === "gone") throw reservationLost();
  }

  /** Gives everything back and writes the failure down. Never throws: the caller has an error to deliver. */
  async fail(error: unknown): Promise<void> {
    const failure = this.#failure(error);
    await this.#close(() => this.#services.ledger.settle(failure).then(() => {})).catch(() => {});
    this.#services.metrics.call(
      this.#call.endpoint,
      statusOf(error),
      Date.now() - this.#call.startedAt,
      this.firstByteMs(),
    );
  }

  /** A call that never held anything: only the log hears of it, and the answer does not wait for that. */
  refuse(error: unknown): void {
    this.#services.metrics.call(this.#call.endpoint, statusOf(error), Date.now() - this.#call.startedAt, 0);
    this.#services.ledger.note(this.#failure(error)).catch(() => {});
    this.#call.used?.(0);
  }

  /** Something of ours broke in the middle of an answer that goes on. */
  defect(error: unknown): void {
    this.#services.onError(error);
  }

  firstByteMs(): number {
    return this.firstByteAt === undefined ? 0 : this.firstByteAt - this.#call.startedAt;
  }

  #failure(error: unknown): CallRecord {
    return {
      ...this.#record(),
      type: 5,
      outcome: "failed",
      status: statusOf(error),
      errorCode: error instanceof GatewayError ? error.code : "internal",
      content: error instanceof GatewayError ? error.message : "",
      usage: undefined,
      quota: 0n,
      estimated: false,
      bill: null,
    };
  }

  #record(): Omit<
    CallRecord,
    "type" | "outcome" | "status" | "errorCode" | "usage" | "quota" | "estimated" | "bill"
  > {
    const { caller, model, stream } = this.#call;
    const served = this.chosen ?? this.remembered;
    return {
      requestId: this.#call.requestId,
      createdAt: new Date(this.#call.startedAt),
      userId: caller.userId,
      username: caller.username,
      tokenId: caller.tokenId,
      tokenName: caller.tokenName,
      channelId: this.chosen?.channel.id ?? 0,
      group: served?.group ?? caller.group,
      backupGroup: served?.backup ?? false,
      modelName: served?.billedModel ?? (this.modelKnown ? model : ""),
      upstreamModel: served?.upstreamModel ?? "",
      endpoint: this.#call.endpoint,
      isStream: stream,
      content: "",
      requestTimeMs: Date.now() - this.#call.startedAt,
      firstByteTimeMs: this.firstByteMs(),
      sourceIp: this.#call.ip,
      priceVersionId: served?.price.versionId ?? 0,
      attempts: this.attempts,
      paused: this.paused,
      billingTag: caller.billingTag,
      cacheHit: this.remembered !== undefined,
      heldInPart: this.chosen !== undefined && this.chosen.channel.preCost !== 1,
    };
  }
}

function statusOf(error: unknown): number {
  return error instanceof GatewayError ? error.status : 500;
}

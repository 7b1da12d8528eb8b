import type { ErrorCode } from "@gateway/shared/errors";
import type { Reason } from "@gateway/shared/reasons";
import type { AttemptNote, PausedChannel, SkippedChannel } from "@gateway/shared/usage/log";
import type { Tally } from "#dialects/dialect.ts";
import type { UpstreamError, Usage } from "#dialects/ir.ts";
import type { Lease } from "#domain/channels/health.ts";
import type { CallRecord } from "#domain/ledger/call-record.ts";
import { computeBill, reservedTier, type PriceInForce } from "#domain/pricing/pricing.ts";
import { GatewayError, reasonOfError, reservationLost } from "#errors.ts";
import { now } from "#platform/clock.ts";
import { withImpliedSearch } from "#providers/implied-search.ts";
import type { Call, Chosen, Ended, Served } from "./call.ts";
import type { RelayServices } from "./services.ts";
import { owed } from "./settle.ts";
import { openUpstreamCall, type UpstreamCall } from "./upstream-call.ts";

/** How a call that reached a provider ended. */
export interface End {
  outcome: Ended;
  reported: Usage | undefined;
  delivered: Tally;
  /** Our own count, where it is of more than text: stands in for a silent provider. */
  counted?: Usage;
  /** `provider` is the provider's last report, although the client did not read it. */
  final?: boolean;
  /** For the log, where the answer broke off for another reason than the provider's. */
  errorCode?: ErrorCode | undefined;
}

/** What of an answer has been handed to the client so far, and what its provider has said of it. */
export type Progress = Pick<End, "reported" | "delivered" | "counted">;

/** How a call ended that only passed through. */
export interface Passed {
  outcome: End["outcome"];
  /** The provider's. */
  status: number;
  /** What the log says of it. */
  content?: Reason;
}

const brokenStatus = { "client-left": 499, "upstream-died": 502, interrupted: 503 } as const;

/**
 * A call gets a checkpoint when it has run for so long, and every so often from then on. Most calls are shorter, and what a
 * crash costs is never more than what a provider writes in this time.
 */
export const CHECKPOINT_MS = 5_000;

/** One call from its reservation to its log row. Closed exactly once, however many hands try. */
export class CallLifecycle {
  readonly attempts: AttemptNote[] = [];
  /** Channels that were paused when the call began. */
  paused: readonly PausedChannel[] = [];
  /** Channels that were not tried before the last failure; those tried since then are left out of the log. */
  skipped: readonly SkippedChannel[] = [];
  chosen: Chosen | undefined;
  /** In the place of `chosen` when the answer was one that had been given before. */
  remembered: Served | undefined;
  /** The place it takes at its channel. */
  lease: Lease | undefined;
  /** The model exists for this caller. A name that no one serves is the client's text: it must not make statistics. */
  modelKnown = false;
  firstByteAt: number | undefined;
  /** Any node may close it: one that comes second has nothing to write. */
  isShared = false;
  /** Set while parts of an answer are on their way to the client. Answers undefined until one says something. */
  progress: (() => Progress | undefined) | undefined;
  /** The service tier that the head of the answer names. */
  reportedTier: string | undefined;
  readonly #services: RelayServices;
  readonly #call: Call;
  #upstream: UpstreamCall | undefined;
  #closing: Promise<void> | undefined;
  /** Billed, input and output together. */
  #tokens = 0;
  #checkpointAt: number | undefined;
  /** Of the last checkpoint: another one with the same would say nothing new. */
  #checkpointed = "";

  constructor(services: RelayServices, call: Call) {
    this.#services = services;
    this.#call = call;
  }

  /** Its requests to providers. Watches client and account from the first use until the call is closed. */
  get upstream(): UpstreamCall {
    return (this.#upstream ??= openUpstreamCall(this.#services, this.#call));
  }

  /** What the call opened lives on by itself and watches client and account: a session. */
  handOver(): void {
    this.#upstream?.close();
    this.#upstream = undefined;
  }

  /** Why there is no point in going on: the account may not call any more, or no client is there. */
  gone(): GatewayError | undefined {
    const { revoked, left } = this.upstream;
    return revoked ?? (left ? clientLeft() : undefined);
  }

  noteAttempt(chosen: Chosen, begun: number, error: UpstreamError | undefined): void {
    this.#services.metrics.attempt(chosen.channel.provider.id, chosen.channel.id, error?.kind ?? "ok");
    this.attempts.push({
      channel_id: chosen.channel.id,
      channel_name: chosen.channel.name,
      result: error?.kind ?? "ok",
      status: error?.status ?? 200,
      duration: now() - begun,
      message: error?.message.slice(0, 500) ?? "",
      begun: Math.max(0, begun - this.#call.startedAt),
      priority: chosen.channel.priority,
    });
  }

  #skipped(): readonly SkippedChannel[] {
    if (this.skipped.length === 0) return this.skipped;
    const tried = new Set(this.attempts.map((note) => note.channel_id));
    return this.skipped.filter((note) => !tried.has(note.channel_id));
  }

  /**
   * Charges what is owed. Resolves when the charge is committed. Throws `reservation_lost`, and what keeps the ledger
   * from answering.
   */
  settle(end: End): Promise<void> {
    return this.#close(() => this.#settle(end));
  }

  /** Closes a call that costs nothing: what the provider answered passed as it was. */
  pass({ outcome, status, content }: Passed): Promise<void> {
    return this.#close(() =>
      this.#book({
        ...this.#record(),
        ...this.#ending(outcome, status),
        type: 2,
        ...(content === undefined ? {} : { content: content.text, contentFacts: content.facts }),
        usage: undefined,
        quota: 0n,
        estimated: false,
        bill: null,
      }),
    );
  }

  /** @see OpenCall */
  checkpoint(at: number): CallRecord | undefined {
    this.#checkpointAt ??= this.#call.startedAt + CHECKPOINT_MS;
    if (at < this.#checkpointAt || this.#closing !== undefined || this.chosen === undefined) return undefined;
    this.#checkpointAt = at + CHECKPOINT_MS;
    const progress = this.progress?.();
    if (progress === undefined) return undefined;
    const due = this.#due({ ...progress, outcome: "interrupted" }, this.chosen);
    const tier = JSON.stringify([due?.usage.input, due?.usage.output, String(due?.points)]);
    if (due === undefined || tier === this.#checkpointed) return undefined;
    this.#checkpointed = tier;
    const { usage, points, bill, estimated } = due;
    const ending = { outcome: "interrupted", status: brokenStatus.interrupted, errorCode: "" } as const;
    return { ...this.#record(), ...ending, type: 2, usage, quota: points, estimated, bill };
  }

  /** @param close answers the status for the statistics, which count each call once */
  #close(close: () => Promise<number>): Promise<void> {
    this.#closing ??= close()
      .then(
        (status) => this.#count(status),
        (error: unknown) => {
          if (!this.isShared) this.#count(statusOf(error));
          throw error;
        },
      )
      .finally(() => {
        this.#leave();
        this.#call.used?.(this.#tokens);
      });
    return this.#closing;
  }

  #leave(): void {
    this.lease?.leave();
    this.#upstream?.close();
    this.#services.open.delete(this.#call.requestId);
  }

  /** Its bill stays open and is closed later, by any node. What was counted of the rate stays as it was estimated. */
  leaveOpen(): void {
    this.#closing ??= Promise.resolve();
    this.#leave();
  }

  #count(status: number): void {
    const { endpoint, startedAt } = this.#call;
    this.#services.metrics.call(endpoint, status, now() - startedAt, this.firstByteMs());
  }

  #reportedUsage(reported: Usage | undefined): Usage | undefined {
    if (reported === undefined || this.chosen === undefined) return reported;
    return withImpliedSearch(this.chosen.channel.provider, this.chosen.upstreamModel, reported);
  }

  /** As the answer names it. One that broke off before it did is billed in the dearer tier it was asked for. */
  #tierOf(reported: Usage | undefined, price: PriceInForce): string | undefined {
    const tier = reported?.tier ?? this.reportedTier;
    const { tier: requested } = this.#call.estimate;
    return (
      tier ?? (reported === undefined && requested !== "auto" ? reservedTier(price, requested) : undefined)
    );
  }

  /** A whole answer that its client did not wait for was read for its usage alone. */
  #outcomeOf({ outcome }: End): End["outcome"] {
    return outcome === "complete" && this.#upstream?.left === true ? "client-left" : outcome;
  }

  #ending(
    outcome: End["outcome"],
    status: number,
    code: ErrorCode = "upstream_failed",
  ): { outcome: End["outcome"]; status: number; errorCode: string } {
    if (outcome === "complete") return { outcome, status, errorCode: "" };
    const revoked = this.#upstream?.revoked;
    if (outcome === "client-left" && revoked !== undefined)
      return { outcome, status: revoked.status, errorCode: revoked.code };
    const errorCode = outcome === "upstream-died" ? code : "";
    return { outcome, status: brokenStatus[outcome], errorCode };
  }

  async #settle(end: End): Promise<number> {
    const served = this.chosen ?? this.remembered;
    if (served === undefined) throw new Error("A call cannot be settled before a channel served it.");
    const due = this.#due(end, served);
    const record = { ...this.#record(), ...this.#ending(this.#outcomeOf(end), 200, end.errorCode) };
    if (due === undefined)
      return this.#book({ ...record, type: 5, usage: undefined, quota: 0n, estimated: false, bill: null });
    const { usage, estimated, priced, points, bill } = due;
    if (this.remembered === undefined) this.#tokens = usage.input + usage.output;
    const status = await this.#book({ ...record, type: 2, usage, quota: points, estimated, bill });
    this.#services.metrics.used(usage, points);
    this.#call.billed?.({ usage: priced, outcome: record.outcome, served });
    return status;
  }

  /** What the call owes at this end, and its bill; undefined when it costs nothing. */
  #due(end: Omit<End, "outcome"> & { outcome: Ended | "interrupted" }, { price, groupRatio }: Served) {
    const { kind = "text", estimate, calls } = this.#call;
    const due = owed({
      kind,
      reach: this.#upstream?.reach ?? "answering",
      ended: end.outcome,
      reported: this.#reportedUsage(end.reported),
      final: end.final === true,
      delivered: end.delivered,
      counted: end.counted,
      reserved: estimate,
    });
    if (due === undefined) return undefined;
    const { usage, estimated, implausible } = due;
    const tier = this.#tierOf(end.reported, price);
    const priced = tier === undefined ? usage : { ...usage, tier };
    const { points, bill } = computeBill(price, groupRatio, priced, calls);
    return {
      usage,
      estimated,
      priced,
      points,
      bill: implausible === undefined ? bill : { ...bill, implausible },
    };
  }

  /** Answers the status it was booked with. */
  async #book(record: CallRecord): Promise<number> {
    if (this.#call.books === "none") return record.status;
    if ((await this.#services.ledger.settle(record)) === "settled") return record.status;
    const lost = reservationLost();
    if (this.isShared) throw lost;
    // Nothing was written: at least the log shows that the call was made.
    this.#services.ledger.note(this.#failure(lost)).catch(() => {});
    throw lost;
  }

  /** Gives everything back and writes the failure down. Never throws: the caller has an error to deliver. */
  async fail(error: unknown): Promise<void> {
    await this.#close(async () => {
      const failure = this.#failure(error);
      if (this.#call.books !== "none") await this.#services.ledger.settle(failure).catch(() => {});
      return failure.status;
    }).catch(() => {});
  }

  /** A call that never held anything: only the log hears of it, and the answer does not wait for that. */
  refuse(error: unknown): void {
    this.#upstream?.close();
    this.#count(statusOf(error));
    if (this.#call.books !== "none") this.#services.ledger.note(this.#failure(error)).catch(() => {});
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
      ...contentOf(error),
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
      requestTimeMs: now() - this.#call.startedAt,
      firstByteTimeMs: this.firstByteMs(),
      sourceIp: this.#call.ip,
      priceVersionId: served?.price.versionId ?? 0,
      attempts: this.attempts,
      paused: this.paused,
      skipped: this.#skipped(),
      billingTag: caller.billingTag,
      session: this.#call.sessionNote?.(),
      cacheHit: this.remembered !== undefined,
      partlyReserved: this.chosen !== undefined && this.chosen.channel.preCost !== 1,
    };
  }
}

export function clientLeft(): GatewayError {
  return new GatewayError("client_disconnected", { reason: "client_left_call" });
}

function statusOf(error: unknown): number {
  return error instanceof GatewayError ? error.status : 500;
}

/** What the log says of a failure. A provider's own message has no facts but itself. */
function contentOf(error: unknown): Pick<CallRecord, "content" | "contentFacts"> {
  if (!(error instanceof GatewayError)) return { content: "" };
  const { text, facts } = reasonOfError(error);
  return error.params["reason"] === "provider_message"
    ? { content: text }
    : { content: text, contentFacts: facts };
}

import type { ErrorCode } from "@gateway/shared/errors";
import type { AttemptNote, PausedChannel, SkippedChannel } from "@gateway/shared/usage/log";
import type { UpstreamError, Usage } from "#dialects/ir.ts";
import type { ChannelSlot } from "#domain/channels/health/health.ts";
import type { CallRecord } from "#domain/ledger/calls/call-record.ts";
import { imageFactor } from "#domain/pricing/image-tokens.ts";
import { computeBill, reservedTier, type ActivePrice } from "#domain/pricing/pricing.ts";
import { GatewayError, reservationLost } from "#errors.ts";
import { now } from "#platform/clock.ts";
import { withImpliedSearch } from "#providers/models/implied-search.ts";
import type {
  ReceivedCall,
  CallKind,
  PricedTarget,
  ProviderOutcome,
  PricingTerms,
} from "#relay/core/call.ts";
import type { RelayServices } from "#relay/core/services.ts";
import { openUpstreamCall, type UpstreamCall } from "#relay/core/upstream/call-connection.ts";
import {
  brokenStatus,
  type CallCharge,
  clientLeft,
  contentOf,
  type EndedCall,
  noCharge,
  type PassThroughEnd,
  type CallProgress,
  statusOf,
} from "./call-end.ts";
import { usageOwed } from "./settle.ts";

/**
 * Interval of a call's checkpoints; the first one is written after the same time. Most calls are shorter. A
 * crash loses at most the output of this interval.
 */
export const CHECKPOINT_MS = 5_000;

/** One call, from its reservation to its log row. Closed exactly once, whatever the number of callers. */
export class CallBill {
  readonly attempts: AttemptNote[] = [];
  /** Channels that were paused when the call began. */
  paused: readonly PausedChannel[] = [];
  /** Channels not tried before the last failure. The log omits those tried since. */
  skipped: readonly SkippedChannel[] = [];
  chosen: PricedTarget | undefined;
  /** Set instead of `chosen` when the response came from the cache. */
  remembered: PricingTerms | undefined;
  /** The call's slot at its channel. */
  lease: ChannelSlot | undefined;
  /** The model exists for this caller. Other names are client input and must not appear in statistics. */
  modelKnown = false;
  firstByteAt: number | undefined;
  /** When the first text of a stream arrived. What a model writes before is hidden. */
  firstTextAt: number | undefined;
  /** Any node may close the call. The second one has nothing to write. */
  isShared = false;
  /** Set while the response is being sent. Returns undefined until something was delivered. */
  progress: (() => CallProgress | undefined) | undefined;
  /** Service tier named at the start of the response. */
  reportedTier: string | undefined;
  readonly #services: RelayServices;
  readonly #call: ReceivedCall;
  #upstream: UpstreamCall | undefined;
  #closing: Promise<void> | undefined;
  /** Billed tokens, input and output together. */
  #tokens = 0;
  #checkpointAt: number | undefined;
  /** Identifies the last checkpoint, to skip an identical one. */
  #checkpointed = "";

  constructor(services: RelayServices, call: ReceivedCall) {
    this.#services = services;
    this.#call = call;
  }

  /** Requests to providers. Watches client and account from first use until the call is closed. */
  get upstream(): UpstreamCall {
    return (this.#upstream ??= openUpstreamCall(this.#services, this.#call, () => this.#isHidden()));
  }

  /** Stops watching client and account: the session that this call opened does it from now on. */
  handOver(): void {
    this.#upstream?.close();
    this.#upstream = undefined;
  }

  /** Returns the reason to stop: the account may no longer call, or the client disconnected. */
  gone(): GatewayError | undefined {
    const { revoked, left } = this.upstream;
    return revoked ?? (left ? clientLeft() : undefined);
  }

  /** A model that reasons may reason whatever was requested, and its text does not show that. */
  #kind(model = this.chosen?.upstreamModel ?? this.#call.model): CallKind {
    const { kind = "text", needs } = this.#call;
    const isChat = needs === "chat" || needs === "responses";
    return kind === "text" && isChat && this.#services.reasoners.reasons(model) ? "reasoning" : kind;
  }

  /** Whether only the provider's usage shows what the call costs: hidden reasoning, or files in the input. */
  #isHidden(): boolean {
    const { estimate, model } = this.#call;
    const { window, audio = 0, image = 0 } = estimate.mostInput ?? {};
    const isDear = image > 0 && imageFactor(this.chosen?.upstreamModel ?? model) > 1;
    return window !== undefined || audio > 0 || isDear || this.#kind() === "reasoning";
  }

  noteAttempt(chosen: PricedTarget, begun: number, error: UpstreamError | undefined): void {
    this.#services.metrics.attempt(chosen.channel.provider.id, chosen.channel.id, error?.kind ?? "ok");
    const requestId = this.#upstream?.requestId;
    const note: AttemptNote = {
      channel_id: chosen.channel.id,
      channel_name: chosen.channel.name,
      result: error?.kind ?? "ok",
      status: error?.status ?? 200,
      duration: now() - begun,
      message: error?.message.slice(0, 500) ?? "",
      begun: Math.max(0, begun - this.#call.startedAt),
      priority: chosen.channel.priority,
    };
    if (requestId !== undefined) note.upstream_request_id = requestId;
    const transport = this.#upstream?.transport;
    if (transport !== undefined) note.transport = transport;
    this.attempts.push(note);
  }

  #skipped(): readonly SkippedChannel[] {
    if (this.skipped.length === 0) return this.skipped;
    const tried = new Set(this.attempts.map((note) => note.channel_id));
    return this.skipped.filter((note) => !tried.has(note.channel_id));
  }

  /**
   * Charges what is owed. Resolves when the charge is committed, or when the ledger will write it after an outage
   * of the database: the response must be delivered then, too. Throws `reservation_lost`, and the ledger's errors.
   */
  settle(end: EndedCall): Promise<void> {
    return this.#close(() => this.#settle(end));
  }

  /** Closes a call without a charge, whose response passed unchanged. */
  pass({ outcome, status, content }: PassThroughEnd): Promise<void> {
    return this.#close(() =>
      this.#book({
        ...this.#record(2, this.#ending(this.#outcomeOf(outcome), status), noCharge),
        ...(content === undefined ? {} : { content: content.text, contentFacts: content.facts }),
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
    const ending = { outcome: "interrupted", status: brokenStatus.interrupted, errorCode: "" } as const;
    return this.#record(2, ending, due);
  }

  /** @param close returns the status for the statistics, which count each call once */
  #close(close: () => Promise<number>): Promise<void> {
    this.#closing ??= this.#closeOnce(close);
    return this.#closing;
  }

  async #closeOnce(close: () => Promise<number>): Promise<void> {
    try {
      this.#count(await close());
    } catch (error) {
      if (!this.isShared) this.#count(statusOf(error));
      throw error;
    } finally {
      this.#leave();
      this.#call.used?.(this.#tokens);
    }
  }

  #leave(): void {
    this.lease?.leave();
    this.#upstream?.close();
    this.#services.open.delete(this.#call.requestId);
  }

  /** Leaves the bill open for any node to close later. The rate limit keeps the estimated tokens. */
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

  /**
   * Returns the tier named by the response. If it broke off before that, bills the dearer tier that was
   * requested.
   */
  #tierOf(reported: Usage | undefined, price: ActivePrice): string | undefined {
    const tier = reported?.tier ?? this.reportedTier;
    const { tier: requested } = this.#call.estimate;
    return (
      tier ?? (reported === undefined && requested !== "auto" ? reservedTier(price, requested) : undefined)
    );
  }

  /**
   * A complete response that its client did not wait for was read only for its usage. A call that we cancelled
   * ended for the reason of that.
   */
  #outcomeOf(outcome: ProviderOutcome): ProviderOutcome {
    if (outcome === "complete") return this.#upstream?.left === true ? "client-left" : outcome;
    return outcome === "client-left" && this.#upstream?.isInterrupted === true ? "interrupted" : outcome;
  }

  #ending(
    outcome: ProviderOutcome,
    status: number,
    code: ErrorCode = "upstream_failed",
  ): { outcome: ProviderOutcome; status: number; errorCode: string } {
    if (outcome === "complete") return { outcome, status, errorCode: "" };
    const revoked = this.#upstream?.revoked;
    if (outcome !== "upstream-died" && revoked !== undefined)
      return { outcome, status: revoked.status, errorCode: revoked.code };
    const errorCode = outcome === "upstream-died" ? code : "";
    return { outcome, status: brokenStatus[outcome], errorCode };
  }

  async #settle(end: EndedCall): Promise<number> {
    const served = this.chosen ?? this.remembered;
    if (served === undefined) throw new Error("A call cannot be settled before a channel served it.");
    const outcome = this.#outcomeOf(end.outcome);
    // What was read to its end for a client that had left is owed like any complete response.
    const due = this.#due(outcome === "interrupted" ? { ...end, outcome } : end, served);
    const ending = this.#ending(outcome, 200, end.errorCode);
    if (due === undefined) return this.#book(this.#record(5, ending, noCharge));
    const { usage, priced, points } = due;
    if (this.remembered === undefined) {
      this.#tokens = usage.input + usage.output;
      if (end.outcome === "complete" && end.reported !== undefined)
        this.#services.reasoners.note(served.upstreamModel, usage, now() - this.#call.startedAt);
    }
    const status = await this.#book(this.#record(2, ending, due));
    this.#services.metrics.used(usage, points);
    this.#call.billed?.({ usage: priced, outcome: ending.outcome, served });
    return status;
  }

  /** Returns the amount owed at this end with its bill; undefined when the call costs nothing. */
  #due(end: EndedCall, { price, groupRatio }: PricingTerms) {
    const { estimate, calls, startedAt } = this.#call;
    const due = usageOwed({
      kind: this.#kind(),
      isCut: this.#upstream?.isCut === true,
      hidden: this.#services.reasoners.writtenIn(
        this.chosen?.upstreamModel ?? "",
        (this.firstTextAt ?? now()) - startedAt,
      ),
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

  /** Books the record. Returns its status. */
  async #book(record: CallRecord): Promise<number> {
    if (this.#call.books === "none") return record.status;
    if ((await this.#services.ledger.settle(record, this.isShared)) !== "gone") return record.status;
    const lost = reservationLost();
    if (this.isShared) throw lost;
    // Nothing was written, so log the call at least.
    this.#services.ledger.logRefused(this.#failure(lost)).catch(() => {});
    throw lost;
  }

  /** Releases the reservation and records the failure. Never throws: the caller has an error to deliver. */
  async fail(error: unknown): Promise<void> {
    await this.#close(async () => {
      const failure = this.#failure(error);
      if (this.#call.books !== "none")
        await this.#services.ledger.settle(failure, this.isShared).catch(() => {});
      return failure.status;
    }).catch(() => {});
  }

  /** Records a call without a reservation in the log. The response does not wait for it. */
  refuse(error: unknown): void {
    this.#upstream?.close();
    // The operator named a disabled model, so its name is not the client's invention.
    if (error instanceof GatewayError && error.params["reason"] === "model_disabled") this.modelKnown = true;
    this.#count(statusOf(error));
    if (this.#call.books !== "none") this.#services.ledger.logRefused(this.#failure(error)).catch(() => {});
    this.#call.used?.(0);
  }

  /** Reports a defect of ours in a response that continues. */
  defect(error: unknown): void {
    this.#services.onError(error);
  }

  firstByteMs(): number {
    return this.firstByteAt === undefined ? 0 : this.firstByteAt - this.#call.startedAt;
  }

  #failure(error: unknown): CallRecord {
    const errorCode = error instanceof GatewayError ? error.code : "internal";
    const ending = { outcome: "failed", status: statusOf(error), errorCode } as const;
    return { ...this.#record(5, ending, noCharge), ...contentOf(error) };
  }

  // One object with all fields: V8 builds it many times faster than one with fields after a spread.
  #record(
    type: CallRecord["type"],
    { outcome, status, errorCode }: Pick<CallRecord, "outcome" | "status" | "errorCode">,
    { usage, points, estimated, bill }: CallCharge,
  ): CallRecord {
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
      type,
      outcome,
      status,
      errorCode,
      usage,
      quota: points,
      estimated,
      bill,
    };
  }
}

import type { ErrorCode } from "@gateway/shared/errors";
import type { UpstreamError, Usage } from "#dialects/ir.ts";
import type { ReserveInput } from "#domain/ledger/batches/operations.ts";
import type { CallRecord } from "#domain/ledger/calls/call-record.ts";
import type { Estimate } from "#domain/pricing/estimate.ts";
import { imageFactor } from "#domain/pricing/image-tokens.ts";
import { computeBill, reservedTier, type ActivePrice } from "#domain/pricing/pricing.ts";
import { sharesOf } from "#domain/tokens/derived-keys/derived-access.ts";
import { GatewayError, reservationLost } from "#errors.ts";
import { now } from "#platform/clock.ts";
import { withImpliedSearch } from "#providers/models/implied-search.ts";
import type {
  CachedCall,
  CallKind,
  PlannedCall,
  PricedTarget,
  ProviderOutcome,
  ReceivedCall,
  RoutedCall,
} from "#relay/core/call.ts";
import type { OpenCall, RelayServices } from "#relay/core/services.ts";
import { CallConnection, type HiddenCosts } from "#relay/core/upstream/call-connection.ts";
import { Attempts, type StoredAttempts } from "./attempts.ts";
import {
  brokenStatus,
  type CallCharge,
  contentOf,
  type EndedCall,
  noCharge,
  type PassThroughEnd,
  type ResponseInProgress,
  statusOf,
} from "./call-end.ts";
import { type CallEnding, createCallRecord, termsOf } from "./create-call-record.ts";
import { requirePrice } from "./max-price.ts";
import { keepQuote } from "./quotes.ts";
import { computeOwedUsage } from "./settle.ts";

/**
 * Interval of a call's checkpoints; the first one is written after the same time. Most calls are shorter. A
 * crash loses at most the output of this interval.
 */
export const CHECKPOINT_MS = 5_000;

/**
 * The bill of one call, from its reservation to its log row. Closed exactly once, whatever the number of callers.
 */
export class CallBill implements OpenCall, HiddenCosts {
  readonly attempts: Attempts;
  readonly connection: CallConnection;
  readonly #services: RelayServices;
  readonly #received: ReceivedCall;
  #startedAt: number;
  /** Any node may close the bill. The second one has nothing to write. */
  readonly #isShared: boolean;
  /** Undefined until the call is planned. Names of unknown models are client input and not for statistics. */
  #planned: PlannedCall | undefined = undefined;
  /** The target whose response was read last, or the cached response. */
  #routed: RoutedCall | CachedCall | undefined = undefined;
  #isReserved = false;
  /** The response that is being sent. */
  #response: ResponseInProgress | undefined = undefined;
  /** Service tier named at the start of the response. */
  #reportedTier: string | undefined = undefined;
  #closing: Promise<void> | undefined = undefined;
  /** Marks for the provider's prompt cache that the gateway added to the request. */
  #marks = 0;
  /** Billed tokens, input and output together. */
  #tokens = 0;
  #checkpointAt: number | undefined = undefined;
  /** Identifies the last checkpoint, to skip an identical one. */
  #checkpointed = "";

  constructor(services: RelayServices, received: ReceivedCall, isShared = false) {
    this.#services = services;
    this.#received = received;
    this.#startedAt = received.startedAt;
    this.#isShared = isShared;
    this.attempts = new Attempts(services);
    this.connection = new CallConnection(services, received, this);
  }

  get reportedTier(): string | undefined {
    return this.#reportedTier;
  }

  /** The call was planned, so its model exists for this caller. */
  plan(planned: PlannedCall): void {
    this.#planned = planned;
    const { only } = planned.plan;
    if (only !== undefined) this.route({ planned, target: only, startedAt: now() });
  }

  /**
   * Reserves the most that the planned call can cost. Throws `max_price_exceeded` and the ledger's errors.
   * @param isPatient whether to wait for other calls of the session
   */
  async reserve(planned: PlannedCall, isPatient?: boolean): Promise<void> {
    this.#planned = planned;
    requirePrice(this.#services, planned);
    if (this.#received.books !== "none") {
      const input = this.#reservation(planned);
      await this.#services.ledger.reserve(isPatient === undefined ? input : { ...input, isPatient });
      this.#services.open.set(this.#received.requestId, this);
    }
    this.#isReserved = true;
  }

  /** Changes the reservation. When this fails, there is none any more. Throws the ledger's errors. */
  async raise(planned: PlannedCall): Promise<void> {
    this.#planned = planned;
    requirePrice(this.#services, planned);
    this.#isReserved = false;
    await this.#services.ledger.raise(this.#reservation(planned));
    this.#isReserved = true;
  }

  #reservation({ plan: { worstCase }, sessionShare }: PlannedCall): ReserveInput {
    const { requestId, caller, background, quote } = this.#received;
    return {
      requestId,
      userId: caller.userId,
      tokenId: caller.tokenId,
      amount: worstCase,
      tokenAmount: caller.unlimited ? 0n : worstCase,
      own: background === true || quote !== undefined,
      session: sessionShare,
      derivedKeys: caller.derived && sharesOf(caller.derived, this.#services.settings.current().QuotaPerUnit),
    };
  }

  /** Continues a bill whose reservation another node made. */
  restore(planned: PlannedCall, attempts: StoredAttempts, reportedTier: string | undefined): void {
    this.#planned = planned;
    this.#isReserved = true;
    this.attempts.restore(attempts);
    this.#reportedTier = reportedTier;
    this.#services.open.set(this.#received.requestId, this);
  }

  /** The response for which the bill was reserved begins later than the reservation. */
  beginAt(startedAt: number): void {
    this.#startedAt = startedAt;
  }

  /** The target has the call. Its response may still fail. */
  route(routed: RoutedCall, reportedTier?: string): void {
    this.#routed = routed;
    this.#reportedTier = reportedTier;
  }

  /** Sets how many marks for the provider's prompt cache the gateway added to the request that is answered. */
  setMarks(marks: number): void {
    this.#marks = marks;
  }

  /** The response comes from the cache, or from the gateway itself. */
  serveCached(cached: CachedCall): void {
    this.#planned = cached.planned;
    this.#routed = cached;
  }

  /**
   * The target serves the call.
   * @param refusal for the log, where the provider's error passes to the client
   */
  accept(routed: RoutedCall, refusal?: UpstreamError): void {
    this.#routed = routed;
    this.attempts.receiveByte();
    this.attempts.add(routed, this.connection, refusal);
  }

  /** The response is being sent. From now on the bill has checkpoints. */
  deliver(response: ResponseInProgress): void {
    this.#response ??= response;
  }

  /** Nothing more is delivered. */
  stopDelivery(): void {
    this.#response = undefined;
  }

  #target(): PricedTarget | undefined {
    return this.#routed !== undefined && "target" in this.#routed ? this.#routed.target : undefined;
  }

  #estimate(): Estimate {
    return this.#planned?.plan.estimate ?? this.#received.estimate;
  }

  /** A model that reasons may reason whatever was requested, and its text does not show that. */
  #kind(): CallKind {
    const { kind = "text", needs, model } = this.#received;
    const isChat = needs === "chat" || needs === "responses";
    if (kind !== "text" || !isChat) return kind;
    const name = this.#target()?.upstreamModel ?? this.#planned?.model ?? model;
    return this.#services.reasoners.reasons(name) ? "reasoning" : kind;
  }

  /**
   * Whether only the end of the response shows what the call costs: hidden reasoning, files in the input, the result of what
   * the gateway itself runs, and what a provider stores or continues after its response.
   */
  isHidden(): boolean {
    const isByGateway = this.#routed !== undefined && "byGateway" in this.#routed;
    const kind = this.#kind();
    if (isByGateway || kind === "task" || kind === "storage" || this.#received.background === true)
      return true;
    const { window, audio = 0, image = 0 } = this.#estimate().mostInput ?? {};
    const model = this.#target()?.upstreamModel ?? this.#planned?.model ?? this.#received.model;
    const isDear = image > 0 && imageFactor(model) > 1;
    return window !== undefined || audio > 0 || isDear || kind === "reasoning";
  }

  /**
   * Charges what is owed. Resolves when the charge is committed, or when the ledger will write it after an outage
   * of the database: the response must be delivered then, too. Throws `reservation_lost`, and the ledger's errors.
   */
  settle(ended: EndedCall): Promise<void> {
    return this.#close(() => this.#settle(ended));
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
    this.#checkpointAt ??= this.#startedAt + CHECKPOINT_MS;
    const routed = this.#routed;
    if (at < this.#checkpointAt || this.#closing !== undefined || routed === undefined) return undefined;
    this.#checkpointAt = at + CHECKPOINT_MS;
    // The rest of a response that its client left is read for its usage only: it is not delivered.
    const progress = this.connection.left ? undefined : this.#response?.progress();
    if (progress === undefined) return undefined;
    const due = this.#due({ ...progress, routed, outcome: "interrupted" });
    const tier = JSON.stringify([due?.usage.input, due?.usage.output, String(due?.points)]);
    if (due === undefined || tier === this.#checkpointed) return undefined;
    this.#checkpointed = tier;
    const ending = { outcome: "interrupted", status: brokenStatus.interrupted, errorCode: "" } as const;
    return this.#record(2, ending, due);
  }

  /** @param close returns the record for the statistics, which count each call once */
  #close(close: () => Promise<CallRecord>): Promise<void> {
    this.#closing ??= this.#closeOnce(close);
    return this.#closing;
  }

  async #closeOnce(close: () => Promise<CallRecord>): Promise<void> {
    try {
      this.#count(await close());
    } catch (error) {
      if (!this.#isShared) this.#count(this.#failure(error));
      throw error;
    } finally {
      this.#leave();
      this.#received.used?.(this.#tokens);
    }
  }

  #leave(): void {
    this.connection.close();
    this.#services.open.delete(this.#received.requestId);
  }

  /** Leaves the bill open for any node to close later. The rate limit keeps the estimated tokens. */
  leaveOpen(): void {
    this.#closing ??= Promise.resolve();
    this.#leave();
  }

  /** Counts the ended call and reports it. */
  #count(record: CallRecord): void {
    const { endpoint, modelName, status, outcome, errorCode, firstByteTimeMs } = record;
    const { metrics, modelLabel, reporter } = this.#services;
    metrics.call({
      endpoint,
      model: modelLabel(modelName),
      status,
      outcome,
      errorCode,
      durationMs: now() - this.#startedAt,
      firstByteMs: firstByteTimeMs,
    });
    reporter?.ended({
      received: this.#received,
      record,
      endedAt: now(),
      provider: this.#target()?.channel.provider.id,
      channel: this.#target()?.channel.name,
      attempts: this.attempts.reported(),
    });
  }

  #reportedUsage(reported: Usage | undefined): Usage | undefined {
    const target = this.#target();
    if (reported === undefined || target === undefined) return reported;
    return withImpliedSearch(target.channel.provider, target.upstreamModel, reported);
  }

  /**
   * Returns the tier named by the response. If it broke off before that, bills the dearer tier that was
   * requested.
   */
  #tierOf(reported: Usage | undefined, price: ActivePrice): string | undefined {
    const tier = reported?.tier ?? this.#reportedTier;
    const { tier: requested } = this.#estimate();
    return (
      tier ?? (reported === undefined && requested !== "auto" ? reservedTier(price, requested) : undefined)
    );
  }

  /**
   * A complete response that its client did not wait for was read only for its usage. A call that we cancelled
   * ended for the reason of that.
   */
  #outcomeOf(outcome: ProviderOutcome): ProviderOutcome {
    if (outcome === "complete") return this.connection.left ? "client-left" : outcome;
    return outcome === "client-left" && this.connection.isInterrupted ? "interrupted" : outcome;
  }

  #ending(
    outcome: ProviderOutcome,
    status: number,
    code: ErrorCode = "upstream_failed",
  ): CallEnding & { outcome: ProviderOutcome } {
    if (outcome === "complete") return { outcome, status, errorCode: "" };
    const revoked = this.connection.revoked;
    if (outcome !== "upstream-died" && revoked !== undefined)
      return { outcome, status: revoked.status, errorCode: revoked.code };
    const errorCode = outcome === "upstream-died" ? code : "";
    return { outcome, status: brokenStatus[outcome], errorCode };
  }

  async #settle(ended: EndedCall): Promise<CallRecord> {
    const { routed } = ended;
    this.#routed = routed;
    const outcome = this.#outcomeOf(ended.outcome);
    // What was read to its end for a client that had left is owed like any complete response.
    const due = this.#due(outcome === "interrupted" ? { ...ended, outcome } : ended);
    const ending = this.#ending(outcome, 200, ended.errorCode);
    if (due === undefined) return this.#book(this.#record(5, ending, noCharge));
    const { usage, priced, points } = due;
    if ("target" in routed) {
      this.#tokens = usage.input + usage.output;
      if (ended.outcome === "complete" && ended.reported !== undefined)
        this.#services.reasoners.note(routed.target.upstreamModel, usage, now() - this.#startedAt);
    }
    const record = await this.#book(this.#record(2, ending, due));
    this.#services.metrics.used(usage, points, this.#services.modelLabel(record.modelName));
    this.#received.billed?.({
      usage: priced,
      outcome: ending.outcome,
      terms: termsOf(routed),
      isLimited: routed.planned.plan.outputLimit !== undefined,
    });
    return record;
  }

  /** Returns the amount owed at this end with its bill; undefined when the call costs nothing. */
  #due(ended: EndedCall) {
    const { calls = this.#received.calls, estimate = this.#estimate() } = ended;
    const { price, groupRatio } = termsOf(ended.routed);
    const due = computeOwedUsage({
      kind: this.#kind(),
      isCut: this.connection.isCut,
      hidden: this.#services.reasoners.writtenIn(
        this.#target()?.upstreamModel ?? "",
        (this.attempts.firstTextAt ?? now()) - this.#startedAt,
      ),
      reach: this.connection.reach,
      ended: ended.outcome,
      reported: this.#reportedUsage(ended.reported),
      final: ended.final === true,
      delivered: ended.delivered,
      counted: ended.counted,
      reserved: estimate,
    });
    if (due === undefined) return undefined;
    const { usage, estimated, implausible } = due;
    const tier = this.#tierOf(ended.reported, price);
    const priced = tier === undefined ? usage : { ...usage, tier };
    const computed = computeBill(price, groupRatio, priced, calls);
    const { quote } = this.#received;
    const { points, bill: kept } = quote === undefined ? computed : keepQuote(quote, computed);
    const bill = this.#marks === 0 ? kept : { ...kept, marks: this.#marks };
    return {
      usage,
      estimated,
      priced,
      points,
      bill: implausible === undefined ? bill : { ...bill, implausible },
    };
  }

  /** Books the record and returns it. */
  async #book(record: CallRecord): Promise<CallRecord> {
    if (this.#received.books === "none") return record;
    if ((await this.#services.ledger.settle(record, this.#isShared)) !== "gone") return record;
    const lost = reservationLost();
    if (this.#isShared) throw lost;
    // Nothing was written, so log the call at least.
    this.#services.ledger.logRefused(this.#failure(lost)).catch(() => {});
    throw lost;
  }

  /**
   * Releases the reservation and records the failure; without a reservation, records a refused call. Never
   * throws: the caller has an error to deliver.
   */
  async fail(error: unknown): Promise<void> {
    if (!this.#isReserved) return this.refuse(error);
    await this.#close(async () => {
      const failure = this.#failure(error);
      if (this.#received.books !== "none")
        await this.#services.ledger.settle(failure, this.#isShared).catch(() => {});
      return failure;
    }).catch(() => {});
  }

  /**
   * Records a call without a reservation in the log. The response does not wait for it.
   * @param isModelKnown whether the model exists for this caller
   */
  refuse(error: unknown, isModelKnown = this.#planned !== undefined): void {
    this.#leave();
    // The operator named a disabled model, so its name is not the client's invention.
    const isDisabled = error instanceof GatewayError && error.params["reason"] === "model_disabled";
    const failure = this.#failure(error, isModelKnown || isDisabled);
    this.#count(failure);
    if (this.#received.books !== "none") this.#services.ledger.logRefused(failure).catch(() => {});
    this.#received.used?.(0);
  }

  /** Reports a defect of ours in a response that continues. */
  reportDefect(error: unknown): void {
    this.#services.onError(error);
  }

  #failure(error: unknown, isModelKnown?: boolean): CallRecord {
    const errorCode = error instanceof GatewayError ? error.code : "internal";
    const ending = { outcome: "failed", status: statusOf(error), errorCode } as const;
    return { ...this.#record(5, ending, noCharge, isModelKnown), ...contentOf(error) };
  }

  #record(
    type: CallRecord["type"],
    ending: CallEnding,
    charge: CallCharge,
    isModelKnown = this.#planned !== undefined,
  ): CallRecord {
    return createCallRecord({
      type,
      ending,
      charge,
      isModelKnown,
      received: this.#received,
      startedAt: this.#startedAt,
      planned: this.#planned,
      routed: this.#routed,
      attempts: this.attempts,
    });
  }
}

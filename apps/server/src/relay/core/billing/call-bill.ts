import { formatQuota } from "@gateway/shared/billing/money";
import type { UpstreamError } from "#dialects/ir.ts";
import type { ReserveInput } from "#domain/ledger/batches/operations.ts";
import type { CallRecord } from "#domain/ledger/calls/call-record.ts";
import { sharesOf } from "#domain/tokens/derived-keys/derived-access.ts";
import { GatewayError, reservationLost } from "#errors.ts";
import { now } from "#platform/clock.ts";
import type {
  CachedCall,
  EndedCall,
  PassThroughEnd,
  PlannedCall,
  ReceivedCall,
  ResponseInProgress,
  RoutedCall,
} from "#relay/core/call.ts";
import type { OpenCall, RelayServices } from "#relay/core/services.ts";
import { CallConnection, type CallCosts } from "#relay/core/upstream/call-connection.ts";
import type { DrainExtent } from "#relay/core/upstream/drains.ts";
import { Attempts, type StoredAttempts } from "./attempts.ts";
import { type CallState, computeCharge, drainExtentOf, targetOf, termsOf } from "./compute-charge.ts";
import {
  brokenStatus,
  createCallRecord,
  createFailureRecord,
  endingOf,
  noCharge,
  outcomeFor,
} from "./create-call-record.ts";

/**
 * Interval of a call's checkpoints; the first one is written after the same time. Most calls are shorter. A
 * crash loses at most the output of this interval.
 */
export const CHECKPOINT_MS = 5_000;

/**
 * The bill of one call, from its reservation to its log row. Closed exactly once, whatever the number of callers.
 */
export class CallBill implements OpenCall, CallCosts {
  readonly attempts: Attempts;
  readonly connection: CallConnection;
  readonly #services: RelayServices;
  readonly #received: ReceivedCall;
  readonly #state: CallState;
  /** Any node may close the bill. The second one has nothing to write. */
  readonly #isShared: boolean;
  #isReserved = false;
  /** The response that is being sent. */
  #response: ResponseInProgress | undefined = undefined;
  #closing: Promise<void> | undefined = undefined;
  /** Billed tokens, input and output together. */
  #tokens = 0;
  #checkpointAt: number | undefined = undefined;
  /** Identifies the last checkpoint, to skip an identical one. */
  #checkpointed = "";

  constructor(services: RelayServices, received: ReceivedCall, isShared = false) {
    this.#services = services;
    this.#received = received;
    this.#isShared = isShared;
    this.attempts = new Attempts(services);
    this.connection = new CallConnection(services, received, this);
    this.#state = {
      received,
      attempts: this.attempts,
      connection: this.connection,
      startedAt: received.startedAt,
      planned: undefined,
      routed: undefined,
      reportedTier: undefined,
      marks: 0,
    };
  }

  get reportedTier(): string | undefined {
    return this.#state.reportedTier;
  }

  /** The call was planned, so its model exists for this caller. */
  plan(planned: PlannedCall): void {
    this.#state.planned = planned;
    const { only } = planned.plan;
    if (only !== undefined) this.route({ planned, target: only, startedAt: now() });
  }

  /**
   * Reserves the most that the planned call can cost. Throws `max_price_exceeded` and the ledger's errors.
   * @param waitsForOthers whether to wait for other calls of the session or derived key that have reserved the rest
   */
  async reserve(planned: PlannedCall, waitsForOthers = true): Promise<void> {
    this.#state.planned = planned;
    requirePrice(this.#services, planned);
    if (this.#received.books !== "none") {
      await this.#services.ledger.reserve({ ...this.#reservation(planned), waitsForOthers });
      this.#services.open.set(this.#received.requestId, this);
    }
    this.#isReserved = true;
  }

  /** Changes the reservation. When this fails, there is none any more. Throws the ledger's errors. */
  async raise(planned: PlannedCall): Promise<void> {
    this.#state.planned = planned;
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
    this.#state.planned = planned;
    this.#isReserved = true;
    this.attempts.restore(attempts);
    this.#state.reportedTier = reportedTier;
    this.#services.open.set(this.#received.requestId, this);
  }

  /** The response for which the bill was reserved begins later than the reservation. */
  beginAt(startedAt: number): void {
    this.#state.startedAt = startedAt;
  }

  /** The target has the call. Its response may still fail. */
  route(routed: RoutedCall, reportedTier?: string): void {
    this.#state.routed = routed;
    this.#state.reportedTier = reportedTier;
  }

  /** Sets how many marks for the provider's prompt cache the gateway added to the request that is answered. */
  setMarks(marks: number): void {
    this.#state.marks = marks;
  }

  /** The response comes from the cache, or from the gateway itself. */
  serveCached(cached: CachedCall): void {
    this.#state.planned = cached.planned;
    this.#state.routed = cached;
  }

  /**
   * The target serves the call.
   * @param refusal for the log, where the provider's error passes to the client
   */
  accept(routed: RoutedCall, refusal?: UpstreamError): void {
    this.#state.routed = routed;
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

  /** @see CallCosts */
  drainExtent(): DrainExtent {
    return drainExtentOf(this.#services, this.#state);
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
    const { connection } = this;
    return this.#close(() => {
      const ending = endingOf(connection, outcomeFor(connection, outcome), status);
      const record = createCallRecord(this.#state, { type: 2, ending, charge: noCharge });
      return this.#book(
        content === undefined ? record : { ...record, content: content.text, contentFacts: content.facts },
      );
    });
  }

  /** @see OpenCall */
  checkpoint(at: number): CallRecord | undefined {
    this.#checkpointAt ??= this.#state.startedAt + CHECKPOINT_MS;
    const routed = this.#state.routed;
    if (at < this.#checkpointAt || this.#closing !== undefined || routed === undefined) return undefined;
    this.#checkpointAt = at + CHECKPOINT_MS;
    // The rest of a response that its client left is read for its usage only: it is not delivered.
    const progress = this.connection.left ? undefined : this.#response?.progress();
    if (progress === undefined) return undefined;
    const charge = computeCharge(this.#services, this.#state, {
      ...progress,
      routed,
      outcome: "interrupted",
    });
    const amounts = JSON.stringify([charge?.usage.input, charge?.usage.output, String(charge?.points)]);
    if (charge === undefined || amounts === this.#checkpointed) return undefined;
    this.#checkpointed = amounts;
    const ending = { outcome: "interrupted", status: brokenStatus.interrupted, errorCode: "" } as const;
    return createCallRecord(this.#state, { type: 2, ending, charge });
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
      if (!this.#isShared) this.#count(createFailureRecord(this.#state, error));
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
      durationMs: now() - this.#state.startedAt,
      firstByteMs: firstByteTimeMs,
    });
    reporter?.ended({
      received: this.#received,
      record,
      endedAt: now(),
      provider: targetOf(this.#state)?.channel.provider.id,
      channel: targetOf(this.#state)?.channel.name,
      attempts: this.attempts.reported(),
    });
  }

  async #settle(ended: EndedCall): Promise<CallRecord> {
    const { routed } = ended;
    this.#state.routed = routed;
    const outcome = outcomeFor(this.connection, ended.outcome);
    const ending = endingOf(this.connection, outcome, 200, ended.errorCode);
    // What was read to its end for a client that had left is owed like any complete response.
    const owed = outcome === "interrupted" ? { ...ended, outcome } : ended;
    const charge = computeCharge(this.#services, this.#state, owed);
    if (charge === undefined)
      return this.#book(createCallRecord(this.#state, { type: 5, ending, charge: noCharge }));
    const { usage, priced, points } = charge;
    if ("target" in routed) {
      this.#tokens = usage.input + usage.output;
      if (ended.outcome === "complete" && ended.reported !== undefined)
        this.#services.reasoners.note(routed.target.upstreamModel, usage, now() - this.#state.startedAt);
    }
    const record = await this.#book(createCallRecord(this.#state, { type: 2, ending, charge }));
    this.#services.metrics.used(usage, points, this.#services.modelLabel(record.modelName));
    this.#received.billed?.({
      usage: priced,
      outcome: ending.outcome,
      terms: termsOf(routed),
      isLimited: routed.planned.plan.outputLimit !== undefined,
    });
    return record;
  }

  /** Books the record and returns it. */
  async #book(record: CallRecord): Promise<CallRecord> {
    if (this.#received.books === "none") return record;
    if ((await this.#services.ledger.settle(record, this.#isShared)) !== "gone") return record;
    const lost = reservationLost();
    if (this.#isShared) throw lost;
    // Nothing was written, so log the call at least.
    this.#services.ledger.logRefused(createFailureRecord(this.#state, lost)).catch(() => {});
    throw lost;
  }

  /**
   * Releases the reservation and records the failure; without a reservation, records a refused call. Never
   * throws: the caller has an error to deliver.
   */
  async fail(error: unknown): Promise<void> {
    if (!this.#isReserved) return this.refuse(error);
    await this.#close(async () => {
      const failure = createFailureRecord(this.#state, error);
      if (this.#received.books !== "none")
        await this.#services.ledger.settle(failure, this.#isShared).catch(() => {});
      return failure;
    }).catch(() => {});
  }

  /**
   * Records a call without a reservation in the log. The response does not wait for it.
   * @param isModelKnown whether the model exists for this caller
   */
  refuse(error: unknown, isModelKnown = this.#state.planned !== undefined): void {
    this.#leave();
    // The operator named a disabled model, so its name is not the client's invention.
    const isDisabled = error instanceof GatewayError && error.params["reason"] === "model_disabled";
    const failure = createFailureRecord(this.#state, error, isModelKnown || isDisabled);
    this.#count(failure);
    if (this.#received.books !== "none") this.#services.ledger.logRefused(failure).catch(() => {});
    this.#received.used?.(0);
  }

  /** Reports an error that no client receives: its response continues, or it has left. */
  report(error: unknown): void {
    this.#services.onError(error);
  }
}

/**
 * Throws `max_price_exceeded` for a call that can cost more than its client allows. The amount is the one that is
 * reserved: there is no other rule for the most that a call can cost.
 */
function requirePrice(
  { settings }: Pick<RelayServices, "settings">,
  { received: { maxPrice, books = "charge" }, plan: { worstCase } }: PlannedCall,
): void {
  if (maxPrice === undefined || books !== "charge" || worstCase <= maxPrice) return;
  const { QuotaPerUnit: pointsPerUsd } = settings.current();
  const dollars = (points: bigint) =>
    formatQuota(Number(points), { inCurrency: true, digits: 6, pointsPerUsd });
  throw new GatewayError("max_price_exceeded", {
    reason: "price_above_maximum",
    price: dollars(worstCase),
    limit: dollars(maxPrice),
  });
}

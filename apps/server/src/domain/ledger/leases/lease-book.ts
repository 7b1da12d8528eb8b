import { randomUUID } from "node:crypto";
import {
  type KeyState,
  type Lease,
  type LeaseRequest,
  type LeaseSelector,
  type LedgerOperation,
  payerOf,
  type ReservedCall,
  type ReserveInput,
} from "#domain/ledger/batches/operations.ts";

export interface LeaseTotals {
  leases: number;
  points: bigint;
  /** The part of `points` that open calls have reserved. */
  reserved: bigint;
}

export interface LeaseBookOptions {
  /** Idle time after which a lease is given back, in milliseconds. 0 disables leases. */
  idleMs: number;
  /** Calls within the idle time before a key gets a lease. A lease costs two statements. */
  callsBefore: number;
  now(): number;
}

/**
 * Spare calls in a lease. The target is twice the open points plus these; it is topped up below half of them. A
 * key that uses them up within a second gets more, because nodes that top up compete for the account's row.
 */
const spareLimits = { least: 16, most: 4_096 };
const growth = 4;
const quickTopUpMs = 1_000;
const slowTopUpMs = 4_000;
/** Charges that are older are booked by the next batch of the lease. */
const bookWithinMs = 2_000;
/** Time without new leases after a recall, because others need the points. */
const recalledMs = 2_000;
/** Time without new leases after a refused lease. */
const deniedMs = 500;

/**
 * In-memory record of this node's leases and of what its open calls have reserved in them. Changes take
 * effect immediately; the ledger's batches write them to the database. It must not contain SQL.
 */
export class LeaseBook {
  readonly #options: LeaseBookOptions;
  readonly #keys = new Map<number, KeyState>();
  readonly #users = new Map<number, Set<KeyState>>();
  readonly #leases = new Map<string, Lease>();

  constructor(options: LeaseBookOptions) {
    this.#options = options;
  }

  /**
   * Registers a call that begins, in a lease if one covers it; otherwise it needs a reservation of its own.
   */
  beginCall(input: ReserveInput, mayLease: boolean): ReservedCall {
    const key = this.#keyOf(input);
    const { amount } = input;
    const lease = mayLease ? this.#coveringLease(key, input) : undefined;
    key.open += amount;
    key.openCalls += 1;
    key.usedAt = this.#options.now();
    key.calls += 1;
    if (amount > 0n) {
      key.lastAmount = amount;
      key.limited = input.tokenAmount > 0n;
    }
    if (lease !== undefined) lease.reserved += amount;
    return {
      key,
      amount,
      lease,
      inSession: input.session !== undefined,
      isSplitting: false,
      isEnding: false,
      hasEnded: false,
    };
  }

  /**
   * Changes the reserved amount of an open call.
   * Returns false, without a change, if its lease does not cover it.
   */
  changeAmount(call: ReservedCall, amount: bigint): boolean {
    const { lease, key } = call;
    const more = amount - call.amount;
    if (lease === undefined || lease.isClosing || lease.isUncertain) return false;
    if (lease.points - lease.reserved < more) return false;
    lease.reserved += more;
    key.open += more;
    key.lastAmount = amount;
    call.amount = amount;
    return true;
  }

  /** Reserves more for a call that cost more than its estimate, up to what its lease has left. */
  extendAmount(call: ReservedCall, charge: bigint): void {
    const { lease, key } = call;
    const over = charge - call.amount;
    if (lease === undefined || over <= 0n || lease.isUncertain) return;
    const free = lease.points - lease.reserved;
    // The unneeded points of a closed lease are already being given back.
    const more = lease.isClosing ? 0n : over < free ? over : free;
    lease.reserved += more;
    key.open += more;
    call.amount += more;
  }

  /** Removes a call from its lease after it got a reservation of its own. */
  detachCall(call: ReservedCall): void {
    const { lease, amount, hasEnded } = call;
    if (lease !== undefined && !hasEnded) lease.reserved -= amount;
    call.lease = undefined;
    call.isSplitting = false;
  }

  /**
   * Ends a call.
   * @param clear false when the outcome in the database is unknown: its lease is then given back
   */
  endCall(call: ReservedCall, clear: boolean): void {
    if (call.hasEnded) return;
    call.hasEnded = true;
    const { key, lease, amount } = call;
    key.open -= amount;
    key.openCalls -= 1;
    key.usedAt = this.#options.now();
    if (lease === undefined) return;
    lease.reserved -= amount;
    if (!clear) this.closeLease(lease);
  }

  /** Returns the leases that a batch of these operations changes, in the order of the batch's results. */
  requestsFor(operations: readonly LedgerOperation[]): { leases: Lease[]; requests: LeaseRequest[] } {
    const found = new Map<Lease, bigint>();
    for (const operation of operations) {
      if (operation.kind === "return") {
        const lease = this.#leases.get(operation.lease.id);
        if (lease !== undefined && !found.has(lease)) found.set(lease, 0n);
        continue;
      }
      if (operation.kind === "checkpoint") continue;
      const { userId, tokenId } = payerOf(operation);
      const key = this.#keys.get(tokenId === 0 ? -userId : tokenId);
      const call = operation.kind === "settle" ? operation.call : undefined;
      if (call?.lease !== undefined) found.set(call.lease, (found.get(call.lease) ?? 0n) + call.amount);
      const refillable = key?.userId === userId ? this.#leaseOf(key) : undefined;
      if (refillable !== undefined && !found.has(refillable)) found.set(refillable, 0n);
    }
    const involved = [...found.keys()];
    return {
      leases: involved,
      requests: involved.map((lease) => this.#requestOf(lease, found.get(lease) ?? 0n)),
    };
  }

  /** Sets a lease's version and points after a batch was committed. */
  confirmLease(lease: Lease, version: number, points: bigint): void {
    lease.version = version;
    lease.points = points;
    lease.isUncertain = false;
  }

  /** Notes that the charges of a lease were booked. */
  markBooked(id: string): void {
    const lease = this.#leases.get(id);
    if (lease !== undefined) lease.unbookedSince = undefined;
  }

  /** Removes a lease that does not exist in the database. */
  removeLease(lease: Lease): void {
    this.#leases.delete(lease.id);
    const key = this.#keys.get(lease.tokenId === 0 ? -lease.userId : lease.tokenId);
    if (key?.lease === lease) {
      key.lease = undefined;
      key.noLeaseBefore = Math.max(key.noLeaseBefore, this.#options.now() + deniedMs);
    }
  }

  /** Closes this lease to new calls, because its key is no longer eligible for leases. */
  closeLease(lease: Lease): void {
    lease.isClosing = true;
    const key = this.#keys.get(lease.tokenId === 0 ? -lease.userId : lease.tokenId);
    // The rest of its points is given back with its last call. Later calls may get another lease.
    if (key?.lease === lease) key.lease = undefined;
  }

  /** Closes leases to new calls, and delays new leases for a while. */
  closeLeases(of: LeaseSelector): Lease[] {
    const closed: Lease[] = [];
    for (const key of this.#keysOf(of)) {
      key.noLeaseBefore = this.#options.now() + recalledMs;
      if (key.lease === undefined) continue;
      closed.push(key.lease);
      this.closeLease(key.lease);
    }
    return closed;
  }

  /** Returns leases to give back: those unused for a while, and closed ones. */
  leasesToReturn(): Lease[] {
    const before = this.#options.now() - this.#options.idleMs;
    for (const key of this.#keys.values()) {
      if (key.openCalls > 0 || key.usedAt > before) continue;
      if (key.lease !== undefined) this.closeLease(key.lease);
      this.#removeKey(key);
    }
    return [...this.#leases.values()].filter(
      (lease) => lease.isClosing && !lease.isReturning && lease.reserved === 0n,
    );
  }

  /** Returns the number of leases, and their points together. */
  totals(): LeaseTotals {
    let points = 0n;
    let reserved = 0n;
    for (const lease of this.#leases.values()) {
      points += lease.points;
      reserved += lease.reserved;
    }
    return { leases: this.#leases.size, points, reserved };
  }

  has(id: string): boolean {
    return this.#leases.has(id);
  }

  #keyOf({ userId, tokenId }: ReserveInput): KeyState {
    // Tokens use their id as the key; users without a token use their negated user id.
    const id = tokenId === 0 ? -userId : tokenId;
    const known = this.#keys.get(id);
    if (known !== undefined && known.userId === userId) return known;
    const usedAt = this.#options.now();
    const counts = {
      open: 0n,
      openCalls: 0,
      lastAmount: 0n,
      limited: false,
      usedAt,
      calls: 0,
      noLeaseBefore: 0,
    };
    const size = { spareCalls: spareLimits.least, refilledAt: usedAt };
    const key: KeyState = { id, userId, tokenId, lease: undefined, ...counts, ...size };
    this.#keys.set(id, key);
    this.#users.set(userId, (this.#users.get(userId) ?? new Set()).add(key));
    return key;
  }

  #removeKey(key: KeyState): void {
    if (this.#keys.get(key.id) === key) this.#keys.delete(key.id);
    const beside = this.#users.get(key.userId);
    beside?.delete(key);
    if (beside?.size === 0) this.#users.delete(key.userId);
  }

  #coveringLease(key: KeyState, { amount, tokenAmount }: ReserveInput): Lease | undefined {
    const { lease } = key;
    if (lease === undefined || lease.isClosing || lease.isUncertain || lease.version === 0) return undefined;
    if (amount > 0n && (lease.limited !== tokenAmount > 0n || (lease.limited && tokenAmount !== amount)))
      return undefined;
    return lease.points - lease.reserved >= amount ? lease : undefined;
  }

  /** Returns the key's lease; creates one if the key is used often enough. */
  #leaseOf(key: KeyState): Lease | undefined {
    if (key.lease !== undefined) return key.lease;
    if (
      this.#options.idleMs === 0 ||
      key.calls < this.#options.callsBefore ||
      this.#options.now() < key.noLeaseBefore
    )
      return undefined;
    const { userId, tokenId, limited } = key;
    const state = {
      version: 0,
      points: 0n,
      reserved: 0n,
      isClosing: false,
      isUncertain: false,
      isReturning: false,
      unbookedSince: undefined,
    };
    const lease: Lease = { id: `lease-${randomUUID()}`, userId, tokenId, limited, ...state };
    key.lease = lease;
    this.#leases.set(lease.id, lease);
    return lease;
  }

  #keysOf(of: LeaseSelector): Iterable<KeyState> {
    if (of === "all") return this.#keys.values();
    if ("userId" in of) return this.#users.get(of.userId) ?? [];
    const key = this.#keys.get(of.tokenId);
    return key === undefined ? [] : [key];
  }

  /** Adapts the size of the next top-up to the time since the last one. */
  #resize(key: KeyState): void {
    const passed = this.#options.now() - key.refilledAt;
    if (passed < quickTopUpMs) key.spareCalls = Math.min(spareLimits.most, key.spareCalls * growth);
    else if (passed > slowTopUpMs) key.spareCalls = Math.max(spareLimits.least, key.spareCalls / 2);
    key.refilledAt = this.#options.now();
  }

  #requestOf(lease: Lease, ending: bigint): LeaseRequest {
    const key = this.#keys.get(lease.tokenId === 0 ? -lease.userId : lease.tokenId);
    const [open, last] = [key?.open ?? 0n, key?.lastAmount ?? 0n];
    const isLow = !isEnough(lease, open, last, key?.spareCalls ?? spareLimits.least);
    if (isLow && key !== undefined && lease.version > 0) this.#resize(key);
    const refilled = 2n * open + BigInt(key?.spareCalls ?? spareLimits.least) * last;
    const isDue =
      lease.unbookedSince !== undefined && this.#options.now() - lease.unbookedSince > bookWithinMs;
    if (isLow || isDue || lease.isClosing) lease.unbookedSince = undefined;
    else lease.unbookedSince ??= this.#options.now();
    return {
      id: lease.id,
      version: lease.version,
      user_id: lease.userId,
      token_id: lease.tokenId,
      limited: lease.limited,
      keep: lease.isClosing ? String(lease.reserved - ending) : null,
      target: isLow ? String(refilled) : isDue ? "0" : null,
      smallest: String(last),
    };
  }
}

function isEnough(lease: Lease, open: bigint, last: bigint, spare: number): boolean {
  return lease.version > 0 && lease.points >= open + BigInt(spare / 2) * last;
}

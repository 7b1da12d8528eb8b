import { randomUUID } from "node:crypto";
import type { Key, Lease, LeaseOwner, Place, ReserveInput, Step } from "#domain/ledger/batches/steps.ts";
import type { LeaseRequest } from "./lease-statements.ts";

/**
 * In-memory record of this node's leases and of what its open calls have reserved in them. Changes take
 * effect immediately; the ledger's batches write them to the database. It must not contain SQL.
 */
export interface LeaseBook {
  /**
   * Registers a call that begins, in a lease if one covers it; otherwise it needs a reservation of its own.
   */
  enter(input: ReserveInput, mayLease: boolean): Place;
  /**
   * Changes the reserved amount of an open call.
   * Returns false, without a change, if its lease does not cover it.
   */
  change(place: Place, amount: bigint): boolean;
  /** Reserves more for a call that cost more than its estimate, up to what its lease has left. */
  stretch(place: Place, charge: bigint): void;
  /** Removes a call from its lease after it got a reservation of its own. */
  detach(place: Place): void;
  /**
   * Ends a call.
   * @param clear false when the outcome in the database is unknown: its lease is then given back
   */
  leave(place: Place, clear: boolean): void;
  /** Returns the leases that a batch of these steps changes, in the order of the batch's results. */
  involved(steps: readonly Step[]): { leases: Lease[]; requests: LeaseRequest[] };
  /** Sets a lease's version and points after a batch was committed. */
  confirm(lease: Lease, version: number, points: bigint): void;
  /** Notes that the charges of a lease were booked. */
  booked(id: string): void;
  /** Removes a lease that does not exist in the database. */
  drop(lease: Lease): void;
  /** Closes this lease to new calls, because its key is no longer eligible for leases. */
  retire(lease: Lease): void;
  /** Closes leases to new calls, and delays new leases for a while. */
  close(of: LeaseOwner): Lease[];
  /** Returns leases to give back: those unused for a while, and closed ones. */
  idle(): Lease[];
  has(id: string): boolean;
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
const sparePlaces = { least: 16, most: 4_096 };
const growth = 4;
const quickTopUpMs = 1_000;
const slowTopUpMs = 4_000;
/** Charges that are older are booked by the next batch of the lease. */
const bookWithinMs = 2_000;
/** Time without new leases after a recall, because others need the points. */
const recalledMs = 2_000;
/** Time without new leases after a refused lease. */
const deniedMs = 500;

export function createLeaseBook({ idleMs, callsBefore, now }: LeaseBookOptions): LeaseBook {
  const keys = new Map<number, Key>();
  const users = new Map<number, Set<Key>>();
  const leases = new Map<string, Lease>();

  function keyOf({ userId, tokenId }: ReserveInput): Key {
    // Tokens use their id as the key; users without a token use their negated user id.
    const id = tokenId === 0 ? -userId : tokenId;
    const known = keys.get(id);
    if (known !== undefined && known.userId === userId) return known;
    const usedAt = now();
    const counts = { open: 0n, openCalls: 0, last: 0n, limited: false, usedAt, calls: 0, notBefore: 0 };
    const size = { spare: sparePlaces.least, toppedAt: usedAt };
    const key: Key = { id, userId, tokenId, lease: undefined, ...counts, ...size };
    keys.set(id, key);
    users.set(userId, (users.get(userId) ?? new Set()).add(key));
    return key;
  }

  function forget(key: Key): void {
    if (keys.get(key.id) === key) keys.delete(key.id);
    const beside = users.get(key.userId);
    beside?.delete(key);
    if (beside?.size === 0) users.delete(key.userId);
  }

  function fits(key: Key, { amount, tokenAmount }: ReserveInput): Lease | undefined {
    const { lease } = key;
    if (lease === undefined || lease.closing || lease.unsure || lease.version === 0) return undefined;
    if (amount > 0n && (lease.limited !== tokenAmount > 0n || (lease.limited && tokenAmount !== amount)))
      return undefined;
    return lease.points - lease.reserved >= amount ? lease : undefined;
  }

  /** Returns the key's lease; creates one if the key is used often enough. */
  function wanted(key: Key): Lease | undefined {
    if (key.lease !== undefined) return key.lease;
    if (idleMs === 0 || key.calls < callsBefore || now() < key.notBefore) return undefined;
    const { userId, tokenId, limited } = key;
    const state = {
      version: 0,
      points: 0n,
      reserved: 0n,
      closing: false,
      unsure: false,
      giving: false,
      unbookedSince: undefined,
    };
    const lease: Lease = { id: `lease-${randomUUID()}`, userId, tokenId, limited, ...state };
    key.lease = lease;
    leases.set(lease.id, lease);
    return lease;
  }

  function drop(lease: Lease): void {
    leases.delete(lease.id);
    const key = keys.get(lease.tokenId === 0 ? -lease.userId : lease.tokenId);
    if (key?.lease === lease) {
      key.lease = undefined;
      key.notBefore = Math.max(key.notBefore, now() + deniedMs);
    }
  }

  function close(lease: Lease): void {
    lease.closing = true;
    const key = keys.get(lease.tokenId === 0 ? -lease.userId : lease.tokenId);
    // The rest of its points is given back with its last call. Later calls may get another lease.
    if (key?.lease === lease) key.lease = undefined;
  }

  function chosen(of: LeaseOwner): Iterable<Key> {
    if (of === "all") return keys.values();
    if ("userId" in of) return users.get(of.userId) ?? [];
    const key = keys.get(of.tokenId);
    return key === undefined ? [] : [key];
  }

  return {
    enter(input, mayLease) {
      const key = keyOf(input);
      const { amount } = input;
      const lease = mayLease ? fits(key, input) : undefined;
      key.open += amount;
      key.openCalls += 1;
      key.usedAt = now();
      key.calls += 1;
      if (amount > 0n) {
        key.last = amount;
        key.limited = input.tokenAmount > 0n;
      }
      if (lease !== undefined) lease.reserved += amount;
      return {
        key,
        amount,
        lease,
        inSession: input.session !== undefined,
        splitting: false,
        ending: false,
        left: false,
      };
    },

    change(place, amount) {
      const { lease, key } = place;
      const more = amount - place.amount;
      if (lease === undefined || lease.closing || lease.unsure) return false;
      if (lease.points - lease.reserved < more) return false;
      lease.reserved += more;
      key.open += more;
      key.last = amount;
      place.amount = amount;
      return true;
    },

    stretch(place, charge) {
      const { lease, key } = place;
      const over = charge - place.amount;
      if (lease === undefined || over <= 0n || lease.unsure) return;
      const free = lease.points - lease.reserved;
      // The unneeded points of a closed lease are already being given back.
      const more = lease.closing ? 0n : over < free ? over : free;
      lease.reserved += more;
      key.open += more;
      place.amount += more;
    },

    detach(place) {
      const { lease, amount, left } = place;
      if (lease !== undefined && !left) lease.reserved -= amount;
      place.lease = undefined;
      place.splitting = false;
    },

    leave(place, clear) {
      if (place.left) return;
      place.left = true;
      const { key, lease, amount } = place;
      key.open -= amount;
      key.openCalls -= 1;
      key.usedAt = now();
      if (lease === undefined) return;
      lease.reserved -= amount;
      if (!clear) close(lease);
    },

    involved(steps) {
      const found = new Map<Lease, bigint>();
      for (const step of steps) {
        if (step.give !== undefined) {
          const lease = leases.get(step.give.id);
          if (lease !== undefined && !found.has(lease)) found.set(lease, 0n);
          continue;
        }
        if (step.mark !== undefined) continue;
        const { userId, tokenId } = step.begin ?? step.end;
        const key = keys.get(tokenId === 0 ? -userId : tokenId);
        const place = step.end === undefined ? undefined : step.place;
        if (place?.lease !== undefined) found.set(place.lease, (found.get(place.lease) ?? 0n) + place.amount);
        const topped = key?.userId === userId ? wanted(key) : undefined;
        if (topped !== undefined && !found.has(topped)) found.set(topped, 0n);
      }
      const involved = [...found.keys()];
      return {
        leases: involved,
        requests: involved.map((lease) => requestOf(lease, found.get(lease) ?? 0n)),
      };
    },

    confirm(lease, version, points) {
      lease.version = version;
      lease.points = points;
      lease.unsure = false;
    },

    booked(id) {
      const lease = leases.get(id);
      if (lease !== undefined) lease.unbookedSince = undefined;
    },

    drop,

    retire: close,

    close(of) {
      const closed: Lease[] = [];
      for (const key of chosen(of)) {
        key.notBefore = now() + recalledMs;
        if (key.lease === undefined) continue;
        closed.push(key.lease);
        close(key.lease);
      }
      return closed;
    },

    idle() {
      const before = now() - idleMs;
      for (const key of keys.values()) {
        if (key.openCalls > 0 || key.usedAt > before) continue;
        if (key.lease !== undefined) close(key.lease);
        forget(key);
      }
      return [...leases.values()].filter((lease) => lease.closing && !lease.giving && lease.reserved === 0n);
    },

    has: (id) => leases.has(id),
  };

  /** Adapts the size of the next top-up to the time since the last one. */
  function resize(key: Key): void {
    const passed = now() - key.toppedAt;
    if (passed < quickTopUpMs) key.spare = Math.min(sparePlaces.most, key.spare * growth);
    else if (passed > slowTopUpMs) key.spare = Math.max(sparePlaces.least, key.spare / 2);
    key.toppedAt = now();
  }

  function requestOf(lease: Lease, ending: bigint): LeaseRequest {
    const key = keys.get(lease.tokenId === 0 ? -lease.userId : lease.tokenId);
    const [open, last] = [key?.open ?? 0n, key?.last ?? 0n];
    const isLow = !isEnough(lease, open, last, key?.spare ?? sparePlaces.least);
    if (isLow && key !== undefined && lease.version > 0) resize(key);
    const refilled = 2n * open + BigInt(key?.spare ?? sparePlaces.least) * last;
    const isDue = lease.unbookedSince !== undefined && now() - lease.unbookedSince > bookWithinMs;
    if (isLow || isDue || lease.closing) lease.unbookedSince = undefined;
    else lease.unbookedSince ??= now();
    return {
      id: lease.id,
      version: lease.version,
      user_id: lease.userId,
      token_id: lease.tokenId,
      limited: lease.limited,
      keep: lease.closing ? String(lease.reserved - ending) : null,
      target: isLow ? String(refilled) : isDue ? "0" : null,
      smallest: String(last),
    };
  }
}

function isEnough(lease: Lease, open: bigint, last: bigint, spare: number): boolean {
  return lease.version > 0 && lease.points >= open + BigInt(spare / 2) * last;
}

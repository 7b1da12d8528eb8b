import { randomUUID } from "node:crypto";
import type { LeaseRequest } from "./lease-statements.ts";
import type { Key, Lease, LeaseOwner, Place, ReserveInput, Step } from "./steps.ts";

/**
 * What this node has leased, and what its open calls have reserved of it. Everything here is in memory and takes effect
 * at once; the batches of the ledger carry it to the database. It must not know SQL.
 */
export interface LeaseBook {
  /** Notes a call that begins, in a lease when one covers it; else it needs a reservation of its own. */
  enter(input: ReserveInput, mayLease: boolean): Place;
  /** Reserves another amount for an open call. False when its lease does not cover it: then nothing has changed. */
  change(place: Place, amount: bigint): boolean;
  /** Reserves more for a call that cost more than its estimate, as far as its lease goes. */
  stretch(place: Place, charge: bigint): void;
  /** The call has a reservation of its own now: what it had reserved is not the lease's any more. */
  detach(place: Place): void;
  /**
   * A call has ended.
   * @param clear false when it is not known what the database made of it: its lease is then given back
   */
  leave(place: Place, clear: boolean): void;
  /** The leases that a batch of these steps changes, in the order of its answers. */
  involved(steps: readonly Step[]): { leases: Lease[]; requests: LeaseRequest[] };
  /** A batch was committed: the lease has so many points. */
  confirm(lease: Lease, version: number, points: bigint): void;
  /** The lease does not exist, or not any more. */
  drop(lease: Lease): void;
  /** No more calls begin in this lease: its key may have none any more. */
  retire(lease: Lease): void;
  /** From now on no call begins in these leases, and for a while there are no new ones. */
  close(of: LeaseOwner): Lease[];
  /** Leases that no call has used for a while, and those that were closed. All of them are to be given back. */
  idle(): Lease[];
  has(id: string): boolean;
}

export interface LeaseBookOptions {
  /** A lease that no call has used for so long is given back; 0: there are no leases. Milliseconds. */
  idleMs: number;
  /** A key that calls less often within the idle time is not worth a lease, which costs two statements. */
  callsBefore: number;
  now(): number;
}

/** A lease is topped up to twice what is under way and so many calls more, when it has less than half of these left. */
const sparePlaces = 16n;
/** After a recall others need the points: no new lease for so long. */
const recalledMs = 2_000;
/** After a refused lease. */
const deniedMs = 500;

export function createLeaseBook({ idleMs, callsBefore, now }: LeaseBookOptions): LeaseBook {
  const keys = new Map<number, Key>();
  const users = new Map<number, Set<Key>>();
  const leases = new Map<string, Lease>();

  function keyOf({ userId, tokenId }: ReserveInput): Key {
    // Ids of tokens and of users without one share the map.
    const id = tokenId === 0 ? -userId : tokenId;
    const known = keys.get(id);
    if (known !== undefined && known.userId === userId) return known;
    const usedAt = now();
    const counts = { open: 0n, openCalls: 0, last: 0n, limited: false, usedAt, calls: 0, notBefore: 0 };
    const key: Key = { id, userId, tokenId, lease: undefined, ...counts };
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

  /** A lease for the next calls of this key, when it is used often enough. */
  function wanted(key: Key): Lease | undefined {
    if (key.lease !== undefined) return key.lease;
    if (idleMs === 0 || key.calls < callsBefore || now() < key.notBefore) return undefined;
    const { userId, tokenId, limited } = key;
    const state = { version: 0, points: 0n, reserved: 0n, closing: false, unsure: false, giving: false };
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
    // What is left of it goes back with its last call; the next calls may have another one.
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
      return { key, amount, lease, splitting: false, ending: false, left: false };
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
      // What a closed lease does not need is on its way back.
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

  function requestOf(lease: Lease, ending: bigint): LeaseRequest {
    const key = keys.get(lease.tokenId === 0 ? -lease.userId : lease.tokenId);
    const [open, last] = [key?.open ?? 0n, key?.last ?? 0n];
    return {
      id: lease.id,
      version: lease.version,
      user_id: lease.userId,
      token_id: lease.tokenId,
      limited: lease.limited,
      keep: lease.closing ? String(lease.reserved - ending) : null,
      target: isEnough(lease, open, last) ? null : String(2n * open + sparePlaces * last),
      smallest: String(last),
    };
  }
}

function isEnough(lease: Lease, open: bigint, last: bigint): boolean {
  return lease.version > 0 && lease.points >= open + (sparePlaces / 2n) * last;
}

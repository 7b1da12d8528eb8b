import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { callOf } from "#domain/ledger/accounts.fixture.ts";
import type { LeaseRequest } from "#domain/ledger/batches/operations.ts";
import { LeaseBook } from "./lease-book.ts";

let time: number;
let book: LeaseBook;
const account = { userId: 1, tokenId: 2 };

beforeEach(() => {
  time = 0;
  book = new LeaseBook({ idleMs: 60_000, callsBefore: 1, now: () => time });
});

/** Makes a call, and commits the batch that ends it. Returns what the batch requested for the lease. */
function call(cost: bigint): LeaseRequest | undefined {
  const reserved = { requestId: randomUUID(), ...account, amount: 10n, tokenAmount: 0n };
  const call = book.beginCall(reserved, true);
  call.isEnding = true;
  const { leases, requests } = book.requestsFor([{ kind: "settle", record: callOf(reserved, cost), call }]);
  const [lease, request] = [leases[0], requests[0]];
  if (lease !== undefined && request !== undefined) {
    const points = call.lease === undefined ? lease.points : lease.points - cost;
    const target = BigInt(request.target ?? 0);
    book.confirmLease(lease, request.version + 1, points > target ? points : target);
  }
  book.endCall(call, true);
  return request;
}

describe("the size of a lease", () => {
  const sizes = (calls: number, pauseMs: number) => {
    const targets: bigint[] = [];
    for (let made = 0; made < calls; made += 1) {
      const target = call(10n)?.target;
      if (target !== null && target !== undefined) targets.push(BigInt(target));
      time += pauseMs;
    }
    return targets;
  };

  it("grows while a key uses it up within a second, up to a limit, and shrinks again", () => {
    const quick = sizes(30_000, 0.01);
    expect(quick.slice(0, 3)).toEqual([180n, 660n, 2_580n]);
    expect(quick.at(-1)).toBe(40_980n);
    const refills = quick.length;
    expect(refills).toBeLessThan(30);
    const slow = sizes(20_000, 10).filter((target) => target > 0n);
    expect(slow.at(-1)).toBeLessThan(20_480n);
  });

  it("stays small for a key that is used slowly", () => {
    expect(new Set(sizes(200, 600))).toEqual(new Set([180n, 0n]));
  });
});

describe("charges in a lease", () => {
  it("are booked by the next batch when they stay unbooked for more than two seconds", () => {
    call(0n);
    const id = call(1n)?.id ?? "";
    expect(call(1n)).toMatchObject({ id, target: null });
    time = 1_900;
    expect(call(1n)?.target).toBeNull();
    time = 2_100;
    expect(call(1n)).toMatchObject({ target: "0", keep: null });
    expect(call(1n)?.target).toBeNull();
    time = 3_900;
    book.markBooked(id);
    time = 10_000;
    expect(call(1n)?.target).toBeNull();
    time = 12_100;
    expect(call(1n)?.target).toBe("0");
  });
});

import { describe, expect, it } from "vitest";
import { createMemoryBudget, defaultMemoryBudget } from "./memory-budget.ts";

const quick = { timeoutMs: 30 };

async function settled(promise: Promise<unknown>): Promise<boolean> {
  let done = false;
  promise.then(
    () => (done = true),
    () => (done = true),
  );
  await new Promise((resolve) => setImmediate(resolve));
  return done;
}

describe("memory budget", () => {
  it("grants at once what fits and counts what is given back", async () => {
    const budget = createMemoryBudget(100);
    const one = await budget.acquire(40, { owner: "a", ...quick });
    await one.add(10);
    expect([budget.used, one.bytes]).toEqual([50, 50]);
    one.giveBack(20);
    expect(budget.used).toBe(30);
    one.release();
    one.release();
    expect([budget.used, one.bytes]).toEqual([0, 0]);
  });

  it("makes requests wait in order and lets none overtake a larger one", async () => {
    const budget = createMemoryBudget(100);
    const first = await budget.acquire(80, { owner: "a" });
    const large = budget.acquire(90, { owner: "b", timeoutMs: 5_000 });
    const small = budget.acquire(10, { owner: "c", timeoutMs: 5_000 });
    expect([await settled(large), await settled(small)]).toEqual([false, false]);
    first.release();
    expect((await large).bytes).toBe(90);
    expect((await small).bytes).toBe(10);
  });

  it("rejects with 503, the reason and Retry-After when the wait is over", async () => {
    const budget = createMemoryBudget(100);
    await budget.acquire(100, { owner: "a" });
    await expect(budget.acquire(1, { owner: "b", ...quick })).rejects.toMatchObject({
      code: "overloaded",
      status: 503,
      retryAfter: 2,
      message: expect.stringContaining("memory"),
    });
    expect(budget.used).toBe(100);
  });

  it("keeps a part for others when one owner uses its share", async () => {
    const budget = createMemoryBudget(100);
    const own = [await budget.acquire(25, { owner: "a" }), await budget.acquire(25, { owner: "a" })];
    const third = budget.acquire(25, { owner: "a", timeoutMs: 5_000 });
    expect(await settled(third)).toBe(false);
    expect((await budget.acquire(50, { owner: "b", ...quick })).bytes).toBe(50);
    own[0]?.release();
    expect((await third).bytes).toBe(25);
  });

  it("grants a request above the capacity when nothing else is in use", async () => {
    const budget = createMemoryBudget(100);
    const only = await budget.acquire(1_000, { owner: "a" });
    expect(budget.used).toBe(100);
    await only.add(50);
    expect(budget.used).toBe(150);
    const other = budget.acquire(1, { owner: "b", timeoutMs: 5_000 });
    expect(await settled(other)).toBe(false);
    only.release();
    expect((await other).bytes).toBe(1);
  });

  it("lets requests that are being read grow before others begin", async () => {
    const budget = createMemoryBudget(100);
    const one = await budget.acquire(50, { owner: "a" });
    const two = await budget.acquire(50, { owner: "b" });
    const fresh = budget.acquire(30, { owner: "c", timeoutMs: 5_000 });
    const more = Promise.resolve(two.add(30, { timeoutMs: 5_000 }));
    one.release();
    await more;
    expect(two.bytes).toBe(80);
    expect(await settled(fresh)).toBe(false);
    two.release();
    expect((await fresh).bytes).toBe(30);
  });

  it("lets the last request grow when all others have ended", async () => {
    const budget = createMemoryBudget(100);
    const one = await budget.acquire(50, { owner: "a" });
    const two = await budget.acquire(50, { owner: "b" });
    const more = Promise.resolve(two.add(500, { timeoutMs: 5_000 }));
    expect(await settled(more)).toBe(false);
    one.release();
    await more;
    expect(budget.used).toBe(550);
  });

  it("removes a request that is aborted while it waits", async () => {
    const budget = createMemoryBudget(100);
    const first = await budget.acquire(100, { owner: "a" });
    const leaving = new AbortController();
    const requested = budget.acquire(60, { owner: "b", timeoutMs: 5_000, signal: leaving.signal });
    const behind = budget.acquire(100, { owner: "c", timeoutMs: 5_000 });
    leaving.abort(new Error("gone"));
    await expect(requested).rejects.toThrow("gone");
    first.release();
    expect((await behind).bytes).toBe(100);
  });

  it("frees memory that was granted to a request that had ended", async () => {
    const budget = createMemoryBudget(100);
    const one = await budget.acquire(60, { owner: "a" });
    const two = await budget.acquire(40, { owner: "b" });
    const more = Promise.resolve(two.add(50, { timeoutMs: 5_000 }));
    two.release();
    one.release();
    await more;
    expect(budget.used).toBe(0);
  });

  it("rejects immediately when one owner has too many requests waiting", async () => {
    const budget = createMemoryBudget(10);
    await budget.acquire(10, { owner: "a" });
    const wait = async (owner: string) => budget.acquire(1, { owner, timeoutMs: 50 });
    // Handles each rejection at once, however slow this machine is.
    const waiting = Promise.allSettled(Array.from({ length: 100 }, () => wait("a")));
    await expect(budget.acquire(1, { owner: "a" })).rejects.toThrow("memory");
    const other = wait("b");
    expect(await settled(other)).toBe(false);
    await Promise.allSettled([waiting, other]);
  });

  it("takes only what a request adds, and lets others begin meanwhile", async () => {
    const budget = createMemoryBudget(100);
    const large = await budget.acquire(1, { owner: "a", announced: 90 });
    expect(budget.used).toBe(1);
    const small = await budget.acquire(40, { owner: "b", ...quick });
    expect(large.tryAdd(1)).toBe(false);
    const more = Promise.resolve(large.add(1, { timeoutMs: 5_000 }));
    expect(await settled(more)).toBe(false);
    expect((await budget.acquire(10, { owner: "c", ...quick })).bytes).toBe(10);
    small.release();
    await more;
    expect(large.tryAdd(88)).toBe(true);
  });

  it("lets one of the requests that grow finish, so that they do not wait for each other", async () => {
    const budget = createMemoryBudget(100);
    const read = async (owner: string) => {
      const allocation = await budget.acquire(1, { owner, announced: 60, timeoutMs: 5_000 });
      while (allocation.bytes < 60) await allocation.add(1);
      allocation.release();
    };
    await Promise.all(["a", "b", "c", "d"].map(read));
    expect(budget.used).toBe(0);
  });

  it("lets the only request of an owner grow beyond its share", async () => {
    const budget = createMemoryBudget(100);
    const other = await budget.acquire(5, { owner: "b" });
    const one = await budget.acquire(1, { owner: "a", announced: 80 });
    expect(one.tryAdd(79)).toBe(true);
    other.release();
  });

  it("has a default that fits a small machine", () => {
    expect(defaultMemoryBudget()).toBeGreaterThanOrEqual(128 * 1024 * 1024);
  });
});

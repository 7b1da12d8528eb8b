import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { again, type BatcherOptions, Batcher } from "./batcher.ts";

class Passing extends Error {}

function batcher(
  run: BatcherOptions<number, string>["run"],
  over: { maxRows?: number; retryForMs?: number } = {},
) {
  const batches = new Batcher<number, string>({
    ...(over.maxRows !== undefined && { maxRows: over.maxRows }),
    retryForMs: () => over.retryForMs ?? 1_000,
    isTransient: (error) => error instanceof Passing,
    run,
  });
  return { batches, add: (input: number) => batches.add(input) };
}

/** Records the items of each statement; a statement takes a turn of the event loop. */
function recorder() {
  const batches: number[][] = [];
  return {
    batches,
    async run(items: readonly { input: number }[]) {
      batches.push(items.map((item) => item.input));
      await nextTurn();
      return items.map((item) => `done ${item.input}`);
    },
  };
}

/** Resolves after all promises of this event loop turn, before any timer: a statement has begun, none has ended. */
const begun = () => new Promise<void>((resolve) => process.nextTick(resolve));

describe("batcher", () => {
  it("sends a single item immediately", async () => {
    const { batches, run } = recorder();
    const answer = batcher(run).add(1);
    await begun();
    expect(batches).toEqual([[1]]);
    expect(await answer).toBe("done 1");
  });

  it("accepts an item at any moment after the previous one was resolved", async () => {
    const { run } = recorder();
    for (let moments = 0; moments < 12; moments += 1) {
      const { add } = batcher(run);
      await add(1);
      for (let moment = 0; moment < moments; moment += 1) await Promise.resolve();
      expect(await add(2)).toBe("done 2");
    }
  });

  it("groups items that arrive during a statement into the next one", async () => {
    const { batches, run } = recorder();
    const { add } = batcher(run);
    const first = add(0);
    await begun();
    const rest = [1, 2, 3, 4].map((input) => add(input));
    expect(await Promise.all([first, ...rest])).toEqual(["done 0", "done 1", "done 2", "done 3", "done 4"]);
    expect(batches).toEqual([[0], [1, 2, 3, 4]]);
  });

  it("respects the maximum batch size and the order", async () => {
    const { batches, run } = recorder();
    const { add } = batcher(run, { maxRows: 3 });
    await Promise.all([1, 2, 3, 4, 5, 6, 7].map((input) => add(input)));
    expect(batches).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
  });

  it("puts an item that must wait first in the next statement", async () => {
    const seen: number[][] = [];
    const { add } = batcher(
      async (items) => {
        seen.push(items.map((item) => item.input));
        return items.map((item, index) => (index === 0 ? `done ${item.input}` : again));
      },
      { maxRows: 2 },
    );
    await Promise.all([1, 2, 3].map((input) => add(input)));
    expect(seen).toEqual([[1, 2], [2, 3], [3]]);
  });

  it("retries after transient errors and marks the item as uncertain", async () => {
    const uncertain: boolean[] = [];
    let failures = 2;
    const { add } = batcher(async (items) => {
      uncertain.push(...items.map((item) => item.isUncertain));
      if (failures-- > 0) throw new Passing();
      return items.map(() => "done");
    });
    expect(await add(1)).toBe("done");
    expect(uncertain).toEqual([false, true, true]);
  });

  it("rejects an item when transient errors last too long", async () => {
    const { add } = batcher(() => Promise.reject(new Passing("still away")), { retryForMs: 60 });
    const late = sleep(50).then(() => add(2));
    await expect(add(1)).rejects.toThrow("still away");
    await expect(late).rejects.toThrow("still away");
  });

  it("rejects only the bad item of a batch", async () => {
    let statements = 0;
    const { add } = batcher(async (items) => {
      statements += 1;
      if (items.some((item) => item.input === 13)) throw new Error("13 is wrong");
      return items.map((item) => `done ${item.input}`);
    });
    const answers = await Promise.allSettled(Array.from({ length: 100 }, (_, input) => add(input)));
    expect(answers.filter((answer) => answer.status === "rejected")).toHaveLength(1);
    expect(answers[13]).toMatchObject({ status: "rejected", reason: { message: "13 is wrong" } });
    expect(statements).toBeLessThan(20);
  });

  it("resolves idle() when no items are left", async () => {
    const { batches, run } = recorder();
    const { batches: work } = batcher(run, { maxRows: 1 });
    await work.idle();
    const all = [1, 2, 3].map((input) => work.add(input));
    await begun();
    expect(work.size).toBe(3);
    await work.idle();
    expect(work.size).toBe(0);
    expect(batches).toHaveLength(3);
    await Promise.all(all);
    expect(await work.add(4)).toBe("done 4");
  });
});

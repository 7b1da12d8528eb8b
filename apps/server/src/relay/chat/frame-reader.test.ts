import { describe, expect, it } from "vitest";
import type { RawFrame } from "#dialects/stream/sse.ts";
import { bodyOf } from "#platform/http/response-body.ts";
import { TransportError } from "#platform/http/transport-error.ts";
import { createMemoryBudget } from "#platform/memory/memory-budget.ts";
import type { MemoryShare } from "#relay/core/call.ts";
import { FrameReader, type StreamLimits } from "./frame-reader.ts";

/** Creates an upstream that sends these chunks while it is read. A number is a pause in milliseconds. */
function upstream(script: Iterable<string | number>) {
  const state = { sent: 0, cancelled: false };
  let wake = () => {};
  return {
    state,
    cancel() {
      state.cancelled = true;
      wake();
    },
    ...bodyOf(async function* chunks(): AsyncGenerator<Buffer, void, undefined> {
      try {
        for (const step of script) {
          if (typeof step === "number")
            await new Promise<void>((resolve) => {
              wake = resolve;
              setTimeout(resolve, step).unref();
            });
          if (state.cancelled) throw new TransportError("aborted", "The call was cancelled.");
          if (typeof step === "number") continue;
          state.sent += step.length;
          yield Buffer.from(step);
        }
      } finally {
        state.cancelled = true;
      }
    }),
  };
}

function* forever<T>(...steps: T[]): Generator<T> {
  while (true) yield* steps;
}

const limits = { maxChars: 10_000, graceMs: 60 };

/** Reads the frames, and returns the data of each. */
function read(
  source: ReturnType<typeof upstream>,
  { options = limits, memory }: { options?: StreamLimits; memory?: MemoryShare } = {},
): Promise<string[]> {
  const seen: string[] = [];
  return new Promise((resolve, reject) => {
    const handler = {
      frames(frames: readonly RawFrame[]) {
        for (const { frame } of frames) seen.push(frame.data);
      },
      end: () => resolve(seen),
      fail: reject,
      isComplete: () => seen.includes("last"),
    };
    FrameReader.open(source, handler, memory, options);
  });
}

describe("a reader of frames", () => {
  it("passes the frames up to the end", async () => {
    const source = upstream(["data: a\n\ndata:", " last\n\n", "data: b"]);
    expect(await read(source)).toEqual(["a", "last", "b"]);
  });

  it.each([
    ["a line that never ends", "x".repeat(500)],
    ["a frame whose lines never end", `data: ${"x".repeat(500)}\n`],
    ["comments without end", `: ${"x".repeat(500)}\n\n`],
  ])("fails with an upstream error when the upstream sends %s", async (_what, chunk) => {
    const source = upstream(forever(chunk));
    await expect(read(source)).rejects.toMatchObject({ name: "TransportError", kind: "network" });
    expect(source.state).toMatchObject({ cancelled: true });
    expect(source.state.sent).toBeLessThan(limits.maxChars + 2 * chunk.length);
  });

  it("cancels an upstream that continues after the last frame", async () => {
    const source = upstream([
      "data: a\n\n",
      "data: last\n\n",
      ...Array.from({ length: 1_000 }, () => "data: more\n\n"),
    ]);
    expect((await read(source)).slice(0, 2)).toEqual(["a", "last"]);
    expect(source.state.cancelled).toBe(true);
    expect(source.state.sent).toBeLessThan(limits.maxChars + 100);
  });

  it.each([
    ["falls silent", [3_600_000]],
    ["sends nothing but comments", [10, ": still here\n\n"]],
  ])("stops waiting when the upstream %s after its last frame", async (_how, steps) => {
    const source = upstream(
      (function* () {
        yield "data: last\n\n";
        yield* forever<string | number>(...steps);
      })(),
    );
    expect(await read(source)).toEqual(["last"]);
    // Comments alone would be read up to the limit.
    expect(source.state.sent).toBeLessThan(limits.maxChars);
    expect(source.state.cancelled).toBe(true);
  });
});

describe("a reader of frames: memory budget", () => {
  const megabyte = 1024 * 1024;
  const long = ["data: ", ...Array.from({ length: 32 }, () => "x".repeat(64 * 1024))];

  it("counts a long frame while it arrives, and releases it when the next one arrives", async () => {
    const budget = createMemoryBudget(64 * megabyte);
    const memory = await budget.acquire(1, { owner: "user1" });
    let most = 0;
    function* script() {
      for (const piece of [...long, "\n\n", "data: next\n\n"]) {
        yield piece;
        most = Math.max(most, budget.used);
      }
    }
    const options = { maxChars: 8 * megabyte, graceMs: 60 };
    const seen = await read(upstream(script()), { options, memory });
    expect(seen.map((data) => data.length)).toEqual([32 * 64 * 1024, 4]);
    expect(most).toBeGreaterThan(4 * megabyte);
    expect(budget.used).toBe(1);
  });

  it("counts what follows the last frame, until the end", async () => {
    const budget = createMemoryBudget(64 * 1024 * 1024);
    const memory = await budget.acquire(1, { owner: "user1" });
    let most = 0;
    function* script() {
      yield "data: last\n\n";
      for (let index = 0; index < 30; index += 1) {
        yield `data: ${"x".repeat(100_000)}\n\n`;
        most = Math.max(most, budget.used);
      }
    }
    await read(upstream(script()), { options: { ...limits, maxChars: 10_000_000 }, memory });
    expect(most).toBeGreaterThan(2 * 2_500_000);
    expect(budget.used).toBe(1);
  });

  it("rejects a frame that does not fit, and keeps nothing of it", async () => {
    const budget = createMemoryBudget(8 * megabyte);
    const other = await budget.acquire(4 * megabyte, { owner: "user2" });
    const memory = await budget.acquire(1, { owner: "user1", timeoutMs: 50 });
    const options = { maxChars: 8 * megabyte, graceMs: 60 };
    await expect(read(upstream([...long, ...long]), { options, memory })).rejects.toMatchObject({
      code: "overloaded",
    });
    expect(budget.used).toBe(4 * megabyte + 1);
    other.release();
  });
});

import { describe, expect, it } from "vitest";
import { createMarkedCache } from "./marked-cache.ts";

const MINUTE = 60_000;
/** 1,024 tokens and a little more. */
const long = (text: string) => text.repeat(4 * 1_100);
const mark = { cache_control: { type: "ephemeral" } };
const block = (text: string, isMarked = false) => ({ type: "text", text, ...(isMarked ? mark : {}) });
const body = (...content: object[]) => ({ messages: [{ role: "user", content }] });

describe("the prompt cache at marks of the demo provider", () => {
  it("writes only what stands before a mark, and reads the longest known beginning", () => {
    const cache = createMarkedCache();
    expect(cache.take("one", body(block(long("a"))), 0)).toMatchObject({ read: 0, written: 0 });
    const first = cache.take("one", body(block(long("a"), true), block("b")), 0);
    expect(first).toMatchObject({ read: 0, written: 1_108 });
    expect(cache.take("one", body(block(long("a")), block("b", true)), 0)).toMatchObject({ read: 1_108 });
    expect(cache.take("two", body(block(long("a"), true)), 0)).toMatchObject({ read: 0, written: 1_108 });
  });

  it("forgets a beginning that was not read for five minutes", () => {
    const cache = createMarkedCache();
    const request = body(block(long("a"), true));
    cache.take("one", request, 0);
    expect(cache.take("one", request, 4 * MINUTE)).toMatchObject({ read: 1_108, written: 0 });
    expect(cache.take("one", request, 8 * MINUTE)).toMatchObject({ read: 1_108 });
    expect(cache.take("one", request, 14 * MINUTE)).toMatchObject({ read: 0, written: 1_108 });
  });

  it("looks back over twenty blocks, and ignores short beginnings", () => {
    const cache = createMarkedCache();
    expect(cache.take("one", body(block("short", true)), 0)).toMatchObject({ read: 0, written: 0 });
    cache.take("one", body(block(long("a"), true)), 0);
    const more = (count: number) => [
      block(long("a")),
      ...Array.from({ length: count }, (_, at) => block(`more ${at}`, at === count - 1)),
    ];
    expect(cache.take("one", body(...more(19)), 0)).toMatchObject({ read: 1_108 });
    const far = createMarkedCache();
    far.take("one", body(block(long("a"), true)), 0);
    expect(far.take("one", body(...more(20)), 0)).toMatchObject({ read: 0 });
  });

  it("refuses a fifth mark", () => {
    const five = Array.from({ length: 5 }, (_, at) => block(`text ${at}`, true));
    expect(() => createMarkedCache().take("one", body(...five), 0)).toThrow("maximum of 4");
  });
});

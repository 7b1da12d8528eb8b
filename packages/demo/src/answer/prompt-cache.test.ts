import { describe, expect, it } from "vitest";
import { createPromptCache } from "./prompt-cache.ts";

const long = (text: string) => text.repeat(4 * 1_024);

describe("the prompt cache of the demo provider", () => {
  it("reads the longest beginning of whole parts that the same account sent before", () => {
    const cache = createPromptCache();
    expect(cache.take("one", [long("a"), "b"])).toEqual({ read: 0, written: 1_024 });
    expect(cache.take("one", [long("a"), "b", long("c")])).toEqual({ read: 1_024, written: 1_024 });
    expect(cache.take("one", [long("a"), "x", long("c")])).toEqual({ read: 1_024, written: 1_024 });
    expect(cache.take("one", [long("z"), "b"])).toEqual({ read: 0, written: 1_024 });
  });

  it("is separate for each account, and ignores short prompts", () => {
    const cache = createPromptCache();
    cache.take("one", [long("a")]);
    expect(cache.take("two", [long("a")])).toEqual({ read: 0, written: 1_024 });
    expect(cache.take("one", ["short"])).toEqual({ read: 0, written: 0 });
    expect(cache.take("one", ["short"])).toEqual({ read: 0, written: 0 });
  });
});

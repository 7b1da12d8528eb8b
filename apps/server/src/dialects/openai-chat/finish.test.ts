import { describe, expect, it } from "vitest";
import { decodeFinish } from "./response.ts";

describe("the finish reason", () => {
  it.each([
    ["OpenAI", "length", "length"],
    ["OpenAI", "content_filter", "content-filter"],
    ["Baidu", "normal", "stop"],
    ["01.AI", "content_filter: porn", "content-filter"],
    ["Xiaomi", "repetition_truncation", "length"],
    ["Zhipu", "sensitive", "content-filter"],
    ["Zhipu", "model_context_window_exceeded", "length"],
    ["Zhipu", "network_error", "error"],
    ["a provider that sends none", null, "other"],
    ["a provider with its own reason", "new_word", "other"],
  ])("of %s, %j, is decoded", (_provider, raw, reason) => {
    expect(decodeFinish(raw, false)).toBe(reason);
  });
});

import type { LogRow, PausedChannel, SkippedChannel } from "@gateway/shared/usage/log";
import { describe, expect, it } from "vitest";
import { requestedModel } from "#lib/requested-model.ts";
import { translateWith } from "#lib/translate.fixture.ts";
import { pauseSentence } from "./failure.ts";

const t = translateWith((key: string, values?: Record<string, string>) =>
  key.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values?.[name] ?? ""),
);
const row = (values: Partial<LogRow>) =>
  ({ type: 5, attempts: [], model_name: "", content: "", content_facts: [], ...values }) as LogRow;
const pause = (paused_until: number, reason: string): PausedChannel => ({
  channel_id: 1,
  channel_name: "a",
  reason,
  paused_until,
  provider_asked: true,
  own_calls_only: false,
});
const skip = (skipped: SkippedChannel["skipped"]): SkippedChannel => ({
  channel_id: 2,
  channel_name: "b",
  skipped,
  priority: 0,
});
const sentence = (values: Partial<LogRow>) => pauseSentence(t, row(values), (seconds) => `<${seconds}>`);

describe("why no channel was called", () => {
  it("is the end of the first pause and its reason", () => {
    expect(sentence({ paused: [pause(90, "server"), pause(60, "rate-limited")], skipped: [] })).toBe(
      "All channels for this model are paused until <60> (Too many requests).",
    );
  });

  it("is not a pause when a channel was called or excluded, or the call succeeded", () => {
    const paused = [pause(90, "server")];
    expect(sentence({ paused, skipped: [skip("no-tools")] })).toBe("");
    expect(sentence({ paused, type: 2 })).toBe("");
    expect(sentence({ paused: null })).toBe("");
    expect(sentence({ paused: [] })).toBe("");
  });
});

describe("the model of a failed call", () => {
  it("is the requested one, even when no channel serves it", () => {
    expect(requestedModel(row({ model_name: "m" }))).toBe("m");
    const params = { reason: "model_unknown", model: "gpt-9" };
    const failed = (code: string) => row({ content_facts: [{ code, params }] });
    for (const code of ["model_not_found", "price_missing"])
      expect(requestedModel(failed(code))).toBe("gpt-9");
    expect(requestedModel(failed("invalid_request"))).toBe("");
  });

  it("is not parsed from the message of an earlier version", () => {
    const content = 'The model "gpt-9" does not exist or is not available to this key.';
    expect(requestedModel(row({ error_code: "model_not_found", content }))).toBe("");
  });
});

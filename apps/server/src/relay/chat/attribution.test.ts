import { defaultSettings } from "@gateway/shared/site/settings";
import { describe, expect, it } from "vitest";
import type { Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { DialectId } from "#dialects/ir.ts";
import { channel } from "#domain/channels/selection/channels.fixture.ts";
import { anthropic } from "#providers/definitions/anthropic.ts";
import { deepseek } from "#providers/definitions/deepseek.ts";
import { encodeBody } from "./encode-chat.ts";

const client = dialects.anthropic;
const line = "x-anthropic-billing-header: cc_version=2.1.329.839; cc_entrypoint=cli; cch=74943;";
const instructions = { type: "text", text: "You are a coding agent.", cache_control: { type: "ephemeral" } };
const messages = [{ role: "user", content: `Explain this: ${line}` }];
const request = (system: unknown): Wire => ({ model: "m", max_tokens: 9, system, messages });

function sent(
  body: Wire,
  to: DialectId,
  part: Parameters<typeof channel>[0] = { id: 1, provider: deepseek },
) {
  const raw = Buffer.from(JSON.stringify(body));
  const given = { client, body, raw, request: client.decodeRequest(body, {}) };
  const chosen = { channel: channel(part), upstreamModel: "m" };
  const shape = { model: "m", stream: false, other: "", plugin: {} };
  const { body: encoded, dropped } = encodeBody(given, chosen, dialects[to], shape, defaultSettings);
  return { raw, encoded, dropped, wire: JSON.parse(String(encoded)) as Wire };
}

describe("the line for accounting in the system prompt of Claude Code", () => {
  const body = request([{ type: "text", text: line }, instructions]);

  it("reaches Anthropic unchanged", () => {
    const { raw, encoded } = sent(body, "anthropic", { id: 1, provider: anthropic, baseUrl: "" });
    expect(encoded).toBe(raw);
  });

  it("reaches no other provider of Messages, also behind an Anthropic channel with another address", () => {
    const elsewhere = { id: 1, provider: anthropic, baseUrl: "https://gateway.example" };
    for (const part of [undefined, elsewhere]) {
      const { wire, dropped } = sent(body, "anthropic", part);
      expect(wire).toEqual({ ...body, system: [instructions] });
      expect(dropped).toEqual([]);
    }
  });

  it.each(["openai-chat", "openai-responses", "gemini"] as const)("is not translated to %s", (to) => {
    const { wire } = sent(body, to);
    const text = JSON.stringify(wire);
    expect(text).toContain("You are a coding agent.");
    // The same text of a person stays.
    expect(text.split("x-anthropic-billing-header")).toHaveLength(2);
  });

  it("makes two requests of a session equal up to their messages", () => {
    const next = request([{ type: "text", text: line.replace("74943", "0aaa9") }, instructions]);
    expect(sent(next, "openai-chat").encoded).toBe(sent(body, "openai-chat").encoded);
  });

  it("is removed from a text that continues", () => {
    expect(sent(request(`${line}\nBe brief.`), "anthropic").wire).toEqual(request("Be brief."));
    const block = { type: "text", text: `${line}\nBe brief.` };
    expect(sent(request([block]), "anthropic").wire).toEqual(request([{ type: "text", text: "Be brief." }]));
  });

  it("leaves no empty system prompt", () => {
    const { system: _system, ...rest } = body;
    for (const system of [line, [{ type: "text", text: line }]]) {
      expect(sent(request(system), "anthropic").wire).toEqual(rest);
      expect(JSON.stringify(sent(request(system), "openai-chat").wire)).not.toContain('"system"');
    }
  });

  it("is removed before long texts that are not decoded", () => {
    const long = "word ".repeat(100_000);
    const large = { ...body, messages: [{ role: "user", content: long }] };
    expect(sent(large, "anthropic").wire).toEqual({ ...large, system: [instructions] });
  });

  it("changes nothing in a request without it", () => {
    const plain = request([instructions]);
    const { raw, encoded } = sent(plain, "anthropic");
    expect(encoded).toBe(raw);
  });
});

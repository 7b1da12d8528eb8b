/**
 * Every kind of input part, inline and by address: what a provider honestly counts is billed and was reserved,
 * however few bytes the client sent.
 */
import { describe, expect, it } from "vitest";
import type { ChatRequest, MediaSource, Part } from "#dialects/ir.ts";
import { spendingOf } from "#dialects/usage/spending.ts";
import { channel } from "#domain/channels/selection/channels.fixture.ts";
import { estimateUsage } from "#domain/pricing/estimate.ts";
import { mostOf } from "#domain/pricing/plausible.ts";
import { priceOptionsOf, reservedUsage } from "#relay/core/routing/price-options.ts";
import { meter } from "./settle.ts";

const inline = (mediaType: string, head: string | Buffer, bytes = 500): MediaSource => ({
  type: "data",
  mediaType,
  data: Buffer.concat([Buffer.from(head), Buffer.alloc(bytes)]).toString("base64"),
});
const at = (mediaType?: string): MediaSource => ({
  type: "url",
  url: "https://example.com/a",
  ...(mediaType === undefined ? {} : { mediaType }),
});
const stored = (mediaType?: string): MediaSource => ({
  type: "file",
  id: "file-1",
  ...(mediaType === undefined ? {} : { mediaType }),
});
const file = (source: MediaSource): Part => ({ type: "file", source });
const foreign = (fields: Record<string, unknown>): Part => ({
  type: "foreign",
  extra: { dialect: "openai-chat", fields },
});
const png = Buffer.alloc(33);
png.writeUInt32BE(0x89504e47, 0);
png.writeUInt32BE(2_048, 16);
png.writeUInt32BE(768, 20);

/** 600 pages of 1,666 tokens, an hour of video, nine hours of sound: each nearly fills a window of a million. */
const WINDOW = 1_000_000;
/** An hour of Opus at 125 bytes per second, 32 tokens per second. */
const HOUR = 115_200;
/** 2,833 tokens and 5,667 for each of eight tiles, at gpt-4o-mini. */
const DEAR_IMAGE = 48_169;

const parts: [name: string, part: Part, counted: number, model?: string][] = [
  ["a PDF", file(inline("application/pdf", "%PDF-1.4\n")), WINDOW],
  ["a PDF called JSON", file(inline("application/json", "%PDF-1.4\n")), WINDOW],
  ["a PDF called text, after a comment", file(inline("text/plain", "  %PDF-1.4\n")), WINDOW],
  ["a PDF without a type", file(inline("", "%PDF-1.4\n")), WINDOW],
  ["a PDF by address", file(at("application/pdf")), WINDOW],
  ["a stored PDF", file(stored()), WINDOW],
  [
    "a compressed text document",
    file(inline("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "PK\u0003\u0004")),
    WINDOW,
  ],
  ["a video", file(inline("video/mp4", "\0\0\0\u0018ftypmp42")), WINDOW],
  ["a video by address", file(at("video/mp4")), WINDOW],
  ["a video in a part of one dialect", foreign({ type: "video_url", video_url: { url: "a" } }), WINDOW],
  ["a video in a part of Gemini", foreign({ fileData: { fileUri: "a" } }), WINDOW],
  ["a stored file in a part of one dialect", foreign({ type: "container_upload", file_id: "f" }), WINDOW],
  ["Opus", { type: "audio", source: inline("audio/ogg", "OggS", 450_000) }, HOUR],
  ["Opus as a file", file(inline("audio/ogg", "OggS", 450_000)), HOUR],
  ["Opus after an ID3 tag", { type: "audio", source: inline("audio/mpeg", "ID3\u0004", 450_000) }, HOUR],
  ["AAC", { type: "audio", source: inline("audio/aac", Buffer.from([0xff, 0xf1]), 450_000) }, HOUR],
  ["sound by address", { type: "audio", source: at() }, WINDOW],
  ["a picture", { type: "image", source: inline("image/png", png) }, DEAR_IMAGE, "gpt-4o-mini"],
  [
    "a picture with few details",
    { type: "image", source: inline("image/png", png), detail: "low" },
    2_833,
    "gpt-4o-mini",
  ],
  ["a picture at Claude", { type: "image", source: at(), detail: "low" }, 4_784, "claude-opus-5"],
  ["a picture by address", { type: "image", source: at() }, DEAR_IMAGE, "gpt-4o-mini-2024-07-18"],
  ["a picture as a file", file(inline("image/png", png)), 1_445],
  [
    "a PDF in a tool's result",
    { type: "tool-result", callId: "c", parts: [file(inline("application/pdf", "%PDF-1.4\n"))] },
    WINDOW,
  ],
];

function estimateOf(part: Part) {
  const request: ChatRequest = { model: "m", stream: false, messages: [{ role: "user", parts: [part] }] };
  const spending = spendingOf({}, request);
  return estimateUsage({ ...request, maxOutputTokens: 100 }, { maxOutputTokens: 4_096, spending });
}

describe.each(parts)("input: %s", (_name, part, counted, model = "unlisted") => {
  const estimate = estimateOf(part);
  const reported = { input: counted, output: 5 };

  it("is billed as the provider counts it", () => {
    expect(mostOf(estimate).input).toBeGreaterThanOrEqual(counted);
    expect(meter(reported, true, { narrow: 1, wide: 0 }, estimate)).toEqual({
      usage: reported,
      estimated: false,
    });
  });

  it("is reserved before the call", () => {
    const [option] = priceOptionsOf([channel({ id: 1 })], model);
    if (option === undefined) throw new Error("no option");
    const { input } = reservedUsage(estimate, option.reserves);
    expect(input).toBeGreaterThanOrEqual(Math.min(counted, option.reserves.window));
  });

  it("is our own count where the provider reports none", () => {
    const { usage } = meter(undefined, true, { narrow: 1, wide: 0 }, estimate);
    expect(usage.input).toBe(estimate.input);
    expect(usage.input).toBeLessThan(20_000);
  });
});

describe("input of text", () => {
  const texts: [string, Part][] = [
    ["a text", { type: "text", text: "word ".repeat(200) }],
    ["a text file", file(inline("text/markdown", "word ".repeat(200), 0))],
    ["a JSON file", file(inline("application/json", '{"a":[1,2]}', 0))],
    ["a part of one dialect with text only", foreign({ type: "search_result", text: "word" })],
  ];
  it.each(texts)("%s: no more is reserved than its tokens, and a lying provider is capped", (_name, part) => {
    const estimate = estimateOf(part);
    const [option] = priceOptionsOf([channel({ id: 1 })], "unlisted");
    if (option === undefined) throw new Error("no option");
    expect(reservedUsage(estimate, option.reserves).input).toBe(estimate.input);
    const { usage } = meter({ input: 1e9, output: 5 }, true, { narrow: 1, wide: 0 }, estimate);
    expect(usage.input).toBeLessThan(2_100_000);
  });

  it("the window of the model is the most that is reserved", () => {
    const [option] = priceOptionsOf([channel({ id: 1 })], "claude-haiku-4-5");
    if (option === undefined) throw new Error("no option");
    const many = estimateOf(file(inline("application/pdf", "%PDF-1.4\n")));
    expect(reservedUsage(many, option.reserves).input).toBe(200_000);
  });
});

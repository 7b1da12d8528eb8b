import { encode as olderEncoding } from "gpt-tokenizer/encoding/cl100k_base";
import { encode as newerEncoding } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import type { ChatRequest, Part } from "#dialects/ir.ts";
import { estimateUsage, tokensOf } from "./estimate.ts";
import { imageSize } from "./image-tokens.ts";
import { recordingSeconds } from "./input-media.ts";

function request(parts: Part[], over: Partial<ChatRequest> = {}): ChatRequest {
  return { model: "m", stream: false, messages: [{ role: "user", parts }], ...over };
}

function inputOf(parts: Part[], over: Partial<ChatRequest> = {}): number {
  return estimateUsage(request(parts, over), { maxOutputTokens: 100 }).input;
}

const text = (value: string): Part => ({ type: "text", text: value });
const image = (data: Buffer, detail?: string): Part => ({
  type: "image",
  source: { type: "data", mediaType: "image/png", data: data.toString("base64") },
  detail,
});

const texts: Record<string, string> = {
  English:
    "The committee will meet on Thursday to discuss the proposal that was put forward by the board. ".repeat(
      20,
    ),
  German: "Die Regierung hat am Donnerstag beschlossen, dass die Unterstützung ausgebaut wird. ".repeat(20),
  Chinese: "人工智能正在改变我们的生活方式。从智能手机到自动驾驶汽车,人工智能技术无处不在。".repeat(20),
  Japanese: "人工知能は私たちの生活を大きく変えつつあります。スマートフォンでも使われています。".repeat(20),
  Korean: "인공지능은 우리의 생활 방식을 바꾸고 있습니다. 스마트폰에서 자동차까지 있습니다.".repeat(20),
  Russian: "Искусственный интеллект меняет наш образ жизни, от смартфонов до автомобилей. ".repeat(20),
  Arabic: "الذكاء الاصطناعي يغير طريقة حياتنا من الهواتف الذكية إلى السيارات ".repeat(20),
  code: `export async function revoke(db: Db, id: number): Promise<void> {\n  if (!db) return;\n}\n`.repeat(
    20,
  ),
  JSON: JSON.stringify({ type: "object", properties: { city: { type: "string" }, days: [1, 2, 3] } }).repeat(
    20,
  ),
  base64: Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * 7919) % 251)).toString("base64"),
};

describe("estimate of text", () => {
  it.each(Object.entries(texts))("covers the count of tokenizers: %s", (_, value) => {
    const real = Math.max(olderEncoding(value).length, newerEncoding(value).length);
    const estimated = inputOf([text(value)]);
    expect(estimated).toBeGreaterThanOrEqual(real);
    expect(estimated).toBeLessThan(newerEncoding(value).length * 6 + 50);
  });

  it("counts everything in the request", () => {
    const word = "word ".repeat(200);
    const bare = inputOf([text("")]);
    const schema = { type: "object", description: word };
    const all: [string, number][] = [
      ["text", inputOf([text(word)])],
      ["refusal", inputOf([{ type: "refusal", text: word }])],
      ["reasoning", inputOf([{ type: "reasoning", text: "", encrypted: word }])],
      ["tool call", inputOf([{ type: "tool-call", id: "1", name: "f", input: word }])],
      ["tool result", inputOf([{ type: "tool-result", callId: "1", parts: [text(word)] }])],
      ["foreign", inputOf([{ type: "foreign", extra: { dialect: "gemini", fields: { word } } }])],
      ["tool", inputOf([text("")], { tools: [{ name: "f", schema }] })],
      ["response schema", inputOf([text("")], { responseFormat: { type: "json-schema", schema } })],
      [
        "text file",
        inputOf([
          {
            type: "file",
            source: { type: "data", mediaType: "text/plain", data: Buffer.from(word).toString("base64") },
          },
        ]),
      ],
    ];
    for (const [what, tokens] of all) expect(tokens - bare, what).toBeGreaterThan(200);
  });

  it("takes a few milliseconds for a megabyte, because it samples", () => {
    const large = request([text("The quick brown fox 快速的棕色狐狸 jumps. ".repeat(30_000))]);
    // The fastest of several runs: the others compete with other processes on the machine.
    const took = Array.from({ length: 9 }, () => {
      const started = performance.now();
      estimateUsage(large, { maxOutputTokens: 1 });
      return performance.now() - started;
    });
    expect(Math.min(...took)).toBeLessThan(25);
  });

  it("is accurate for a text that is sampled", () => {
    const once = "Mostly English, manchmal Deutsch und 一些中文。 ";
    const short = inputOf([text(once.repeat(1_000))]);
    const long = inputOf([text(once.repeat(100_000))]);
    expect(long / short).toBeGreaterThan(98);
    expect(long / short).toBeLessThan(102);
  });
});

describe("estimate of output", () => {
  const outputOf = (over: Partial<ChatRequest>) =>
    estimateUsage(request([text("hi")], over), { maxOutputTokens: 4096 }).output;

  it.each([
    [{}, 4096],
    [{ maxOutputTokens: 100 }, 100],
    [{ maxOutputTokens: 100, n: 3 }, 300],
    [{ reasoning: { budgetTokens: 10_000 } }, 14_096],
    [{ maxOutputTokens: 12_000, reasoning: { budgetTokens: 10_000 } }, 12_000],
    [{ maxOutputTokens: Number.MAX_SAFE_INTEGER, n: 1000 }, 1_000_000_000],
    [{ n: -5 }, 0],
  ])("for %j is %d", (over, expected) => {
    expect(outputOf(over)).toBe(expected);
  });
});

describe("estimate of media", () => {
  const png = (width: number, height: number) => {
    const bytes = Buffer.alloc(33);
    bytes.writeUInt32BE(0x89504e47, 0);
    bytes.writeUInt32BE(width, 16);
    bytes.writeUInt32BE(height, 20);
    return bytes;
  };
  const imageInput = (part: Part) => estimateUsage(request([part]), { maxOutputTokens: 1 }).imageInput;

  it.each([
    [64, 64, undefined, 255],
    [1024, 1024, undefined, 1399],
    [2048, 768, undefined, 1640],
    [512, 512, undefined, 350],
    [20_000, 20_000, undefined, 1640],
    [1024, 1024, "low", 85],
  ])("counts an image of %d × %d (detail %s) as %d tokens", (width, height, detail, tokens) => {
    expect(imageInput(image(png(width, height), detail))).toBe(tokens);
  });

  it("counts an image of unknown size like a large one", () => {
    expect(imageInput({ type: "image", source: { type: "url", url: "https://example.com/a.png" } })).toBe(
      1640,
    );
    expect(imageInput(image(Buffer.from("no image at all")))).toBe(1640);
  });

  it("reads the size of every common format", () => {
    const gif = Buffer.from("474946383961400120030000", "hex");
    expect(imageSize(gif)).toEqual({ width: 320, height: 800 });
    const jpeg = Buffer.from("ffd8ffe000104a46494600010100000100010000ffc00011080320014003012200", "hex");
    expect(imageSize(jpeg)).toEqual({ width: 320, height: 800 });
    const lossy = Buffer.concat([Buffer.from("RIFF\0\0\0\0WEBPVP8 "), Buffer.alloc(14)]);
    lossy.writeUInt16LE(320, 26);
    lossy.writeUInt16LE(800, 28);
    expect(imageSize(lossy)).toEqual({ width: 320, height: 800 });
    const extended = Buffer.concat([Buffer.from("RIFF\0\0\0\0WEBPVP8X"), Buffer.alloc(14)]);
    extended.writeUIntLE(319, 24, 3);
    extended.writeUIntLE(799, 27, 3);
    expect(imageSize(extended)).toEqual({ width: 320, height: 800 });
  });

  /** Ten seconds of 16 bit at 16 kHz, or what the header states. */
  function wave(rate: number, channels = 1, bits = 16, over: { byteRate?: number; format?: number } = {}) {
    const file = Buffer.alloc(44 + 320_000);
    file.write("RIFF");
    file.write("WAVEfmt ", 8);
    file.writeUInt32LE(16, 16);
    file.writeUInt16LE(over.format ?? 1, 20);
    file.writeUInt16LE(channels, 22);
    file.writeUInt32LE(rate, 24);
    file.writeUInt32LE(over.byteRate ?? (rate * channels * bits) / 8, 28);
    file.writeUInt16LE(bits, 34);
    return file;
  }
  const secondsOf = (file: Buffer) => Math.round(recordingSeconds(file.subarray(0, 64), file.length));

  it.each([
    ["of the leanest rate", wave(16_000), 10],
    ["of a lower rate, which makes it longer", wave(8_000), 20],
    ["whose header claims a rate that would make it short", wave(96_000, 2), 10],
    ["whose header contradicts itself", wave(16_000, 1, 16, { byteRate: 384_000 }), 40],
    ["whose header names a compressed format", wave(16_000, 1, 16, { format: 0x55 }), 40],
    ["that is no WAV", Buffer.concat([Buffer.from("ID3\u0004"), Buffer.alloc(320_000)]), 40],
    ["with a header alone", Buffer.from("RIFF\0\0\0\0WAVEfmt "), 0],
  ])("counts a recording %s by its bytes", (_, file, seconds) => {
    expect(secondsOf(file)).toBe(seconds);
    const source = { type: "data", mediaType: "audio/wav", data: file.toString("base64") } as const;
    const { audioInput = 0 } = estimateUsage(request([{ type: "audio", format: "wav", source }]), {
      maxOutputTokens: 1,
    });
    expect(Math.floor(audioInput / 32)).toBe(seconds);
  });

  it("assumes that a marked prompt is written to the cache", () => {
    const marked = (ttl?: "5m" | "1h") =>
      estimateUsage(
        request([{ type: "text", text: "word ".repeat(100), cache: ttl === undefined ? {} : { ttl } }]),
        {
          maxOutputTokens: 1,
        },
      );
    expect(marked().cacheWrite5m).toBe(marked().input);
    expect(marked("1h").cacheWrite1h).toBe(marked().input);
    expect(marked("1h").cacheWrite5m).toBeUndefined();
  });
});

describe("estimate of additional usage", () => {
  const nothing = {
    audio: false,
    image: false,
    thinking: 0,
    predicted: undefined,
    toolCalls: {},
    toolImages: 0,
    partialImages: 0,
    storedTokens: 0,
    unseen: false,
    thinks: false,
  };
  const withMore = (spending: object, over: Partial<ChatRequest> = { maxOutputTokens: 100 }) =>
    estimateUsage(request([text("hi")], over), {
      maxOutputTokens: 4_096,
      spending: { ...nothing, ...spending },
    });

  it.each([
    [{}, { output: 100 }],
    [{ toolCalls: { "web-search": 5 } }, { output: 100, toolCalls: { "web-search": 5 } }],
    [{ audio: true }, { output: 100, audioOutput: 100 }],
    [{ image: true }, { output: 6_240, imageOutput: 6_240 }],
    [
      { toolImages: 2, partialImages: 3 },
      { output: 13_180, imageOutput: 13_080 },
    ],
    [{ thinking: 50 }, { output: 100 }],
    [{ thinking: 100_000 }, { output: 101_124 }],
    [{ predicted: "word ".repeat(300) }, { output: 601 }],
  ])("%j", (spending, expected) => {
    const { input: _input, ...rest } = withMore(spending);
    expect(rest).toEqual(expected);
  });

  it("reports an unlimited response, unseen input, and requested thinking", () => {
    expect(withMore({}, {})).toMatchObject({ output: 4_096, isOpen: true });
    expect(withMore({ storedTokens: 10_000, unseen: true })).toMatchObject({ isUnseen: true });
    expect(withMore({ thinks: true })).toMatchObject({ thinks: true });
    expect(withMore({ storedTokens: 70_000 }).input).toBeGreaterThan(70_000);
  });

  it("counts unknown fields as text", () => {
    const fields = { documents: ["word ".repeat(500)] };
    const { input } = withMore({}, { extra: { dialect: "openai-chat", fields } });
    expect(input).toBeGreaterThan(800);
  });
});

describe("our own token count of a response", () => {
  it.each([
    [{ narrow: 0, wide: 0 }, 0],
    [{ narrow: 1, wide: 0 }, 1],
    [{ narrow: 400, wide: 0, spaces: 70 }, 100],
    // Text without spaces does not count as prose.
    [{ narrow: 404, wide: 0 }, 158],
    [{ narrow: 0, wide: 100 }, 70],
  ])("of %j is %d tokens", (tally, tokens) => {
    expect(tokensOf(tally)).toBe(tokens);
  });
});

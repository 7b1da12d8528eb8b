import { describe, expect, it } from "vitest";
import type { Usage } from "#dialects/ir.ts";
import type { CallKind, Reach } from "#relay/core/call.ts";
import { type CallEnd, chatKind, computeOwedUsage, plainKind, uncountedPercent } from "./settle.ts";

const kinds = Object.keys(uncountedPercent) as CallKind[];
const reaches: Reach[] = ["not sent", "sent", "refused", "answering"];
const ends: CallEnd["ended"][] = ["complete", "client-left", "upstream-died"];

const reserved: Usage = { input: 100, output: 1_000 };
const withSound: Usage = { ...reserved, audioOutput: 200 };
/** 40 characters with spaces: ten tokens. */
const delivered = { narrow: 40, wide: 0, spaces: 8 };
const silent = { narrow: 0, wide: 0 };

function end(kind: CallKind, reach: Reach, ended: CallEnd["ended"], more: Partial<CallEnd> = {}): CallEnd {
  const passed = reach === "answering" ? delivered : silent;
  return {
    kind,
    reach,
    ended,
    reported: undefined,
    final: false,
    delivered: passed,
    counted: undefined,
    reserved,
    isCut: false,
    hidden: 0,
    ...more,
  };
}

/** Output tokens of a call whose provider reported no usage; undefined = the call costs nothing. */
const outputs: Record<CallKind, Record<"sent" | "answering", number | undefined>> = {
  text: { sent: 0, answering: 10 },
  reasoning: { sent: 250, answering: 250 },
  images: { sent: 500, answering: 1_000 },
  speech: { sent: 250, answering: 500 },
  transcription: { sent: 250, answering: 250 },
  task: { sent: undefined, answering: undefined },
  storage: { sent: 1_000, answering: 1_000 },
};

describe("owed: {kind} x {how far it got} x {who ended it}", () => {
  for (const kind of kinds)
    for (const reach of reaches)
      for (const ended of ends)
        it(`${kind}, ${reach}, ${ended}`, () => {
          const due = computeOwedUsage(end(kind, reach, ended));
          if (reach === "not sent" || reach === "refused") return expect(due).toBeUndefined();
          if (ended === "complete") return expect(due?.usage.output).toBe(reach === "answering" ? 10 : 0);
          if (kind === "task") return expect(due).toBeUndefined();
          if (ended === "upstream-died")
            return reach === "sent"
              ? expect(due).toBeUndefined()
              : expect(due?.usage).toMatchObject({ input: 100, output: 10 });
          expect(due?.usage.output).toBe(outputs[kind][reach]);
          expect(due?.usage.input).toBe(100);
          expect(due?.estimated).toBe(true);
        });

  it("never charges more than was reserved when the provider reported nothing", () => {
    for (const kind of kinds)
      for (const reach of reaches) {
        const due = computeOwedUsage(end(kind, reach, "client-left", { reserved: withSound }));
        expect(due?.usage.output ?? 0).toBeLessThanOrEqual(reserved.output);
        expect(due?.usage.audioOutput ?? 0).toBeLessThanOrEqual(200);
      }
  });
});

describe("owed: the client disconnected", () => {
  const reported: Usage = { input: 7, output: 900 };

  it("charges the provider's final report as is, for every kind but unaccepted tasks", () => {
    for (const kind of kinds.filter((each) => each !== "task"))
      expect(computeOwedUsage(end(kind, "answering", "client-left", { reported, final: true }))).toEqual({
        usage: reported,
        estimated: false,
      });
  });

  it("treats an intermediate report as a minimum", () => {
    const early = { input: 7, output: 1 };
    expect(computeOwedUsage(end("text", "answering", "client-left", { reported: early }))?.usage).toEqual({
      input: 7,
      output: 10,
    });
    expect(
      computeOwedUsage(end("reasoning", "answering", "client-left", { reported: early }))?.usage,
    ).toMatchObject({
      input: 7,
      output: 250,
    });
  });

  it("raises every kind of output that was reserved", () => {
    expect(
      computeOwedUsage(end("speech", "answering", "client-left", { reserved: withSound }))?.usage,
    ).toMatchObject({
      output: 500,
      audioOutput: 100,
    });
  });

  it("keeps our own count of a recording", () => {
    const counted = { input: 60, output: 3, audioInput: 60 };
    expect(computeOwedUsage(end("transcription", "answering", "client-left", { counted }))?.usage).toEqual({
      input: 60,
      output: 250,
      audioInput: 60,
    });
  });
});

describe("owed: the client disconnected, and the rest was not read", () => {
  const cut: Record<CallKind, number | undefined> = {
    text: 10,
    reasoning: 500,
    images: 1_000,
    speech: 1_000,
    transcription: 500,
    task: undefined,
    storage: 1_000,
  };
  it("charges the storage that was reserved", () => {
    const toolCalls = { "cache-storage": 168 };
    const left = end("storage", "sent", "client-left", { reserved: { input: 100, output: 0, toolCalls } });
    expect(computeOwedUsage(left)?.usage).toEqual({ input: 100, output: 0, toolCalls });
  });
  it.each(kinds)("%s: charges the larger share", (kind) => {
    const due = computeOwedUsage(end(kind, "answering", "client-left", { isCut: true }));
    expect(due?.usage.output).toBe(cut[kind]);
    const drained = computeOwedUsage(end(kind, "answering", "client-left"));
    expect(due?.usage.output ?? 0).toBeGreaterThanOrEqual(drained?.usage.output ?? 0);
  });

  it("reasoning: charges the time until the first text at the model's rate, within what was reserved", () => {
    const charged = (hidden: number) =>
      computeOwedUsage(end("reasoning", "answering", "client-left", { hidden }))?.usage.output;
    expect(charged(600)).toBe(610);
    expect(charged(60_000)).toBe(1_000);
    expect(computeOwedUsage(end("text", "answering", "client-left", { hidden: 600 }))?.usage.output).toBe(10);
  });

  it("reasoning without a limit: charges a share of a usual response, not of the longest", () => {
    const open = { each: 131_072, usual: 4_096, responses: 1 };
    const long = { input: 100, output: 131_072, isOpen: true, open };
    expect(
      computeOwedUsage(end("reasoning", "answering", "client-left", { reserved: long }))?.usage.output,
    ).toBe(1_024);
    expect(
      computeOwedUsage(end("reasoning", "answering", "client-left", { reserved: long, hidden: 50_000 }))
        ?.usage.output,
    ).toBe(50_010);
  });
});

describe("kinds of calls", () => {
  it("chat: reasoning if requested, audio and images if reserved", () => {
    const plain = { input: 1, output: 1 };
    expect(chatKind({}, plain)).toBe("text");
    expect(chatKind({ reasoning: { effort: "none" } }, plain)).toBe("text");
    expect(chatKind({ reasoning: { summary: "auto" } }, plain)).toBe("text");
    expect(chatKind({ reasoning: { effort: "low" } }, plain)).toBe("reasoning");
    expect(chatKind({ reasoning: { budgetTokens: 1_024 } }, plain)).toBe("reasoning");
    expect(chatKind({ reasoning: { adaptive: true } }, plain)).toBe("reasoning");
    expect(chatKind({}, { ...plain, thinks: true })).toBe("reasoning");
    expect(chatKind({}, { ...plain, audioOutput: 5 })).toBe("speech");
    expect(chatKind({}, { ...plain, imageOutput: 5 })).toBe("images");
  });

  it("other endpoints: by endpoint and path", () => {
    expect(plainKind("images", "/v1/images/edits")).toBe("images");
    expect(plainKind("audio", "/v1/audio/speech")).toBe("speech");
    expect(plainKind("audio", "/v1/audio/translations")).toBe("transcription");
    expect(plainKind("embeddings", "/v1/embeddings")).toBe("text");
  });
});

import { describe, expect, it } from "vitest";
import { klingWire, readKling } from "./kling.ts";
import { midjourneyOrigin, readMidjourney, SWAP } from "./midjourney-request.ts";
import { midjourneyWire } from "./midjourney.ts";
import { readSuno, sunoWire } from "./suno.ts";

describe("a midjourney-proxy request", () => {
  it.each([
    ["action", { taskId: "1", customId: "MJ::JOB::upsample::2::f3a" }, "UPSCALE"],
    ["action", { taskId: "1", customId: "MJ::JOB::upsample_v6_2x_subtle::1::f3a::SOLO" }, "UPSCALE"],
    ["action", { taskId: "1", customId: "MJ::JOB::variation::4::f3a" }, "VARIATION"],
    ["action", { taskId: "1", customId: "MJ::JOB::low_variation::1::f3a::SOLO" }, "LOW_VARIATION"],
    ["action", { taskId: "1", customId: "MJ::JOB::high_variation::1::f3a::SOLO" }, "HIGH_VARIATION"],
    ["action", { taskId: "1", customId: "MJ::JOB::reroll::0::f3a::SOLO" }, "REROLL"],
    ["action", { taskId: "1", customId: "MJ::JOB::pan_left::1::f3a::SOLO" }, "PAN"],
    ["action", { taskId: "1", customId: "MJ::Outpaint::50::1::f3a::SOLO" }, "ZOOM"],
    ["action", { taskId: "1", customId: "MJ::CustomZoom::f3a" }, "CUSTOM_ZOOM"],
    ["action", { taskId: "1", customId: "MJ::Inpaint::1::f3a::SOLO" }, "INPAINT"],
    ["change", { taskId: "1", action: "variation", index: 1 }, "VARIATION"],
    ["simple-change", { content: "1320098173412546 U2" }, "UPSCALE"],
    ["simple-change", { content: "1320098173412546 v3" }, "VARIATION"],
    ["simple-change", { content: "1320098173412546 R" }, "REROLL"],
    ["modal", { taskId: "1", maskBase64: "" }, "MODAL"],
    ["blend", { base64Array: [] }, "BLEND"],
    ["upload-discord-images", { base64Array: [] }, "UPLOAD"],
    [SWAP, { sourceBase64: "", targetBase64: "" }, "SWAP_FACE"],
  ])("to %s with %j has its model name", (name, body, action) => {
    const requested = readMidjourney(name, body, "relax");
    expect(requested.action).toBe(action);
    expect(requested.model).toBe(`mj_relax_${action.toLowerCase()}`);
  });

  it.each([
    ["action", { taskId: "1", customId: "MJ::Bookmark::f3a" }],
    ["change", { taskId: "1", action: "DELETE" }],
    ["simple-change", { content: "1320098173412546 U5" }],
    ["imagine", { prompt: " --fast" }],
    ["imagine", { prompt: 7 }],
  ])("to %s with %j is rejected", (name, body) => {
    expect(() => readMidjourney(name, body, "fast")).toThrow(
      /The field|^prompt: It must be of the type string/,
    );
  });

  it("names the task that it continues, or is rejected", () => {
    expect(midjourneyOrigin("imagine", { taskId: "1" })).toBeUndefined();
    expect(midjourneyOrigin("change", { taskId: 1_320_098 })).toBe("1320098");
    expect(midjourneyOrigin("simple-change", { content: "13 U1" })).toBe("13");
    for (const name of ["change", "action", "modal", "simple-change"])
      expect(() => midjourneyOrigin(name, {})).toThrow(/must name the task to continue/);
  });
});

describe("the billed model", () => {
  it("of Kling is a kind and a length of video, for any spelling of the length", () => {
    const requested = readKling("image2video", {
      model_name: "kling-v1-6",
      mode: "pro",
      duration: 10,
      image: "x",
    });
    expect(requested.model).toBe("kling-video_v1-6_pro_10");
    expect(requested.bodyFor("any")).toMatchObject({ model_name: "kling-v1-6", duration: "10", image: "x" });
    expect(() => readKling("text2video", { duration: 7 })).toThrow(/duration/);
    expect(() => readKling("lipsync", {})).toThrow(/text2video/);
  });

  it("of Suno is the requested model", () => {
    expect(readSuno("MUSIC", { prompt: "x" }).model).toBe("chirp-v3-0");
    expect(readSuno("music", { prompt: "x", mv: "chirp-v4" }).bodyFor("mapped")).toEqual({
      prompt: "x",
      mv: "mapped",
    });
  });
});

describe("invalid responses", () => {
  const wires = [sunoWire, klingWire, midjourneyWire];

  it("contain no tasks and no states", () => {
    for (const wire of wires) {
      for (const answer of [undefined, null, 7, "text", [], {}, { data: 7 }, [null, 7, {}], { code: 0 }])
        expect(wire.standings(answer)).toEqual([]);
      expect(wire.accepted({})).toHaveProperty("error");
    }
    expect(sunoWire.accepted({ code: "success", data: "x".repeat(65) })).toHaveProperty("error");
    expect(klingWire.accepted({ code: 0, data: { task_id: "" } })).toHaveProperty("error");
    expect(midjourneyWire.accepted({ code: 1, result: null })).toHaveProperty("error");
  });

  it("report whose error it was", () => {
    expect(midjourneyWire.accepted({ code: 24, description: "banned" })).toMatchObject({
      error: { kind: "bad-request", message: "banned" },
    });
    expect(midjourneyWire.accepted({ code: 23 })).toMatchObject({ error: { kind: "rate-limited" } });
    expect(klingWire.accepted({ code: 1201, message: "prompt" })).toMatchObject({
      error: { code: "1201", message: "prompt" },
    });
  });
});

import { describe, expect, it } from "vitest";
import { kindOfModel, sampleModel } from "./sample-model.ts";

const unused = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { rank: null, info: null }]));

describe("the model of the samples", () => {
  it("is the chat model with the most calls", () => {
    const models = {
      ...unused("gpt-5"),
      "demo-chat": { rank: 2, info: null },
      "text-embedding-3-small": { rank: 1, info: null },
    };
    expect(sampleModel(models)).toBe("demo-chat");
  });

  it("is the newest of a well-known family when nothing was called", () => {
    expect(sampleModel(unused("gpt-3.5-turbo", "gpt-4o", "gpt-5.2", "gpt-5", "dall-e-3", "claude-9"))).toBe(
      "gpt-5.2",
    );
    expect(sampleModel(unused("gpt-3.5-turbo", "own-model"))).toBe("own-model");
    expect(sampleModel(unused("gpt-3.5-turbo"))).toBe("gpt-3.5-turbo");
  });

  it("is one of the preferred family, if there is one", () => {
    const models = {
      ...unused("claude-haiku-4-5", "claude-sonnet-4-5"),
      "gpt-5": { rank: 1, info: null },
      "claude-opus-4-1": { rank: 2, info: null },
    };
    expect(sampleModel(models, /^claude/)).toBe("claude-opus-4-1");
    expect(sampleModel(models, /^gemini/)).toBe("gpt-5");
  });

  it("is empty without a chat model", () => {
    expect(sampleModel(unused("dall-e-3", "whisper-1", "chirp-v4"))).toBe("");
  });
});

describe("the kind of a model", () => {
  it("comes from the catalogue, else from the model's name", () => {
    expect(kindOfModel("anything", ["text", "image"])).toBe("chat");
    expect(kindOfModel("anything", ["image"])).toBe("image");
    expect(kindOfModel("bge-m3")).toBe("embedding");
    expect(kindOfModel("sora-2")).toBe("video");
    expect(kindOfModel("gpt-5")).toBe("chat");
  });
});

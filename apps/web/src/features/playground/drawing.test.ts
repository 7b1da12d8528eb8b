import { describe, expect, it } from "vitest";
import { isImageModel } from "./drawing.ts";

describe("a model", () => {
  it("that only creates images is recognised by its name, with or without its owner's prefix", () => {
    for (const model of [
      "dall-e-3",
      "gpt-image-1",
      "imagen-4.0-generate-001",
      "black-forest-labs/FLUX.1-dev",
    ])
      expect(isImageModel(model), model).toBe(true);
  });

  it("that creates images in a chat is called as a chat model", () => {
    for (const model of ["gemini-2.5-flash-image", "gpt-4o", "claude-opus-4-5", "demo-chat"])
      expect(isImageModel(model), model).toBe(false);
  });
});

import { describe, expect, it } from "vitest";
import { onlyDraws } from "./drawing.ts";

describe("a model", () => {
  it("that only draws is known by its name, with or without its maker's", () => {
    for (const model of [
      "dall-e-3",
      "gpt-image-1",
      "imagen-4.0-generate-001",
      "black-forest-labs/FLUX.1-dev",
    ])
      expect(onlyDraws(model), model).toBe(true);
  });

  it("that draws while it chats is asked to chat", () => {
    for (const model of ["gemini-2.5-flash-image", "gpt-4o", "claude-opus-4-5", "demo-chat"])
      expect(onlyDraws(model), model).toBe(false);
  });
});

import { describe, expect, it } from "vitest";
import { addInstructions, withInstructions } from "./instructions.ts";
import type { ChatRequest } from "./ir.ts";

const hi = { role: "user", content: "Hi" };

describe("an operator's system prompt", () => {
  it("stands before, after or instead of a chat's own", () => {
    const body = { model: "m", messages: [{ role: "system", content: "own" }, hi], top_k: 3 };
    const texts = (place: "before" | "after" | "instead") =>
      (addInstructions("openai-chat", body, "house", place)["messages"] as { content: string }[]).map(
        ({ content }) => content,
      );
    expect(texts("before")).toEqual(["house", "own", "Hi"]);
    expect(texts("after")).toEqual(["own", "house", "Hi"]);
    expect(texts("instead")).toEqual(["house", "Hi"]);
    expect(addInstructions("openai-chat", body, "house", "after")).toMatchObject({ model: "m", top_k: 3 });
  });

  it("stands the same in a request for a wire of a vendor's own", () => {
    const says = (role: "system" | "user", text: string): ChatRequest["messages"][number] => ({
      role,
      parts: [{ type: "text", text }],
    });
    const request: ChatRequest = {
      model: "m",
      stream: false,
      messages: [says("system", "own"), says("user", "Hi")],
    };
    const texts = (place: "before" | "after" | "instead") =>
      withInstructions(request, "house", place).messages.flatMap(({ parts }) =>
        parts.map((part) => (part.type === "text" ? part.text : "")),
      );
    expect(texts("before")).toEqual(["house", "own", "Hi"]);
    expect(texts("after")).toEqual(["own", "house", "Hi"]);
    expect(texts("instead")).toEqual(["house", "Hi"]);
  });

  it("joins the instructions of a response, and takes those out of its input that it replaces", () => {
    const body = { instructions: "own", input: [{ role: "developer", content: "more" }, hi] };
    expect(addInstructions("openai-responses", body, "house", "before")["instructions"]).toBe("house\n\nown");
    expect(addInstructions("openai-responses", body, "house", "after")["instructions"]).toBe("own\n\nhouse");
    expect(addInstructions("openai-responses", body, "house", "instead")).toEqual({
      instructions: "house",
      input: [hi],
    });
    expect(addInstructions("openai-responses", { input: "Hi" }, "house", "after")).toEqual({
      input: "Hi",
      instructions: "house",
    });
  });

  it("keeps the blocks of a message and their cache marks", () => {
    const own = { type: "text", text: "own", cache_control: { type: "ephemeral" } };
    const house = { type: "text", text: "house" };
    expect(addInstructions("anthropic", { system: [own] }, "house", "before")["system"]).toEqual([
      house,
      own,
    ]);
    expect(addInstructions("anthropic", { system: "own" }, "house", "after")["system"]).toBe("own\n\nhouse");
    expect(addInstructions("anthropic", {}, "house", "before")["system"]).toBe("house");
  });

  it("goes where a Gemini request has its own, in either spelling", () => {
    const own = { parts: [{ text: "own" }] };
    expect(addInstructions("gemini", { system_instruction: own }, "house", "after")).toEqual({
      system_instruction: { parts: [{ text: "own" }, { text: "house" }] },
    });
    expect(addInstructions("gemini", {}, "house", "before")).toEqual({
      systemInstruction: { parts: [{ text: "house" }] },
    });
  });
});

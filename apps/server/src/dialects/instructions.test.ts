import { describe, expect, it } from "vitest";
import { addInstructions, withInstructions } from "./instructions.ts";
import type { ChatRequest } from "./ir.ts";

const hi = { role: "user", content: "Hi" };

describe("an administrator's system prompt", () => {
  it("is added before, after or instead of a chat's own", () => {
    const body = { model: "m", messages: [{ role: "system", content: "own" }, hi], top_k: 3 };
    const texts = (place: "before" | "after" | "instead") =>
      (addInstructions("openai-chat", body, "operator", place)["messages"] as { content: string }[]).map(
        ({ content }) => content,
      );
    expect(texts("before")).toEqual(["operator", "own", "Hi"]);
    expect(texts("after")).toEqual(["own", "operator", "Hi"]);
    expect(texts("instead")).toEqual(["operator", "Hi"]);
    expect(addInstructions("openai-chat", body, "operator", "after")).toMatchObject({ model: "m", top_k: 3 });
  });

  it("is added in the same way to a request in a provider's own format", () => {
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
      withInstructions(request, "operator", place).messages.flatMap(({ parts }) =>
        parts.map((part) => (part.type === "text" ? part.text : "")),
      );
    expect(texts("before")).toEqual(["operator", "own", "Hi"]);
    expect(texts("after")).toEqual(["own", "operator", "Hi"]);
    expect(texts("instead")).toEqual(["operator", "Hi"]);
  });

  it("joins the instructions of a response, and removes replaced ones from its input", () => {
    const body = { instructions: "own", input: [{ role: "developer", content: "more" }, hi] };
    expect(addInstructions("openai-responses", body, "operator", "before")["instructions"]).toBe(
      "operator\n\nown",
    );
    expect(addInstructions("openai-responses", body, "operator", "after")["instructions"]).toBe(
      "own\n\noperator",
    );
    expect(addInstructions("openai-responses", body, "operator", "instead")).toEqual({
      instructions: "operator",
      input: [hi],
    });
    expect(addInstructions("openai-responses", { input: "Hi" }, "operator", "after")).toEqual({
      input: "Hi",
      instructions: "operator",
    });
  });

  it("keeps the blocks of a message and their cache marks", () => {
    const own = { type: "text", text: "own", cache_control: { type: "ephemeral" } };
    const operator = { type: "text", text: "operator" };
    expect(addInstructions("anthropic", { system: [own] }, "operator", "before")["system"]).toEqual([
      operator,
      own,
    ]);
    expect(addInstructions("anthropic", { system: "own" }, "operator", "after")["system"]).toBe(
      "own\n\noperator",
    );
    expect(addInstructions("anthropic", {}, "operator", "before")["system"]).toBe("operator");
  });

  it("is placed where a Gemini request has its own, in either spelling", () => {
    const own = { parts: [{ text: "own" }] };
    expect(addInstructions("gemini", { system_instruction: own }, "operator", "after")).toEqual({
      system_instruction: { parts: [{ text: "own" }, { text: "operator" }] },
    });
    expect(addInstructions("gemini", {}, "operator", "before")).toEqual({
      systemInstruction: { parts: [{ text: "operator" }] },
    });
  });
});

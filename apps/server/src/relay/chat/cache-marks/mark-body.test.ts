import { describe, expect, it } from "vitest";
import { withMarks } from "./mark-body.ts";

const mark = { cache_control: { type: "ephemeral" } };
const text = (value: string) => ({ type: "text", text: value });

describe("a mark", () => {
  it("is set on the last block of a piece, and turns a text into a block", () => {
    const body = {
      system: "be brief",
      tools: [{ name: "a" }, { name: "b" }],
      messages: [
        { role: "user", content: "hi" },
        { role: "user", content: [text("a"), text("b")] },
      ],
    };
    expect(withMarks(body, [1, 2, 3, 4])).toEqual({
      system: [{ ...text("be brief"), ...mark }],
      tools: [{ name: "a" }, { name: "b", ...mark }],
      messages: [
        { role: "user", content: [{ ...text("hi"), ...mark }] },
        { role: "user", content: [text("a"), { ...text("b"), ...mark }] },
      ],
    });
  });

  it("goes to an earlier place where a block may not have one", () => {
    const thinking = { role: "assistant", content: [{ type: "thinking", thinking: "…", signature: "s" }] };
    const body = { messages: [{ role: "user", content: "hi" }, thinking, { role: "user", content: " " }] };
    expect(withMarks(body, [5])).toMatchObject({
      messages: [{ content: [{ ...text("hi"), ...mark }] }, thinking, { content: " " }],
    });
    const later = { tools: [{ name: "a" }, { name: "b", defer_loading: true }], messages: [] };
    expect(withMarks(later, [2])).toMatchObject({ tools: [{ name: "a", ...mark }, later.tools[1]] });
  });

  it("of Chat Completions is set on messages only, the system prompt included", () => {
    const body = {
      tools: [{ type: "function", function: { name: "a" } }],
      messages: [
        { role: "system", content: "be brief" },
        { role: "user", content: "hi" },
      ],
    };
    expect(withMarks(body, [2])["messages"]).toEqual([
      { role: "system", content: [{ ...text("be brief"), ...mark }] },
      body.messages[1],
    ]);
    expect(withMarks(body, [1])).toBe(body);
    expect(withMarks(body, [3])).toMatchObject({ messages: [{}, { content: [mark] }] });
  });

  it("leaves a body alone that has no place for it", () => {
    const body = { messages: [{ role: "user", content: "" }] };
    expect(withMarks(body, [3])).toBe(body);
    expect(withMarks(body, [])).toBe(body);
  });
});

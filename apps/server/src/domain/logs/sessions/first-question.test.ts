import { describe, expect, it } from "vitest";
import { firstQuestionOf } from "./first-question.ts";

const question = "Why is the build slow?";
const reminder = "<system-reminder>\nToday is Monday.\n</system-reminder>";

describe("the first question of a request", () => {
  it("is found in every dialect", () => {
    for (const body of [
      {
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: question },
        ],
      },
      {
        messages: [
          {
            content: [
              { type: "text", text: reminder },
              { type: "text", text: question },
            ],
            role: "user",
          },
        ],
      },
      { input: question },
      { input: [{ type: "message", role: "user", content: [{ type: "input_text", text: question }] }] },
      { contents: [{ parts: [{ text: question }] }] },
    ])
      expect([body, firstQuestionOf(JSON.stringify(body))]).toEqual([body, question]);
  });

  it("is found in a body that was cut", () => {
    const messages = [{ role: "user", content: [{ text: reminder }, { text: question }] }];
    const body = JSON.stringify({ model: "m", messages, tools: ["a long list"] });
    expect(firstQuestionOf(body.slice(0, -12))).toBe(question);
  });

  it("is one line of at most 120 characters", () => {
    const title = firstQuestionOf(JSON.stringify({ input: `First\n\nline ${"x".repeat(500)}` }));
    expect(title).toHaveLength(120);
    expect(title).toMatch(/^First line x+…$/);
  });

  it("is empty for a body without one", () => {
    for (const body of [
      "",
      "{",
      "[]",
      '{"messages":7}',
      '{"messages":[null,{"role":"user","content":7}]}',
      '{"input":{}}',
    ])
      expect([body, firstQuestionOf(body)]).toEqual([body, ""]);
  });
});

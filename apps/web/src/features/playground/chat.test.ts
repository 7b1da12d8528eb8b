import { describe, expect, it } from "vitest";
import { type Answer, type Chat, chatOf, messagesFor, newAnswer, noParameters, titleOf } from "./chat.ts";

const output = (model: string, text: string, state: Answer["state"] = "done"): Answer => ({
  ...newAnswer(model),
  text,
  state,
});

const chat: Chat = {
  id: "c",
  updated: 0,
  models: ["a", "b"],
  parameters: { ...noParameters, system: " Be short. " },
  turns: [
    { id: "1", text: "one", images: [], answers: [output("a", "A1"), output("b", "B1")] },
    { id: "2", text: "two", images: [], answers: [output("a", "", "failed"), output("b", "", "failed")] },
    { id: "3", text: "three", images: ["data:image/png;base64,x"], answers: [] },
  ],
};

describe("the messages of a turn", () => {
  it("give each model its own branch of the conversation", () => {
    expect(messagesFor(chat, "3", "b", 1)).toEqual([
      { role: "system", content: "Be short." },
      { role: "user", content: "one" },
      { role: "assistant", content: "B1" },
      {
        role: "user",
        content: [
          { type: "text", text: "three" },
          { type: "image_url", image_url: { url: "data:image/png;base64,x" } },
        ],
      },
    ]);
  });

  it("give a model that joins later the previous answers at its position", () => {
    expect(messagesFor(chat, "3", "new", 1).map((message) => message.content)).toContain("B1");
  });

  it("end with the turn to be answered again", () => {
    expect(messagesFor(chat, "1", "a", 0)).toEqual([
      { role: "system", content: "Be short." },
      { role: "user", content: "one" },
    ]);
  });

  it("leave out an unfinished answer", () => {
    const running = {
      ...chat,
      turns: chat.turns.map((turn) => ({ ...turn, answers: [output("a", "part", "streaming")] })),
    };
    expect(messagesFor(running, "3", "a", 0)).toHaveLength(2);
  });
});

describe("the title of a chat", () => {
  it("is its first question in one line, truncated", () => {
    expect(titleOf(chat)).toBe("one");
    const long = { ...chat, turns: [{ id: "1", text: `a\n  ${"b".repeat(100)}`, images: [], answers: [] }] };
    expect(titleOf(long)).toHaveLength(61);
  });
});

it("a chat from another screen contains its answers and leaves the last question unanswered", () => {
  const turns = [
    { text: "1", images: ["data:image/png;base64,AA"], answer: "one" },
    { text: "2", images: [], answer: "" },
  ];
  const chat = chatOf({ model: "m", system: "Be brief.", turns, send: true }, 7);
  expect(chat).toMatchObject({ models: ["m"], updated: 7, parameters: { system: "Be brief." } });
  expect(chat.turns).toHaveLength(1);
  const next = { ...chat, turns: [...chat.turns, { id: "last", text: "2", images: [], answers: [] }] };
  expect(messagesFor(next, "last", "m", 0)).toEqual([
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "1" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AA" } },
      ],
    },
    { role: "assistant", content: "one" },
    { role: "user", content: "2" },
  ]);
});

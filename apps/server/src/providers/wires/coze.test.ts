import { describe, expect, it } from "vitest";
import type { ChatRequest } from "#dialects/ir.ts";
import { coze } from "#providers/definitions/coze.ts";
import { refusal } from "#providers/refusal.ts";
import { cozeChat } from "./coze.ts";

/**
 * The forms of the provider's own example (https://www.coze.cn/api/open/docs/developer_guides/chat_v3),
 * shortened.
 */
const answerOf = (content: object) =>
  `event:conversation.message.delta\ndata:${JSON.stringify({
    id: "m1",
    role: "assistant",
    type: "answer",
    content_type: "text",
    chat_id: "c1",
    ...content,
  })}\n\n`;
const created =
  'event:conversation.chat.created\ndata:{"id":"c1","conversation_id":"v1","bot_id":"7379","created_at":1718792949,"status":"created"}\n\n';
const followUp =
  'event:conversation.message.completed\ndata:{"id":"m2","role":"assistant","type":"follow_up","content":"And then?"}\n\n';
const completed =
  'event:conversation.chat.completed\ndata:{"id":"c1","status":"completed","usage":{"token_count":633,"output_count":19,"input_count":614}}\n\n';
const done = 'event:done\ndata:"[DONE]"\n\n';
const whole = [
  created,
  answerOf({ reasoning_content: "Hm.", content: "" }),
  answerOf({ content: "It is " }),
  answerOf({ content: "星期二" }),
  followUp,
  completed,
  done,
].join("");

const request: ChatRequest = {
  model: "coze-7379",
  stream: false,
  user: "somebody",
  messages: [
    { role: "system", parts: [{ type: "text", text: "Be brief." }] },
    {
      role: "user",
      parts: [
        { type: "text", text: "What is it?" },
        { type: "image", source: { type: "url", url: "https://files.example/a.png" } },
      ],
    },
    { role: "assistant", parts: [{ type: "text", text: "A dot." }] },
    { role: "user", parts: [{ type: "text", text: "Sure?" }] },
  ],
  temperature: 1,
};

describe("Coze's chat", () => {
  it("sends the whole conversation to a bot, and stores nothing there", () => {
    expect(cozeChat.encodeRequest(request)).toEqual({
      dropped: ["temperature"],
      body: {
        bot_id: "7379",
        user_id: "somebody",
        stream: true,
        auto_save_history: false,
        additional_messages: [
          { role: "user", type: "question", content_type: "text", content: "Be brief." },
          {
            role: "user",
            type: "question",
            content_type: "object_string",
            content:
              '[{"type":"text","text":"What is it?"},{"type":"image","file_url":"https://files.example/a.png"}]',
          },
          { role: "assistant", type: "answer", content_type: "text", content: "A dot." },
          { role: "user", type: "question", content_type: "text", content: "Sure?" },
        ],
      },
    });
  });

  it("builds a complete response from the stream, without the bot's suggested questions", () => {
    const answer = cozeChat.decodeResponse(cozeChat.read?.(whole));
    expect(answer).toMatchObject({
      id: "c1",
      created: 1718792949,
      choices: [
        {
          finish: "stop",
          parts: [
            { type: "reasoning", text: "Hm." },
            { type: "text", text: "It is 星期二" },
          ],
        },
      ],
      usage: { input: 614, output: 19 },
    });
  });

  it("reports a failure and its reason, complete or streamed", () => {
    const failed =
      'event:conversation.chat.failed\ndata:{"id":"c1","last_error":{"code":4028,"msg":"No more credit."}}\n\n';
    for (const text of [created + failed, '{"code":4028,"msg":"No more credit."}']) {
      const answer = cozeChat.decodeResponse(cozeChat.read?.(text));
      expect(answer.choices[0]?.parts).toEqual([]);
      expect(answer.usage).toBeUndefined();
      const error = cozeChat.decodeError(502, text, {});
      expect(refusal(coze, error)).toMatchObject({ kind: "quota", message: "No more credit." });
    }
    const decoder = cozeChat.decodeStream();
    expect(decoder.frame({ event: "error", data: '{"code":4013,"msg":"Too fast."}' }).at(-1)).toMatchObject({
      type: "error",
      error: { code: "4013", message: "Too fast." },
    });
  });

  it("distinguishes an invalid key from a missing bot", () => {
    const kindOf = (status: number, code: number) =>
      refusal(coze, cozeChat.decodeError(status, JSON.stringify({ code, msg: "No." }), {})).kind;
    expect([kindOf(401, 4100), kindOf(200, 4200), kindOf(200, 4000), kindOf(500, 5000)]).toEqual([
      "auth",
      "not-found",
      "bad-request",
      "server",
    ]);
  });
});

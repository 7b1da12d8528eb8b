import { describe, expect, it } from "vitest";
import type { ChatRequest } from "#dialects/ir.ts";
import { createFrameSplitter } from "#dialects/stream/sse.ts";
import type { RequestShape } from "#providers/provider.ts";
import { openPrediction, predictionChat, predictionImages } from "./replicate.ts";

/** The provider's prediction object (https://replicate.com/docs/reference/http), shortened. */
const made = (part: object) =>
  JSON.stringify({
    id: "gm3qorzdhgbfurvjtvhg6dckhu",
    model: "meta/meta-llama-3-70b-instruct",
    status: "succeeded",
    error: null,
    created_at: "2026-11-21T07:00:00.000Z",
    output: ["Grüß", " Gott"],
    metrics: { input_token_count: 9, output_token_count: 4, predict_time: 0.1 },
    ...part,
  });

const request: ChatRequest = {
  model: "meta/meta-llama-3-70b-instruct",
  stream: true,
  messages: [
    { role: "system", parts: [{ type: "text", text: "Be brief." }] },
    { role: "user", parts: [{ type: "text", text: "Hi" }] },
  ],
  maxOutputTokens: 50,
  tools: [{ name: "look" }],
};

describe("Replicate's chat", () => {
  it("encodes a conversation as one text", () => {
    expect(predictionChat.encodeRequest(request)).toEqual({
      body: { version: request.model, input: { prompt: "Hi", system_prompt: "Be brief.", max_tokens: 50 } },
      dropped: ["tools"],
    });
    const { body } = predictionChat.encodeRequest({
      ...request,
      messages: [
        ...request.messages,
        { role: "assistant", parts: [{ type: "text", text: "Yes?" }] },
        { role: "user", parts: [{ type: "text", text: "Bye" }] },
      ],
    });
    expect(body).toMatchObject({
      input: { prompt: "User: Hi\n\nAssistant: Yes?\n\nUser: Bye\n\nAssistant:" },
    });
  });

  it("returns the model's output, counted", () => {
    expect(predictionChat.decodeResponse(JSON.parse(made({})))).toMatchObject({
      id: "gm3qorzdhgbfurvjtvhg6dckhu",
      model: "meta/meta-llama-3-70b-instruct",
      created: 1795244400,
      choices: [{ parts: [{ type: "text", text: "Grüß Gott" }], finish: "stop" }],
      usage: { input: 9, output: 4 },
    });
  });

  it("streams its single response at any chunk boundaries", () => {
    const bytes = Buffer.from(made({}));
    for (const size of [5, bytes.length]) {
      const open = openPrediction();
      const splitter = createFrameSplitter();
      const decoder = predictionChat.decodeStream();
      const events = [];
      for (let at = 0; at < bytes.length; at += size)
        for (const { frame } of splitter.push(open(bytes.subarray(at, at + size))))
          events.push(...decoder.frame(frame));
      expect(events.map((event) => event.type)).toEqual(["start", "text", "stop", "finish"]);
      expect(events[1]).toMatchObject({ text: "Grüß Gott" });
      expect(events[3]).toMatchObject({ usage: { input: 9, output: 4 } });
    }
  });

  it.each([
    [{ status: "failed", error: "Prompt is too long." }, "server", "Prompt is too long."],
    [{ status: "processing", output: null }, "timeout", "The prediction took longer than 60 seconds."],
    [{ status: "canceled" }, "timeout", "The prediction took longer than 60 seconds."],
  ])("rejects a prediction that ends as %j", (part, kind, message) => {
    const text = made(part);
    const decoded = predictionChat.decodeResponse(JSON.parse(text));
    expect(decoded.choices[0]?.parts).toEqual([]);
    expect(decoded.usage).toBeUndefined();
    expect(predictionChat.decodeError(502, text, {})).toMatchObject({ kind, message });
    const [event] = predictionChat.decodeStream().frame({ event: undefined, data: text }).slice(-1);
    expect(event).toMatchObject({ type: "error", error: { kind, message } });
  });

  it("decodes an error in a problem document", () => {
    const body = '{"title":"Unauthenticated","detail":"You did not pass a valid token","status":401}';
    expect(predictionChat.decodeError(401, body, {})).toMatchObject({
      kind: "auth",
      message: "You did not pass a valid token",
    });
  });
});

describe("Replicate's images", () => {
  const call: RequestShape = {
    model: "black-forest-labs/flux-schnell",
    stream: false,
    other: "",
    plugin: {},
  };

  it("are requested with the parameters that most models share", () => {
    const { path, body } = predictionImages.request(
      { prompt: "A house", n: 2, size: "1536x1024", output_format: "jpeg" },
      call,
    );
    expect(path).toBe("/v1/predictions");
    expect(JSON.parse(body)).toEqual({
      version: call.model,
      input: { prompt: "A house", num_outputs: 2, aspect_ratio: "3:2", output_format: "jpg" },
    });
    expect(() => predictionImages.request({ prompt: "x", n: 9 }, call)).toThrow('"n"');
  });

  it("become OpenAI's response, by URL or by bytes", () => {
    const answered = (output: unknown) => {
      const answer = predictionImages.answer?.(made({ output }), 5_000);
      return answer !== undefined && "body" in answer ? JSON.parse(answer.body.toString()) : answer;
    };
    expect(answered(["https://replicate.delivery/a.webp", "data:image/png;base64,aGk="])).toEqual({
      created: 5,
      data: [{ url: "https://replicate.delivery/a.webp" }, { b64_json: "aGk=" }],
    });
    expect(answered("https://replicate.delivery/a.webp")).toMatchObject({ data: [{}] });
    expect(answered(null)).toMatchObject({ error: { message: "The upstream sent no image." } });
    expect(predictionImages.answer?.(made({ status: "failed", error: "NSFW" }), 0)).toMatchObject({
      error: { kind: "server", message: "NSFW" },
    });
  });
});

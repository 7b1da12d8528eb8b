import { describe, expect, it } from "vitest";
import { demo } from "#providers/definitions/demo.ts";
import { questionFor } from "./probe-question.ts";

const everything = demo("http://127.0.0.1:9");

function pathFor(model: string): string {
  const question = questionFor(everything, model);
  return question.kind === "plain" ? question.path : question.kind;
}

describe("questionFor", () => {
  it("matches the purpose of the model", () => {
    const expected: Record<string, string> = {
      "gpt-4o": "chat",
      "claude-opus-4-1": "chat",
      "text-embedding-3-small": "/v1/embeddings",
      "BAAI/bge-m3": "/v1/embeddings",
      "bge-reranker-v2-m3": "/v1/rerank",
      "omni-moderation-latest": "/v1/moderations",
      "gpt-4o-mini-tts": "/v1/audio/speech",
      "dall-e-3": "/v1/images/generations",
      "gpt-image-1": "/v1/images/generations",
    };
    for (const [model, path] of Object.entries(expected))
      expect([model, pathFor(model)]).toEqual([model, path]);
  });

  it("is rerank for rerankers and Responses for models made for it, whatever else the provider offers", () => {
    const openai = { endpoints: ["chat", "responses"] as const };
    expect(questionFor(openai, "bge-reranker-v2-m3")).toMatchObject({ path: "/v1/rerank" });
    for (const model of [
      "o1",
      "o3",
      "o4-mini",
      "gpt-5-pro",
      "gpt-5.1-codex",
      "codex-mini-latest",
      "openai/o3-pro",
    ])
      expect([model, questionFor(openai, model)]).toEqual([
        model,
        { kind: "chat", dialect: "openai-responses" },
      ]);
    for (const model of ["gpt-4o", "gemini-2.5-pro", "olmo-2", "qwen-pro", "gpt-oss-120b"])
      expect([model, questionFor(openai, model)]).toEqual([model, { kind: "chat" }]);
    expect(questionFor({ endpoints: ["chat"] }, "o3")).toEqual({ kind: "chat" });
  });

  it("is none for models that need a recording, minutes or a socket", () => {
    for (const model of ["whisper-1", "gpt-4o-transcribe", "kling-v2", "mj_imagine", "gpt-realtime"])
      expect([model, pathFor(model)]).toEqual([model, "none"]);
  });

  it("is chat where the provider lacks the special endpoint, and none where it lacks chat too", () => {
    expect(questionFor({ endpoints: ["chat"] }, "text-embedding-3-small").kind).toBe("chat");
    expect(questionFor({ endpoints: ["rerank"] }, "gpt-4o").kind).toBe("none");
  });
});

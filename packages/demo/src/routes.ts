import { randomUUID } from "node:crypto";
import { lookupTable } from "@gateway/shared/lookup-table";
import { accountAnswer } from "./account.ts";
import type { Answer } from "./answer/answer.ts";
import { type Json, asText } from "./answer/json.ts";
import type { Question } from "./answer/question.ts";
import { cachedContentAnswer } from "./cached-contents.ts";
import { type Reply, type EventAnswer, json } from "./exchange.ts";
import { type Provider, refusal } from "./faults.ts";
import { anthropic, readPrompt as readAnthropicPrompt } from "./formats/anthropic.ts";
import { speech, transcription } from "./formats/audio.ts";
import { type ChatWire, type Target, event } from "./formats/chat-wire.ts";
import { compaction } from "./formats/compaction.ts";
import { geminiEmbedding, geminiEmbeddings, openaiEmbeddings } from "./formats/embeddings.ts";
import { gemini, readPrompt as readGeminiPrompt } from "./formats/gemini.ts";
import { draw, images, editImage } from "./formats/images.ts";
import { modelsFor } from "./formats/models.ts";
import { moderations } from "./formats/moderations.ts";
import { openaiChat } from "./formats/openai-chat.ts";
import { openaiCompletions } from "./formats/openai-completions.ts";
import { readResponses } from "./formats/openai-responses-request.ts";
import { openaiResponses } from "./formats/openai-responses.ts";
import { rerank } from "./formats/ranking.ts";
import {
  fetchKling,
  fetchMidjourney,
  fetchSuno,
  seedOf,
  submitKling,
  submitMidjourney,
  submitSuno,
} from "./formats/tasks.ts";

/** The handler of an address. */
export type Route =
  | { kind: "chat"; provider: Provider; wire: ChatWire; target: Target; failure: StreamFailure }
  | { kind: "task"; provider: Provider; model: string; run: (body: Json) => Reply | EventAnswer | undefined }
  | { kind: "models"; provider: Provider; id: string };

/** Creates the provider's error inside a stream that has already begun. */
type StreamFailure = (question: Question, answer: Answer, framesSent: number, requestId: string) => string;

const FAILED = { status: 500 };

const failures: Record<"chat" | "responses" | "anthropic" | "gemini", StreamFailure> = {
  chat: (_question, _answer, _sent, id) => event(refusal("openai", FAILED, id).body),
  responses: (question, answer, sent) => {
    const error = { code: "server_error", message: "The server had an error while answering." };
    const failed = {
      ...openaiResponses.plain(question, answer),
      status: "failed",
      output: [],
      usage: null,
      error,
    };
    return (
      event({ type: "error", sequence_number: sent, ...error, param: null }, "error") +
      event({ type: "response.failed", sequence_number: sent + 1, response: failed }, "response.failed")
    );
  },
  anthropic: (_question, _answer, _sent, id) =>
    event(refusal("anthropic", { status: 529 }, id).body, "error"),
  gemini: (question, _answer, sent, id) => {
    const text = JSON.stringify(refusal("gemini", { status: 503 }, id).body);
    // Only the Gemini format has such a question.
    if ((question as Question & { sse: boolean }).sse) return `data: ${text}\r\n\r\n`;
    return `${sent === 0 ? "[" : ",\r\n"}${text}\r\n]\r\n`;
  },
};

const inBody: Target = { model: "", stream: false, sse: true };

/** Returns an error in the events of a task. */
export function taskFailure(requestId: string): string {
  return event({ type: "error", ...refusal("openai", FAILED, requestId).body }, "error");
}

const posts = lookupTable<Route>({
  "/v1/chat/completions": chat("openai", openaiChat, failures.chat),
  "/v1/responses": chat("openai", openaiResponses, failures.responses),
  "/v1/responses/input_tokens": task("openai", (body) =>
    json({ object: "response.input_tokens", input_tokens: readResponses(body).input }),
  ),
  "/v1/responses/compact": task("openai", (body) => json(compaction(body))),
  "/v1/messages": chat("anthropic", anthropic, failures.anthropic),
  "/v1/messages/count_tokens": task("anthropic", (body) =>
    json({ input_tokens: readAnthropicPrompt(body).input }),
  ),
  "/v1/completions": chat("openai", openaiCompletions, failures.chat),
  "/v1/embeddings": task("openai", (body) => json(openaiEmbeddings(body))),
  "/v1/moderations": task("openai", (body) => json(moderations(body))),
  "/v1/images/generations": task("openai", (body) => draw(body, "image_generation")),
  "/v1/images/edits": task("openai", (body) => draw(body, "image_edit")),
  "/v1/images/variations": task("openai", (body) => json(images({ prompt: "a variation", ...body }))),
  "/v1/images/vectorize": task("openai", (body) => json(editImage(body))),
  "/v1/images/removeBackground": task("openai", (body) => json(editImage(body))),
  "/v1/images/crispUpscale": task("openai", (body) => json(editImage(body))),
  "/v1/styles": task("openai", () => json({ id: randomUUID(), credits: 40 })),
  "/v1/audio/speech": task("openai", speech),
  "/v1/audio/transcriptions": task("openai", transcription),
  "/v1/audio/translations": task("openai", transcription),
  "/v1/rerank": task("openai", (body) => json(rerank(body))),
  "/suno/submit/music": task("openai", (body) => submitSuno("MUSIC", body)),
  "/suno/submit/lyrics": task("openai", (body) => submitSuno("LYRICS", body)),
  "/suno/fetch": task("openai", fetchSuno),
  "/v1/videos/text2video": task("openai", (body) => submitKling("text2video", body)),
  "/v1/videos/image2video": task("openai", (body) => submitKling("image2video", body)),
  "/mj/task/list-by-condition": task("openai", fetchMidjourney),
  "/mj/insight-face/swap": task("openai", (body) => submitMidjourney("SWAP_FACE", body)),
});

function chat(provider: Provider, wire: ChatWire, failure: StreamFailure, target: Target = inBody): Route {
  return { kind: "chat", provider, wire, target, failure };
}

function task(provider: Provider, run: (body: Json) => Reply | EventAnswer | undefined, model = ""): Route {
  return { kind: "task", provider, model, run };
}

const geminiPath = /^\/v1(?:beta|alpha)?\/models\/(.+):(\w+)$/;
const geminiList = /^\/v1(?:beta|alpha)\/models(?:\/(.+))?$/;
const klingPath = /^\/v1\/videos\/(?:text2video|image2video)\/([\w-]+)$/;
const seedPath = /^\/mj\/task\/(\d+)\/image-seed$/;
const midjourneyPath = /^\/mj\/submit\/([\w-]+)$/;
const openaiList = /^\/v1\/models(?:\/(.+))?$/;

/** Returns the provider whose error format an address uses, whether the address exists or not. */
export function providerAt(path: string, headers: Record<string, unknown>): Provider {
  if (/^\/v1(?:beta|alpha)\//.test(path) || geminiPath.test(path)) return "gemini";
  return path.startsWith("/v1/messages") || "anthropic-version" in headers ? "anthropic" : "openai";
}

export function routeAt(
  method: string,
  path: string,
  query: URLSearchParams,
  headers: Record<string, unknown>,
): Route | undefined {
  const kept = accountAnswer(method, path);
  if (kept !== undefined) return task("openai", (body) => kept(body, query));
  const cache = cachedContentAnswer(method, path);
  if (cache !== undefined) return task("gemini", cache);
  if (method === "POST") return posts[path] ?? midjourneyRoute(path) ?? geminiRoute(path, query);
  if (method !== "GET") return undefined;
  const video = klingPath.exec(path)?.[1];
  if (video !== undefined) return task("openai", () => fetchKling(video));
  const seed = seedPath.exec(path)?.[1];
  if (seed !== undefined) return task("openai", () => seedOf(seed));
  const listed = geminiList.exec(path) ?? openaiList.exec(path);
  if (listed === null) return undefined;
  return { kind: "models", provider: providerAt(path, headers), id: listed[1] ?? "" };
}

export function listModels(route: Extract<Route, { kind: "models" }>): Reply | undefined {
  const found = modelsFor(route.provider, route.id);
  return found === undefined ? undefined : json(found);
}

function midjourneyRoute(path: string): Route | undefined {
  const action = midjourneyPath.exec(path)?.[1]?.toUpperCase();
  return action === undefined ? undefined : task("openai", (body) => submitMidjourney(action, body));
}

function geminiRoute(path: string, query: URLSearchParams): Route | undefined {
  const [, model = "", verb] = geminiPath.exec(path) ?? [];
  const sse = query.get("alt") === "sse";
  switch (verb) {
    case "generateContent":
      return chat("gemini", gemini, failures.gemini, { model, stream: false, sse });
    case "streamGenerateContent":
      return chat("gemini", gemini, failures.gemini, { model, stream: true, sse });
    case "countTokens":
      return task("gemini", (body) => json(countTokens(body, model)), model);
    case "embedContent":
      return task("gemini", (body) => json(geminiEmbedding(body)), model);
    case "batchEmbedContents":
      return task("gemini", (body) => json(geminiEmbeddings(body)), model);
    default:
      return undefined;
  }
}

function countTokens(body: Json, model: string): Json {
  const inner = body["generateContentRequest"] as Json | undefined;
  return { totalTokens: readGeminiPrompt(inner ?? body, model).input };
}

/** Returns the text of a request that is not chat, for the switches in it. */
export function promptIn(body: Json): string {
  for (const name of ["input", "prompt", "query", "gpt_description_prompt"]) {
    const value = body[name];
    const text = Array.isArray(value) ? asText(value[0]) : asText(value);
    if (text !== "") return text;
  }
  return "";
}

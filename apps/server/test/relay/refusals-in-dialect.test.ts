import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Every reason to refuse a key or its model, at an endpoint of each dialect. */
let gateway: TestGateway;
/** Keys, by the reason for which they are refused. */
const keys: Record<string, string> = { "a wrong key": "sk-wrong" };

const messages = [{ role: "user", content: "Hello" }];
const openai = /^\{"error":\{"message":"/;
const anthropic = /^\{"type":"error","error":\{"type":"/;
const google = /^\{"error":\{"code":\d+,"message":"[^]*"status":"[A-Z_]+"/;
const endpoints: [path: string, body: object, shape: RegExp][] = [
  ["/v1/chat/completions", { model: "known", messages }, openai],
  ["/v1/completions", { model: "known", prompt: "x" }, openai],
  ["/v1/responses", { model: "known", input: "x" }, openai],
  ["/v1/responses/compact", { model: "known", input: "x" }, openai],
  ["/v1/embeddings", { model: "known", input: "x" }, openai],
  ["/v1/moderations", { model: "known", input: "x" }, openai],
  ["/v1/images/generations", { model: "known", prompt: "x" }, openai],
  ["/v1/audio/speech", { model: "known", input: "x", voice: "alloy" }, openai],
  ["/v1/rerank", { model: "known", query: "x", documents: ["x"] }, openai],
  ["/v1/messages", { model: "known", messages, max_tokens: 5 }, anthropic],
  ["/v1/messages/count_tokens", { model: "known", messages }, anthropic],
  ["/claude/v1/messages", { model: "known", messages, max_tokens: 5 }, anthropic],
  ["/v1beta/models/known:generateContent", { contents: [{ parts: [{ text: "x" }] }] }, google],
  ["/v1beta/models/known:countTokens", { contents: [{ parts: [{ text: "x" }] }] }, google],
  ["/v1beta/models/known:embedContent", { content: { parts: [{ text: "x" }] } }, google],
  ["/v1beta/interactions", { model: "known", input: "x" }, google],
  ["/v1/interactions", { model: "known", input: "x" }, google],
];

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addPrice("known");
  await gateway.addChannel({ type: 1, name: "openai", models: ["known"], base_url: "http://127.0.0.1:1" });
  const models = { limit_model_setting: { enabled: true, models: ["other"] } };
  const networks = { limits_ip_setting: { enabled: true, whitelist: ["203.0.113.0/24"] } };
  const add = async (reason: string, form: object, more: object = {}) => {
    const token = await gateway.addToken(form);
    if (Object.keys(more).length > 0) await gateway.api("PUT", `/token/${token.id}`, more);
    keys[reason] = token.key;
  };
  await add("a disabled key", {}, { status: 2 });
  await add("an expired key", {}, { expired_time: 1_000 });
  await add("a key without quota", { unlimited_quota: false, remain_quota: 0 });
  await add("a model that the key may not use", { setting: { limits: models } });
  await add("an address that the key does not allow", { setting: { limits: networks } });
});
afterAll(() => gateway.stop());

it.each(endpoints)("%s refuses every key in its dialect", async (path, body, shape) => {
  const answers: unknown[] = [];
  for (const [reason, key] of Object.entries(keys)) {
    const response = await fetch(gateway.url + path, {
      method: "POST",
      headers: { "x-goog-api-key": key, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    // Counting tokens is free.
    if (reason === "a key without quota" && /count_?tokens/i.test(path)) continue;
    if (response.status < 400 || response.status >= 500 || !shape.test(text))
      answers.push([reason, response.status, text]);
  }
  expect(answers).toEqual([]);
});

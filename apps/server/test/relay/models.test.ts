import { GoogleGenAI } from "@google/genai";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Model lists contain the owner of each model, in the format of each kind of client. */
let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 900, name: "demo", models: ["gpt-4o", "nobody-priced-this"] });
  ({ key } = await gateway.addToken());
});
afterAll(() => gateway.stop());

async function ask<T>(path: string, headers: Record<string, string> = {}): Promise<T> {
  const answer = await fetch(`${gateway.url}${path}`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as T;
}

it("returns the owner of the model's price, otherwise the provider of its channel", async () => {
  const { data } = await ask<{ data: { id: string; owned_by: string }[] }>("/v1/models");
  const owners = Object.fromEntries(data.map((model) => [model.id, model.owned_by]));
  expect(owners["gpt-4o"]).toBe("OpenAI");
  expect(owners["nobody-priced-this"]).toBe("demo");
  expect(await ask("/v1/models/gpt-4o")).toMatchObject({ id: "gpt-4o", object: "model", owned_by: "OpenAI" });
});

it("returns the same to the other two kinds of clients, with the name from the catalogue", async () => {
  const anthropic = await ask<{ data: object[] }>("/v1/models", { "anthropic-version": "2023-06-01" });
  expect(anthropic.data).toContainEqual(
    expect.objectContaining({ id: "gpt-4o", display_name: "GPT-4o", owned_by: "OpenAI" }),
  );
  const gemini = await ask<{ models: object[] }>("/v1beta/models");
  expect(gemini.models).toContainEqual(
    expect.objectContaining({
      name: "models/gpt-4o",
      displayName: "GPT-4o",
      inputTokenLimit: 128_000,
      outputTokenLimit: 16_384,
      ownedBy: "OpenAI",
    }),
  );
});

it("serves Google's client, and each kind of client that requests a single model", async () => {
  const google = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gateway.url } });
  const names: (string | undefined)[] = [];
  for await (const model of await google.models.list()) names.push(model.name);
  expect(new Set(names)).toEqual(new Set(["models/gpt-4o", "models/nobody-priced-this"]));
  expect((await google.models.get({ model: "gpt-4o" })).displayName).toBe("GPT-4o");
  const named = { name: "models/gpt-4o", ownedBy: "OpenAI" };
  expect(await ask("/v1beta/models/gpt-4o")).toMatchObject(named);
  expect(await ask("/gemini/v1beta/models/gpt-4o")).toMatchObject(named);
  expect(await ask("/claude/v1/models/gpt-4o")).toMatchObject({ type: "model", id: "gpt-4o" });
  const unknown = await fetch(`${gateway.url}/v1beta/models/nobody`, {
    headers: { "x-goog-api-key": key },
  });
  expect([unknown.status, await unknown.json()]).toEqual([
    404,
    { error: expect.objectContaining({ code: 404, status: "NOT_FOUND" }) },
  ]);
});

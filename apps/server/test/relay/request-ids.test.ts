import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

let gateway: TestGateway;
let key = "";

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 8, name: "first", models: ["demo-chat"] });
  key = (await gateway.addToken({ unlimited_quota: true })).key;
});

afterAll(() => gateway.stop());

const ask = (id: string | undefined, path = "/v1/chat/completions") =>
  fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      ...(id === undefined ? {} : { "x-request-id": id }),
    },
    body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Hi" }] }),
  });

it("a response has the id that its client sent, and the gateway's own", async () => {
  for (const path of ["/v1/chat/completions", "/v1/unknown", "/api/unknown"]) {
    const answer = await ask("checkout:42/a.b=@+-_", path);
    expect(answer.headers.get("x-request-id")).toBe("checkout:42/a.b=@+-_");
    expect(answer.headers.get("x-oneapi-request-id")).toMatch(/^[\da-f-]{36}$/);
  }
});

it("an id that is too long or has other characters is replaced by the gateway's", async () => {
  for (const id of [undefined, "", "a".repeat(129), "a b", 'a"b', "<script>"]) {
    const { headers } = await ask(id);
    expect(headers.get("x-request-id")).toBe(headers.get("x-oneapi-request-id"));
  }
});

it("two calls with one id are charged twice, under the gateway's ids", async () => {
  const before = (await gateway.logs(0)).length;
  const id = randomUUID();
  const answers = await Promise.all([ask(id), ask(id), ask(id)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const rows = (await gateway.logs(before + 3)).slice(0, 3);
  expect(rows.every(({ quota }) => quota > 0)).toBe(true);
  expect(new Set(rows.map(({ request_id }) => request_id))).toEqual(
    new Set(answers.map(({ headers }) => headers.get("x-oneapi-request-id"))),
  );
  expect(await gateway.drift()).toBe(0n);
});

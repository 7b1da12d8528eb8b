import { describe, expect, it } from "vitest";
import { dialects } from "#dialects/index.ts";
import type { ChatRequest, DialectId } from "#dialects/ir.ts";
import type { UpstreamResponse } from "#platform/http.ts";
import { readBody } from "./body.ts";

const request: ChatRequest = {
  model: "m",
  stream: false,
  messages: [{ role: "user", parts: [{ type: "text", text: "Hi" }] }],
};

function read(client: DialectId, text: string) {
  const response: UpstreamResponse = {
    status: 200,
    headers: {},
    text: () => Promise.resolve(text),
    async *chunks() {
      yield await Promise.resolve(Buffer.from(text));
    },
    cancel() {},
  };
  const upstream = dialects["openai-chat"];
  return readBody({ client: dialects[client], request }, { response, upstream });
}

describe("an answer of 200 that is none", () => {
  // Untouched for a client of the same dialect, translated for another.
  const clients: DialectId[] = ["openai-chat", "openai-responses"];

  it.each(clients)("tells a client of %s what the vendor says is wrong", async (client) => {
    const refused = {
      choices: null,
      usage: { total_tokens: 0, total_characters: 0 },
      base_resp: { status_code: 2061, status_msg: "your current token plan not support model" },
    };
    expect(await read(client, JSON.stringify(refused))).toMatchObject({
      error: { code: "2061", message: "your current token plan not support model" },
    });
  });

  it.each(clients)("tells a client of %s that nothing came", async (client) => {
    expect(await read(client, '{"choices":[]}')).toMatchObject({
      error: { kind: "server", message: "The upstream answered with nothing." },
    });
  });

  it.each(clients)("tells a client of %s that it could not be read", async (client) => {
    expect(await read(client, "<html></html>")).toMatchObject({
      error: { message: "The upstream's answer could not be read." },
    });
  });
});

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readEnv } from "#env.ts";
import { startGateway } from "#start/index.ts";
import { testSecretKey } from "#test/gateway.ts";

/** Starts a gateway on an imported database, and uses the imported root account. */
export async function startImported(databaseUrl: string) {
  const dataDir = await mkdtemp(join(tmpdir(), "gateway-imported-"));
  const gateway = await startGateway(
    readEnv({
      NODE_ENV: "test",
      HOST: "127.0.0.1",
      PORT: "0",
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir,
      LOG_LEVEL: "silent",
      SECRET_KEY: testSecretKey,
      TRUST_PROXY: "loopback",
      API_RATE_LIMIT: "1000000",
    }),
    { keepStartMemory: true },
  );
  let requested = 0;
  const send = async (path: string, headers: Record<string, string>, body?: unknown) => {
    requested += 1;
    const response = await fetch(`${gateway.url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        "api-version": "2",
        // Each request uses another client address to avoid the rate limits per address.
        "x-forwarded-for": `10.9.${requested >> 8}.${requested & 255}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    return {
      status: response.status,
      body: (await response.json()) as { success?: boolean; data?: unknown },
    };
  };
  return {
    url: gateway.url,
    signIn: async (username: string, password: string) =>
      (await send("/api/user/login", {}, { username, password })).body.success === true,
    own: async (accessToken: string) => send("/api/user/self", { authorization: accessToken }),
    chat: async (key: string, model: string, content = "hello", from = "127.0.0.1") =>
      send(
        "/v1/chat/completions",
        { authorization: `Bearer ${key}`, "x-forwarded-for": from },
        { model, messages: [{ role: "user", content }] },
      ),
    /** One call in each of the four formats, with the header in which its clients send the key. */
    async inEachDialect(key: string, model: string) {
      const bearer = { authorization: `Bearer ${key}` };
      const messages = [{ role: "user", content: "hello" }];
      const answers = {
        "openai-chat": await send("/v1/chat/completions", bearer, { model, messages }),
        "openai-responses": await send("/v1/responses", bearer, { model, input: "hello" }),
        anthropic: await send("/v1/messages", { "x-api-key": key }, { model, max_tokens: 64, messages }),
        gemini: await send(
          `/v1beta/models/${model}:generateContent`,
          { "x-goog-api-key": key },
          {
            contents: [{ role: "user", parts: [{ text: "hello" }] }],
          },
        ),
      };
      return Object.fromEntries(Object.entries(answers).map(([name, { status }]) => [name, status]));
    },
    models: async (key: string, from = "127.0.0.1") =>
      send("/v1/models", { authorization: `Bearer ${key}`, "x-forwarded-for": from }),
    async stop() {
      await gateway.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

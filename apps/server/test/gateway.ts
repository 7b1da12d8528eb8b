import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { type DemoUpstream, startDemoUpstream } from "@gateway/demo/server";
import type { TokenForm, TokenRow } from "@gateway/shared/accounts/token";
import type { ChannelForm, ChannelRow } from "@gateway/shared/channels/channel";
import type { UserGroupPage } from "@gateway/shared/channels/group";
import type { LogPage, LogRow } from "@gateway/shared/usage/log";
import OpenAI from "openai";
import type { z } from "zod";
import { audit } from "#domain/ledger/balances/audit.ts";
import { connect, type Database } from "#platform/database/db.ts";
import { readEnv } from "../src/env.ts";
import { startGateway } from "../src/start/index.ts";
import { startedDatabase } from "./database.ts";
import { rootPassword, testAccessToken, testSecretKey } from "./root-account.ts";

/** The whole gateway on a real socket, with its own database and a provider that can simulate failures. */
export interface TestGateway {
  url: string;
  upstream: DemoUpstream;
  database: Database;
  /** Calls the management API as root. Throws the server's message unless the response reports success. */
  api<T>(method: string, path: string, body?: unknown): Promise<T>;
  addChannel(channel: Partial<ChannelForm> & { type: number; name: string }): Promise<ChannelRow>;
  addToken(token?: Partial<TokenForm>): Promise<TokenRow & { key: string }>;
  /** Adds a price, by default $1 per million tokens. Throws when the model has a price. */
  addPrice(model: string, fields?: object): Promise<unknown>;
  /** Sets the requests per minute of an account, and waits until this node applies it. */
  allow(perMinute: number): Promise<void>;
  openai(key: string): OpenAI;
  anthropic(key: string): Anthropic;
  /** Returns log rows, newest first, of one key or all. Waits until there are at least `count` rows of calls. */
  logs(count?: number, tokenId?: number): Promise<LogRow[]>;
  /** Sum of the drift of all balances; must be 0. */
  drift(): Promise<bigint>;
  stop(): Promise<void>;
}

export { rootPassword, testAccessToken, testSecretKey };

/**
 * Starts a gateway. With `beside` it is another node on that gateway's database and shares its `SECRET_KEY`.
 */
export async function startTestGateway(
  env: Record<string, string> = {},
  beside?: TestGateway,
  options: Parameters<typeof startGateway>[1] = {},
): Promise<TestGateway> {
  const fresh = beside === undefined ? await startedDatabase() : undefined;
  const databaseUrl = fresh?.url ?? beside?.database.url ?? "";
  const dataDir = await mkdtemp(join(tmpdir(), "gateway-test-"));
  const upstream = await startDemoUpstream();
  const gateway = await startGateway(
    readEnv({
      NODE_ENV: "test",
      HOST: "127.0.0.1",
      PORT: "0",
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir,
      ROOT_USERNAME: "root",
      ROOT_PASSWORD: rootPassword,
      ROOT_ACCESS_TOKEN: testAccessToken,
      LOG_LEVEL: "silent",
      SECRET_KEY: testSecretKey,
      TRUST_PROXY: "loopback",
      // More than any test sends as root.
      API_RATE_LIMIT: "1000000",
      ...env,
    }),
    { keepStartMemory: true, ...options },
  );
  const database = connect(databaseUrl, { max: 4 });
  let requested = 0;

  async function api<T>(method: string, path: string, body?: unknown): Promise<T> {
    requested += 1;
    const response = await fetch(`${gateway.url}/api${path}`, {
      method,
      headers: {
        "api-version": "2",
        authorization: testAccessToken,
        // Each request uses its own client address, so that polling tests do not reach the limit of one
        // address.
        "x-forwarded-for": `10.6.${requested >> 8}.${requested & 255}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const answer = (await response.json()) as { success: boolean; message: string; data: T };
    if (!answer.success) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer.data;
  }

  return {
    url: gateway.url,
    upstream,
    database,
    api,
    addChannel: (channel) =>
      api("POST", "/channel", {
        base_url: channel.type === 900 ? "" : upstream.url,
        key: channel.type === 900 ? "" : "provider-key",
        models: ["demo-chat"],
        groups: ["default"],
        ...channel,
      }),
    addToken: (token) => api("POST", "/token", { name: "test", ...token }),
    addPrice: (model, fields) =>
      api("POST", "/prices/single", {
        model,
        type: "tokens",
        channel_type: 1,
        input: 1,
        output: 1,
        ...fields,
      }),
    async allow(perMinute) {
      const { data } = await api<z.infer<typeof UserGroupPage>>("GET", "/user_group");
      for (const group of data) await api("PUT", `/user_group/${group.id}`, { api_rate: perMinute });
    },
    openai: (apiKey) => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 }),
    anthropic: (apiKey) => new Anthropic({ baseURL: gateway.url, apiKey, maxRetries: 0 }),
    async logs(count = 1, tokenId) {
      // Counting costs a tenth of reading the list.
      const counted =
        "SELECT count(*) FROM request_logs WHERE type IN (2, 5) AND ($1::int IS NULL OR token_id = $1)";
      const until = Date.now() + 30_000;
      while (Date.now() < until) {
        const { rows } = await database.pool.query<{ count: bigint }>(counted, [tokenId ?? null]);
        if (Number(rows[0]?.count) >= count) break;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      const page = await api<LogPage>("GET", "/log?size=100");
      return page.data.filter(
        (row) => (row.type === 2 || row.type === 5) && (tokenId === undefined || row.token_id === tokenId),
      );
    },
    drift: async () => (await audit(database.pool)).drift,
    async stop() {
      await gateway.stop();
      await upstream.close();
      await database.close();
      await fresh?.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

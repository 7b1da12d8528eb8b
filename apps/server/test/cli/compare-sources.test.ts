import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newApi } from "#migration/products/new-api/new-api.ts";
import { openLogApi } from "#migration/sources/log-api.ts";
import { shellVariables } from "./cli.ts";
import {
  accessToken,
  calls,
  closeComparison,
  compare,
  expectSameCalls,
  expectedReport,
  ids,
  late,
  openComparison,
  products,
  rows,
} from "./compared-calls.ts";
import { hashOf, litellmDatabase } from "./litellm-rows.ts";

/**
 * The same calls in the log of each product, read from SQLite, Postgres and the management APIs. For MariaDB
 * see mariadb.verify.test.ts.
 */
beforeAll(openComparison);
afterAll(closeComparison);

describe.each(["sqlite", "postgres"] as const)("gateway compare, from %s", (kind) => {
  it.each(ids)("reads the log of %s", (id) => expectSameCalls(kind, id));
});

it("finds the calls of LiteLLM by the call id in the header of its answers", async () => {
  const token = hashOf("sk-bridge");
  const iso = (seconds: number) => new Date(seconds * 1_000).toISOString().replace("Z", "");
  const source = await litellmDatabase({
    LiteLLM_UserTable: [{ user_id: "root", user_role: "proxy_admin" }],
    LiteLLM_VerificationToken: [{ token, key_alias: "bridge", user_id: "root" }],
    LiteLLM_SpendLogs: rows(() => ({}), late).map(({ id, created_at, quota }) => ({
      request_id: `chatcmpl-${id}`,
      litellm_call_id: `there-${id}`,
      api_key: token,
      spend: quota / 500_000,
      prompt_tokens: 10,
      completion_tokens: 5,
      startTime: iso(created_at),
      endTime: iso(created_at),
      model: "m",
      status: "success",
      metadata: JSON.stringify({ user_api_key_alias: "bridge" }),
    })),
  });
  try {
    expect(await compare("litellm", "--from", source.from)).toMatchObject(expectedReport(calls));
  } finally {
    await source.remove();
  }
});

/** How each product's API pages the log of an account, and what it requires beside the token. */
const apis = {
  "one-api": (query: URLSearchParams, logs: object[]) => {
    const first = Number(query.get("p")) * 10;
    return logs.slice(first, first + 10);
  },
  "new-api": (query: URLSearchParams, logs: object[]) => {
    const size = Math.min(100, Number(query.get("page_size")), 10);
    const first = (Number(query.get("p")) - 1) * size;
    return { page: Number(query.get("p")), total: logs.length, items: logs.slice(first, first + size) };
  },
};

/** Answers as the product's API does. @param limited every third request is one too many */
async function startApi(id: keyof typeof apis, limited = false): Promise<{ url: string; server: Server }> {
  let requests = 0;
  const server = createServer(({ url = "", headers }, response) => {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    requests += 1;
    const isKnown =
      headers.authorization === `Bearer ${accessToken}` &&
      (id === "one-api" || headers["new-api-user"] === "7") &&
      (pathname !== "/api/log/self" || searchParams.get("token_name") === "bridge");
    const data =
      pathname === "/api/status" ? { quota_per_unit: 500_000 } : apis[id](searchParams, products[id].logs);
    response.writeHead(limited && requests % 3 === 0 ? 429 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(isKnown ? { success: true, data } : { success: false, message: "no" }));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

describe("over the management API", () => {
  it("waits when New API limits the requests, and reads every page once", async () => {
    const { url, server } = await startApi("new-api", true);
    try {
      const source = await openLogApi({
        product: newApi,
        address: url,
        accessToken,
        userId: 7,
        keyName: "bridge",
        until: new Date(),
        limitedMs: 1,
      });
      const found: string[] = [];
      for await (const row of source.rows({ table: "logs" })) found.push(String(row["request_id"]));
      expect(found).toEqual(products["new-api"].logs.map((_, index) => `there-${index + 1}`));
    } finally {
      server.close();
    }
  });

  it.each(["one-api", "new-api"] as const)(
    "compares with %s",
    async (id) => {
      const { url, server } = await startApi(id);
      shellVariables["OLD_GATEWAY_TOKEN"] = accessToken;
      try {
        const report = await compare(id, "--url", url, ...(id === "new-api" ? ["--user-id", "7"] : []));
        expect(report).toMatchObject(expectedReport(calls));
      } finally {
        delete shellVariables["OLD_GATEWAY_TOKEN"];
        server.close();
      }
    },
    60_000,
  );
});

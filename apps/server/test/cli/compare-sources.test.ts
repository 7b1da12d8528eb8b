import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { ComparisonReport } from "@gateway/shared/site/comparison";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newApiColumns } from "#migration/products/new-api-columns.ts";
import { newApi } from "#migration/products/new-api.ts";
import { oneApiColumns } from "#migration/products/one-api-columns.ts";
import { oneHubColumns } from "#migration/products/one-hub-columns.ts";
import { openLogApi } from "#migration/sources/log-api.ts";
import { connect, type Database } from "#platform/database/db.ts";
import { installedDatabase } from "#test/database.ts";
import { type Mariadb, mariadbMissing, startMariadb } from "#test/mariadb.ts";
import { cli, shellVariables } from "./cli.ts";
import { foreignDatabase } from "./foreign-database.ts";
import { hashOf, litellmDatabase } from "./litellm-rows.ts";

/** The same calls in the log of each product, read from each database system and from the management APIs. */

const calls = 25;
const accessToken = "token-of-the-old-account";
const missing = mariadbMissing();
if (missing !== undefined) console.warn(`MariaDB sources are not tested: ${missing}`);
const kinds = ["sqlite", "postgres", ...(missing === undefined ? (["mariadb"] as const) : [])] as const;

let mariadb: Mariadb | undefined;
let place: Awaited<ReturnType<typeof installedDatabase>>;
let database: Database;
let channel: number;
/** When the first call began; each one began a minute after the one before. */
const start = Math.floor(Date.now() / 1_000) - 7_200;

beforeAll(async () => {
  if (missing === undefined) mariadb = await startMariadb();
  place = await installedDatabase();
  database = connect(place.url, { max: 2 });
  ({ id: channel } = await database.db.channel.create({ data: { name: "Old gateway", type: 1 } }));
  for (let number = 1; number <= calls; number += 1)
    await database.pool.query(
      `INSERT INTO request_logs (request_id, created_at, user_id, type, channel_id, model_name, prompt_tokens,
         completion_tokens, quota, attempts)
       VALUES ($1, to_timestamp($2), 1, 2, $3, 'm', 10, 5, $4, $5)`,
      [
        `here-${number}`,
        start + number * 60,
        channel,
        number * 500,
        JSON.stringify([{ channel_id: channel, result: "ok", upstream_request_id: `there-${number}` }]),
      ],
    );
});
afterAll(async () => {
  await mariadb?.stop();
  await database.close();
  await place.drop();
});

/** Tokens are the same in all rows, so that only time or request id finds a row. The last one costs 1,000 points more. */
const rows = (fields: (number: number) => object, lateSeconds = 0) =>
  Array.from({ length: calls }, (_, index) => {
    const number = index + 1;
    return {
      id: number,
      user_id: 7,
      created_at: start + number * 60 + lateSeconds,
      type: 2,
      username: "root",
      token_name: "bridge",
      model_name: "m",
      prompt_tokens: 10,
      completion_tokens: 5,
      quota: number * 500 + (number === calls ? 1_000 : 0),
      ...fields(number),
    };
  });

/** Half an hour late: without the ids none of these rows would be found, or a wrong one. */
const late = 1_800;
const products = {
  "one-hub": {
    columns: oneHubColumns,
    logs: rows(() => ({ metadata: "{}" })),
    byId: 0,
  },
  "new-api": {
    columns: newApiColumns,
    logs: rows((number) => ({ request_id: `there-${number}`, other: "{}" }), late),
    byId: calls,
  },
  "one-api": {
    columns: oneApiColumns,
    logs: rows((number) => ({ request_id: `there-${number}` }), late),
    byId: calls,
  },
};
type Id = keyof typeof products;
const ids = Object.keys(products) as Id[];

async function compare(product: string, ...args: string[]): Promise<ComparisonReport> {
  const run = await cli(
    place.url,
    "compare",
    product,
    "--channel",
    String(channel),
    "--key-name",
    "bridge",
    "--window",
    "20",
    "--json",
    ...args,
  );
  expect(run.exitCode, run.err).toBe(1);
  return run.json() as ComparisonReport;
}

const expected = (byId: number) => ({
  calls: { compared: calls, equal: calls - 1, deviating: 1, ambiguous: 0, missing_here: 0, missing_there: 0 },
  matched_by_id: byId,
  deviations: [
    { kind: "charge", here: { id: `here-${calls}`, charge: "12500" }, source: { charge: "13500" } },
  ],
});

describe.each(kinds)("from %s", (kind) => {
  it.each(ids)("reads the log of %s", async (id) => {
    const { columns, logs, byId } = products[id];
    const source = await foreignDatabase(kind, columns, { logs }, mariadb);
    try {
      expect(await compare(id, "--from", source.from)).toMatchObject(expected(byId));
    } finally {
      await source.remove();
    }
  });
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
    expect(await compare("litellm", "--from", source.from)).toMatchObject(expected(calls));
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
        expect(report).toMatchObject(expected(calls));
      } finally {
        delete shellVariables["OLD_GATEWAY_TOKEN"];
        server.close();
      }
    },
    60_000,
  );
});

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ComparisonReport } from "@gateway/shared/site/comparison";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oneHubColumns } from "#migration/products/one-hub/columns.ts";
import { oneHub } from "#migration/products/one-hub/one-hub.ts";
import { openLogApi } from "#migration/sources/log-api.ts";
import { startTestGateway, testAccessToken, type TestGateway } from "#test/gateway.ts";
import { cli, shellVariables } from "./cli.ts";
import { foreignDatabase } from "./foreign-database.ts";

/** A second gateway is the old one: its management API is that of One Hub. */
let old: TestGateway;
let gateway: TestGateway;
let key: string;
let channel: number;

const compare = (...args: string[]) =>
  cli(
    gateway.database.url,
    "compare",
    "one-hub",
    "--channel",
    String(channel),
    "--key-name",
    "bridge",
    ...args,
  );
const overApi = async () => {
  const run = await compare("--url", old.url, "--json");
  return { exitCode: run.exitCode, report: run.json() as ComparisonReport };
};

const price = ({ api }: TestGateway, input: number) =>
  api("PUT", "/prices/single/demo-chat", {
    model: "demo-chat",
    type: "tokens",
    channel_type: 1,
    input,
    output: 100,
  });

/** Sends calls of different sizes, and waits until both logs have them. */
async function send(count: number, size = 0): Promise<void> {
  const before = [await charged(gateway), await charged(old)];
  for (let call = 0; call < count; call += 1)
    await gateway.openai(key).chat.completions.create({
      model: "demo-chat",
      messages: [{ role: "user", content: "word ".repeat(size + call * 7 + 1) }],
    });
  await expect
    .poll(async () => [await charged(gateway), await charged(old)], { timeout: 20_000 })
    .toEqual(before.map((calls) => calls + count));
}

async function charged({ database }: TestGateway): Promise<number> {
  const { rows } = await database.pool.query<{ count: bigint }>(
    "SELECT count(*) AS count FROM request_logs WHERE type = 2",
  );
  return Number(rows[0]?.count ?? 0);
}

/** Moves all calls into the past: a call that just ended may still be written on the other side. */
async function age({ database }: TestGateway): Promise<void> {
  await database.pool.query("UPDATE request_logs SET created_at = created_at - interval '10 minutes'");
}

async function clear(): Promise<void> {
  for (const { database } of [old, gateway])
    await database.pool.query("DELETE FROM request_logs WHERE type = 2");
}

beforeAll(async () => {
  [old, gateway] = await Promise.all([startTestGateway(), startTestGateway()]);
  await Promise.all([price(old, 50), price(gateway, 50)]);
  await old.addChannel({ type: 1, name: "provider" });
  const bridge = await old.addToken({ name: "bridge", unlimited_quota: true });
  ({ id: channel } = await gateway.addChannel({
    type: 1,
    name: "old gateway",
    base_url: old.url,
    key: bridge.key,
  }));
  ({ key } = await gateway.addToken({ unlimited_quota: true }));
  shellVariables["OLD_GATEWAY_TOKEN"] = testAccessToken;
});
afterAll(async () => {
  delete shellVariables["OLD_GATEWAY_TOKEN"];
  await Promise.all([old.stop(), gateway.stop()]);
});

describe("gateway compare", () => {
  it("finds each call in the old gateway's log and agrees on its charge", async () => {
    await send(4);
    const { exitCode, report } = await overApi();
    expect(report).toMatchObject({
      calls: { compared: 4, equal: 4, deviating: 0 },
      matched_by_id: 4,
      deviations: [],
      ok: true,
    });
    expect(exitCode).toBe(0);
    expect(BigInt(report.totals.here)).toBeGreaterThan(0n);
    expect(report.totals.here).toBe(report.totals.source);
    const printed = await compare("--url", old.url);
    expect(printed.out).toContain("All charges are equal.");
    expect(printed.err).toContain("calls: 4");
  });

  it("does not confuse calls of the same size that were charged differently, because their request ids differ", async () => {
    await clear();
    const prices = [50, 60, 50, 60];
    for (const input of prices) {
      await price(old, input);
      await send(1);
    }
    await price(old, 50);
    const { report } = await overApi();
    expect(report).toMatchObject({
      calls: { compared: 4, equal: 2, deviating: 2, ambiguous: 0 },
      matched_by_id: 4,
    });
    // Without the ids nothing says which row belongs to which call.
    await gateway.database.pool.query(
      "UPDATE request_logs SET attempts = jsonb_path_query_array(attempts, '$[*].channel_id')",
    );
    expect((await overApi()).report).toMatchObject({
      matched_by_id: 0,
      calls: { ambiguous: expect.any(Number) },
    });
    expect((await overApi()).report.calls.ambiguous).toBeGreaterThan(0);
  });

  it("lists a call that is missing on one side", async () => {
    await clear();
    await send(3);
    await age(old);
    await age(gateway);
    const remove = ({ database }: TestGateway, which: "min" | "max") =>
      database.pool.query(
        `DELETE FROM request_logs WHERE id = (SELECT ${which}(id) FROM request_logs WHERE type = 2)`,
      );
    await remove(gateway, "min");
    const first = await overApi();
    expect(first.exitCode).toBe(1);
    expect(first.report.calls).toMatchObject({ compared: 2, equal: 2, missing_here: 1, missing_there: 0 });
    expect(first.report.deviations).toMatchObject([{ kind: "missing_here", here: null }]);
    await remove(old, "min");
    await remove(old, "max");
    const second = await overApi();
    expect(second.exitCode).toBe(1);
    expect(second.report.calls).toMatchObject({ compared: 1, equal: 1, missing_here: 0, missing_there: 1 });
    expect(second.report.deviations).toMatchObject([{ kind: "missing_there", source: null }]);
  });

  it("names the price as the cause where the old gateway has another one", async () => {
    await clear();
    await price(old, 60);
    await send(3);
    const { exitCode, report } = await overApi();
    expect(exitCode).toBe(1);
    expect(report).toMatchObject({ calls: { compared: 3, equal: 0, deviating: 3 }, causes: { price: 3 } });
    for (const { causes, here, source } of report.deviations) {
      expect(causes).toEqual(["price"]);
      expect(here?.price).toMatchObject({ input: 50 });
      expect(source?.price).toMatchObject({ input: 60 });
    }
    expect((await compare("--url", old.url)).out).toContain("different price");
  });

  it("reads a One Hub database, with another unit, and names different tokens", async () => {
    await clear();
    await send(2);
    const { rows } = await gateway.database.pool.query<{
      at: string;
      prompt_tokens: bigint;
      completion_tokens: bigint;
      quota: bigint;
    }>(
      `SELECT ceil(extract(epoch FROM created_at))::text AS at, prompt_tokens, completion_tokens, quota
         FROM request_logs WHERE type = 2 ORDER BY created_at`,
    );
    const logs = rows.map(({ at, prompt_tokens, completion_tokens, quota }, place) => ({
      id: place + 1,
      user_id: 1,
      created_at: Number(at),
      type: 2,
      username: "root",
      token_name: "bridge",
      model_name: "demo-chat",
      // The second row counts one token more.
      prompt_tokens: Number(prompt_tokens) + place,
      completion_tokens: Number(completion_tokens),
      quota: (Number(quota) + place * 50) * 2,
      request_time: 1,
      metadata: "{}",
    }));
    const made = await foreignDatabase("sqlite", oneHubColumns, {
      options: [{ key: "QuotaPerUnit", value: "1000000" }],
      logs,
    });
    try {
      const run = await compare("--from", made.from, "--json");
      expect(run.exitCode, run.err).toBe(1);
      expect(run.json()).toMatchObject({
        calls: { compared: 2, equal: 1, deviating: 1 },
        causes: { tokens: 1 },
      });
      await made.run("UPDATE logs SET user_id = 2 WHERE id = 2");
      const mixed = await compare("--from", made.from);
      expect(mixed).toMatchObject({ exitCode: 3, err: expect.stringContaining("--username") });
    } finally {
      await made.remove();
    }
  });

  it("states what to do when the other gateway cannot be read", async () => {
    expect(await compare()).toMatchObject({ exitCode: 2, err: expect.stringContaining("--from or --url") });
    expect(await compare("--url", "http://127.0.0.1:9")).toMatchObject({
      exitCode: 3,
      err: expect.stringContaining("cannot be reached"),
    });
    expect(await compare("--url", gateway.upstream.url)).toMatchObject({
      exitCode: 3,
      err: expect.stringContaining("Check the address after --url"),
    });
    shellVariables["OLD_GATEWAY_TOKEN"] = "wrong";
    const rejected = await compare("--url", old.url);
    shellVariables["OLD_GATEWAY_TOKEN"] = testAccessToken;
    expect(rejected).toMatchObject({ exitCode: 3, err: expect.stringContaining("OLD_GATEWAY_TOKEN") });
  });

  it("does not read an answer without end", async () => {
    const endless = createServer((_request, response) => {
      const more = () => {
        while (!response.destroyed) if (!response.write(Buffer.alloc(65_536, "1"))) break;
        response.once("drain", more);
      };
      response.writeHead(200, { "content-type": "application/json" });
      more();
    });
    await new Promise<void>((resolve) => void endless.listen(0, "127.0.0.1", resolve));
    const { port } = endless.address() as AddressInfo;
    try {
      expect(await compare("--url", `http://127.0.0.1:${port}`)).toMatchObject({
        exitCode: 3,
        err: expect.stringContaining("does not respond like the management API"),
      });
    } finally {
      endless.closeAllConnections();
      endless.close();
    }
  });

  it("does not wait for an old gateway that hangs", async () => {
    const hanging = createServer(() => undefined);
    await new Promise<void>((resolve) => void hanging.listen(0, "127.0.0.1", resolve));
    const { port } = hanging.address() as AddressInfo;
    try {
      await expect(
        openLogApi({
          product: oneHub,
          address: `http://127.0.0.1:${port}`,
          accessToken: "secret",
          userId: undefined,
          keyName: "bridge",
          until: new Date(),
          timeoutMs: 200,
        }),
      ).rejects.toThrow("did not respond within 0.2 seconds");
    } finally {
      hanging.closeAllConnections();
      hanging.close();
    }
  });
});

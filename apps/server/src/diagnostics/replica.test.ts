import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { connect, type Database } from "#platform/database/db.ts";
import { makeAuthority } from "#test/certificates.ts";
import { type ReplicatedPostgres, startReplicatedPostgres } from "#test/standby.ts";
import { enableTls } from "#test/tls-postgres.ts";
import type { Subject } from "./finding.ts";
import { replica } from "./replica.ts";

let postgres: ReplicatedPostgres;
let primary: Database;

beforeAll(async () => {
  postgres = await startReplicatedPostgres();
  primary = connect(postgres.primary.url);
}, 60_000);
afterAll(async () => {
  await primary.close();
  await postgres.close();
}, 60_000);

const used = ["ok", "replica_used", undefined];

async function check(url: string | undefined, { maxLagMs = 10_000, database = primary } = {}) {
  const env = { replica: url === undefined ? undefined : { url, maxLagMs } };
  const findings = await replica({ env, database } as unknown as Pick<Subject, "env" | "database">);
  expect(JSON.stringify(findings)).not.toContain(new URL(postgres.primary.url).password);
  return findings.map(({ state, code, params }) => [state, code, params["detail"] ?? params["limit"]]);
}

it("a replica that is not configured is no problem, and one that follows the database is named with its lag", async () => {
  expect(await check(undefined)).toEqual([["ok", "replica_unset", undefined]]);
  await expect.poll(() => check(postgres.standby.url), { timeout: 20_000 }).toEqual([used]);
});

it("an address without a server, without a standby or with another database is a problem", async () => {
  expect(await check("postgres://gateway:hush@127.0.0.1:9/gateway")).toEqual([
    ["problem", "replica_unreachable", expect.stringContaining("ECONNREFUSED")],
  ]);
  expect(await check("postgres://gateway:hush@localhost:9/gateway")).toEqual([
    ["problem", "replica_unreachable", expect.stringContaining("ECONNREFUSED")],
  ]);
  expect(await check(postgres.primary.url)).toEqual([["problem", "replica_not_standby", undefined]]);
  const other = new URL(postgres.standby.url);
  other.pathname = "/postgres";
  expect(await check(other.href)).toEqual([["problem", "replica_other_database", undefined]]);
  const encrypted = new URL(postgres.standby.url);
  encrypted.searchParams.set("sslmode", "verify-full");
  expect(await check(encrypted.href)).toEqual([
    ["problem", "replica_unreachable", expect.stringContaining("SSL")],
  ]);
});

it("a replica that is too far behind is a warning with the limit", async () => {
  await primary.pool.query("CREATE TABLE notes (text text)");
  await expect.poll(() => check(postgres.standby.url), { timeout: 20_000 }).toEqual([used]);
  await postgres.pauseReplay();
  await primary.pool.query("INSERT INTO notes VALUES ('a')");
  await expect
    .poll(() => check(postgres.standby.url, { maxLagMs: 100 }), { timeout: 20_000 })
    .toEqual([["warning", "replica_lagging", 0.1]]);
  await postgres.resumeReplay();
});

it("a replica without encryption is a warning where the connection to the database has it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gateway-replica-tls-"));
  await chmod(folder, 0o755);
  const authority = join(folder, "ca");
  await makeAuthority(authority);
  const { primary: server, folders } = postgres;
  await enableTls({
    url: server.url,
    dataDir: folders.primary,
    authority,
    certificate: join(folder, "server"),
  });
  const url = new URL(server.url);
  url.searchParams.set("sslmode", "no-verify");
  const database = connect(url.href);
  try {
    await expect
      .poll(() => check(postgres.standby.url, { database }), { timeout: 20_000 })
      .toEqual([used, ["warning", "replica_not_encrypted", undefined]]);
  } finally {
    await database.close();
    await rm(folder, { recursive: true });
  }
});

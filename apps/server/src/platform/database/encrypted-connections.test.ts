import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { announce, listen } from "#platform/announcements.ts";
import { startTcpProxy } from "#test/tcp-proxy.ts";
import { startTlsPostgres, type TlsPostgres } from "#test/tls-postgres.ts";
import { openConnection } from "./connection.ts";
import { waitForDatabase } from "./database-address.ts";
import { connect, type Database, types } from "./db.ts";
import { migrate, migrationsFolder } from "./migrate.ts";
import { refuseTransactionPooling } from "./pooling.ts";

let postgres: TlsPostgres;
let database: Database;
let url: string;

beforeAll(async () => {
  postgres = await startTlsPostgres();
  url = withFiles(postgres.url, {});
  database = connect(url, { max: 3 });
}, 60_000);
afterAll(async () => {
  await database.close();
  await postgres.close();
}, 60_000);

/** Returns the address with `sslmode=verify-full` and the given files; those of the test's authority by default. */
function withFiles(address: string, files: { ca?: string | undefined; cert?: string | undefined }): string {
  const { ca = postgres.files.ca, cert = postgres.files.cert } = files;
  const complete = new URL(address);
  const { searchParams } = complete;
  searchParams.set("sslmode", "verify-full");
  if (ca !== "") searchParams.set("sslrootcert", ca);
  if (cert !== "") {
    searchParams.set("sslcert", cert);
    searchParams.set("sslkey", postgres.files.key);
  }
  return complete.href;
}

const encrypted = `SELECT ssl, client_dn FROM pg_stat_ssl WHERE pid = pg_backend_pid()`;
const withCertificate = [{ ssl: true, client_dn: "/CN=gateway" }];

const failureOf = (address: string) =>
  waitForDatabase(address, { patienceMs: 5_000, onWait: () => undefined }).then(
    () => "connected",
    (error: Error) => error.message,
  );

test("encryption: the start, migrations and the check for a pooler use the certificates of DATABASE_URL", async () => {
  await waitForDatabase(url, { patienceMs: 0, onWait: () => undefined });
  await refuseTransactionPooling(url);
  expect((await migrate(url, migrationsFolder)).applied.length).toBeGreaterThan(10);
}, 60_000);

test("encryption: the pool, Prisma and permanent connections use them", async () => {
  expect((await database.pool.query(encrypted)).rows).toEqual(withCertificate);
  expect(await database.db.$queryRawUnsafe(encrypted)).toEqual(withCertificate);
  const limits = { statementMs: 5_000, lockMs: 5_000, silentMs: 6_000 };
  const connection = openConnection({ url, applicationName: "test", types, ...limits });
  expect(await connection.query({ text: encrypted })).toEqual(withCertificate);
  await connection.close();
});

test("encryption: announcements arrive, and their connection is opened again after it was lost", async () => {
  const proxy = await startTcpProxy(url);
  const through = new URL(url);
  [through.hostname, through.port] = ["localhost", new URL(proxy.url).port];
  const announcements = await listen(through.href, () => undefined);
  const received: number[] = [];
  announcements.on("users", (id) => received.push(id));
  await announce(database.db, "users", 7);
  await expect.poll(() => received).toEqual([7]);
  proxy.cut();
  await expect.poll(() => received, { timeout: 10_000 }).toEqual([7, 0]);
  await announce(database.db, "users", 8);
  await expect.poll(() => received).toEqual([7, 0, 8]);
  await announcements.close();
  await proxy.close();
});

test("encryption: a connection that receives data is not dropped as silent, and a silent one is", async () => {
  const proxy = await startTcpProxy(url);
  const through = new URL(url);
  [through.hostname, through.port] = ["localhost", new URL(proxy.url).port];
  const observed = connect(through.href, { max: 1 });
  const pid = async () => (await observed.pool.query("SELECT pg_backend_pid() AS pid")).rows;
  const before = await pid();
  const openedAt = performance.now();
  while (performance.now() - openedAt < 500) await pid();
  observed.dropSilent(300);
  expect(await pid()).toEqual(before);
  proxy.silence();
  const waiting = observed.pool.query("SELECT 1").then(
    () => "answered",
    (error: { code?: string }) => error.code,
  );
  await sleep(400);
  observed.dropSilent(300);
  expect(await waiting).toBe("ETIMEDOUT");
  await observed.close();
  await proxy.close();
});

test("encryption: a server that another authority has certified is refused at once, with the reason", async () => {
  const message = await failureOf(withFiles(postgres.url, { ca: postgres.files.otherCa }));
  expect(message).toMatch(/certificate of Postgres is not trusted.*sslrootcert/);
  expect(await failureOf(withFiles(postgres.url, { ca: "" }))).toMatch(
    /certificate of Postgres is not trusted/,
  );
});

test("encryption: a certificate for another host name is refused", async () => {
  const address = new URL(postgres.url);
  address.hostname = "127.0.0.1";
  expect(await failureOf(withFiles(address.href, {}))).toMatch(/names another host.*Check the host/);
});

test("encryption: Postgres refuses a client without a certificate", async () => {
  expect(await failureOf(withFiles(postgres.url, { cert: "" }))).toMatch(/valid client certificate/);
});

test("encryption: a file that cannot be read is named", async () => {
  const message = await failureOf(withFiles(postgres.url, { ca: "/no/such/ca.pem" }));
  expect(message).toMatch(/\/no\/such\/ca\.pem.*cannot be read/);
  expect(message).not.toContain(new URL(postgres.url).password);
});

/** What does not work around the gateway is named in `/api/ready` and in a notice. Calls continue, and nothing is half applied. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { InboxPage } from "@gateway/shared/site/inbox";
import type { NoticeEvent } from "@gateway/shared/site/notice";
import { afterAll, beforeAll, expect, it } from "vitest";
import { collectChannelEvents } from "#domain/notices/collect.ts";
import { type Collector, startCollector } from "#test/collector.ts";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { nightly } from "#test/nightly.ts";
import { type S3Server, startS3Server } from "#test/s3-server.ts";
import { startReplicatedPostgres } from "#test/standby.ts";

let collector: Collector;
let bucket: S3Server;
let vault: Awaited<ReturnType<typeof startVault>>;
let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  [collector, bucket, vault] = await Promise.all([
    startCollector(),
    startS3Server("site", "right"),
    startVault(),
  ]);
  gateway = await startTestGateway({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_TIMEOUT: "500",
    OTEL_METRIC_EXPORT_INTERVAL: "1000",
    VAULT_ADDR: vault.url,
    VAULT_TOKEN: "hvs.token",
    VAULT_ALLOWED_PATHS: "secret/data/gateway",
  });
  await gateway.addChannel({ type: 8, name: "works" });
  ({ key } = await gateway.addToken({ unlimited_quota: true }));
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([collector.close(), bucket.close(), vault.close()]);
});

/** A Vault that refuses every request. */
async function startVault() {
  const server = createServer((_request, response) => {
    response
      .writeHead(403, { "content-type": "application/json" })
      .end(JSON.stringify({ errors: ["permission denied"] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

async function problems({ url } = gateway): Promise<string[]> {
  const response = await fetch(`${url}/api/ready`);
  return ((await response.json()) as { problems?: string[] }).problems ?? [];
}

/** Returns what the inbox of operators says about an event, one line for each entry. */
async function noticesOf(event: NoticeEvent, at = gateway): Promise<string> {
  const { data } = await at.api<InboxPage>("GET", "/inbox?size=100");
  const rows = data.filter((row) => row.event === event);
  return rows.map(({ facts, reason }) => `${Object.values(facts).join(", ")}: ${reason}`).join("\n");
}

async function requireCall(at = gateway, using = key): Promise<void> {
  const messages = [{ role: "user" as const, content: "Hi" }];
  const { choices } = await at.openai(using).chat.completions.create({ model: "demo-chat", messages });
  expect(choices).toHaveLength(1);
}

/** Runs jobs now: a node that starts looks for what is due. */
async function runJobs(...names: string[]): Promise<void> {
  await gateway.database.pool.query("UPDATE job_schedules SET due_at = now() WHERE name = ANY ($1)", [names]);
  const node = await startTestGateway({}, gateway);
  const due = () =>
    gateway.database.pool.query(
      "SELECT FROM job_schedules WHERE name = ANY ($1) AND (due_at <= now() OR node_id IS NOT NULL)",
      [names],
    );
  await expect.poll(async () => (await due()).rowCount, { timeout: 30_000 }).toBe(0);
  await node.stop();
}

const change = (values: object) => gateway.api("PUT", "/option/batch", { values });

it.each(["refuse", "hang"] as const)("a collector that does this: %s", async (mode) => {
  collector.mode = mode;
  await expect.poll(() => problems(), { timeout: 15_000 }).toContain("telemetry_not_accepted");
  await expect.poll(() => noticesOf("telemetry-refused")).toMatch(/(traces|metrics|logs)/);
  await requireCall();
  collector.mode = "accept";
  await expect.poll(() => problems(), { timeout: 15_000 }).not.toContain("telemetry_not_accepted");
});

it("a full backup target: named until a backup succeeds, and no part of one is left", async () => {
  bucket.isFull = true;
  await change({
    BackupEnabled: true,
    BackupPlace: "s3",
    BackupS3Endpoint: bucket.endpoint,
    BackupS3Bucket: "site",
    BackupS3AccessKey: "right",
    BackupS3SecretKey: "secret",
  });
  await runJobs("write-backups");
  await expect.poll(() => problems()).toContain("backup_failing");
  expect(await noticesOf("job-failed")).toMatch(/write-backups: .*507/);
  expect([...bucket.objects.keys(), ...bucket.uploads.keys()]).toEqual([]);
  await requireCall();

  bucket.isFull = false;
  await runJobs("write-backups");
  await expect.poll(() => problems()).not.toContain("backup_failing");
  expect(bucket.objects.size).toBe(1);
});

it("a failed backup: no longer named once a backup that an administrator started succeeds", async () => {
  bucket.objects.clear();
  bucket.isFull = true;
  await runJobs("write-backups");
  await expect.poll(() => problems()).toContain("backup_failing");

  bucket.isFull = false;
  await gateway.api("POST", "/option/backups/run");
  await expect.poll(() => problems()).not.toContain("backup_failing");
  expect(bucket.objects.size).toBe(1);
});

it("a wrong key of S3: named for backups and for the log export", async () => {
  bucket.objects.clear();
  await change({
    BackupS3AccessKey: "wrong",
    LogExportEnabled: true,
    LogExportPlace: "s3",
    LogExportS3Endpoint: bucket.endpoint,
    LogExportS3Bucket: "site",
    LogExportS3AccessKey: "wrong",
    LogExportS3SecretKey: "secret",
  });
  // An ended hour with a call, so that there is something to export.
  await gateway.database.pool.query(
    `INSERT INTO request_logs (created_at, request_id, type, user_id)
     VALUES (date_trunc('hour', now()) - interval '90 minutes', 'call', 2, 1)`,
  );
  await runJobs("write-backups", "export-log");
  await expect
    .poll(() => problems())
    .toEqual(expect.arrayContaining(["backup_failing", "log_export_failing"]));
  const notices = await noticesOf("job-failed");
  expect(notices).toMatch(/write-backups: .*403/);
  expect(notices).toMatch(/export-log: .*403/);
  expect(bucket.objects.size).toBe(0);
  await requireCall();

  await change({ BackupEnabled: false, LogExportEnabled: false });
  await runJobs("write-backups");
  await expect.poll(() => problems()).toEqual([]);
});

it("a Vault that answers 403: the key is named, and other channels serve the calls", async () => {
  // The first collection begins with the events that come after it.
  await collectChannelEvents(gateway.database.db);
  await gateway.addChannel({
    type: 8,
    name: "key in Vault",
    key: "vault:secret/data/gateway#key",
    priority: 100,
  });
  await requireCall();
  await expect.poll(() => problems(), { timeout: 15_000 }).toContain("channel_key_unreadable");
  await expect
    .poll(
      async () => {
        await collectChannelEvents(gateway.database.db);
        return noticesOf("key-unavailable");
      },
      { timeout: 15_000 },
    )
    .toMatch(/key in Vault.*403/);
});

it("a SCIM client that sends half a user: no account is created", async () => {
  const provider = await gateway.api<{ id: number }>("POST", "/identity_provider", {
    slug: "acme",
    name: "Acme",
    issuer: "https://acme.test",
    client_id: "gateway",
    client_secret: "secret",
    groups_claim: "groups",
  });
  const { token } = await gateway.api<{ token: string }>(
    "POST",
    `/identity_provider/${provider.id}/scim_token`,
  );
  const accounts = () => gateway.database.db.user.count();
  const before = await accounts();
  const response = await fetch(`${gateway.url}/scim/v2/Users`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/scim+json" },
    body: JSON.stringify({ externalId: "17", active: true, emails: [{ value: "kim@acme.test" }] }),
  });
  expect(response.status).toBe(400);
  expect(await accounts()).toBe(before);
  expect(await gateway.database.db.scimUser.count()).toBe(0);
  expect(await problems()).toContain("scim_change_invalid");
  await expect.poll(() => noticesOf("scim-refused")).toMatch(/Acme, POST \/scim\/v2\/Users: .*userName/);
  await requireCall();
});

it("a replica that lags for a minute", { ...nightly(true), timeout: 180_000 }, async () => {
  const postgres = await startReplicatedPostgres();
  const node = await startTestGateway({
    DATABASE_URL: postgres.primary.url,
    DATABASE_REPLICA_URL: postgres.standby.url,
    DATABASE_REPLICA_LAG_SECONDS: "1",
  });
  try {
    await node.addChannel({ type: 8, name: "works" });
    const token = await node.addToken({ unlimited_quota: true });
    await expect.poll(() => problems(node), { timeout: 15_000 }).toEqual([]);
    await postgres.pauseReplay();
    await expect
      .poll(
        async () => {
          await requireCall(node, token.key);
          return problems(node);
        },
        { timeout: 30_000, interval: 500 },
      )
      .toContain("replica_lagging");
    await expect
      .poll(
        async () => {
          await requireCall(node, token.key);
          return noticesOf("replica-unused", node);
        },
        { timeout: 120_000, interval: 2_000 },
      )
      .toMatch(/further behind the database than allowed/);
    await postgres.resumeReplay();
    await expect.poll(() => problems(node), { timeout: 30_000 }).toEqual([]);
  } finally {
    await node.stop();
    await postgres.close();
  }
});

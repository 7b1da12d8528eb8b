import type { ChannelRow } from "@gateway/shared/channels/channel";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createChannelRunner } from "#domain/channels/runs/runner.ts";
import { createSettings } from "#domain/settings/settings.ts";
import { reviveChannels } from "#jobs/revive-channels.ts";
import { openPaymentGateways } from "#payments/index.ts";
import { alwaysActive } from "#platform/activity.ts";
import { createUpstreamClient } from "#platform/http/http.ts";
import { createMailer } from "#platform/mail.ts";
import { openSecrets } from "#platform/secrets.ts";
import { demo } from "#providers/definitions/demo.ts";
import { openProviders } from "#providers/registry.ts";
import { startTestGateway, testSecretKey, type TestGateway } from "#test/gateway.ts";
import { testKeyReferences } from "#test/key-references.ts";

/**
 * A failing channel is disabled with a reason and enabled after a successful test. A manual change is kept.
 */
let gateway: TestGateway;
const upstream = createUpstreamClient();

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.api("PUT", "/option", { key: "RetryCooldownSeconds", value: 0 });
});
afterAll(async () => {
  await upstream.close();
  await gateway.stop();
});

const unused = () => Promise.reject(new Error("This job starts no run."));

async function runJob(): Promise<void> {
  const { db, pool } = gateway.database;
  const secrets = openSecrets(testSecretKey);
  const settings = await createSettings(db, secrets);
  const keyReferences = testKeyReferences();
  const probe = { settings, upstream, providers: openProviders().set(900, demo(gateway.upstream.url)) };
  await reviveChannels.run({
    db,
    pool,
    activity: alwaysActive,
    secrets,
    keyReferences,
    backups: { url: "", version: "", dataDir: "" },
    logExport: { exportIfDue: unused },
    probe,
    runner: createChannelRunner(db, { test: unused, balance: unused, models: unused }, () => {}),
    telling: {
      db,
      settings: () => settings.current(),
      mailer: createMailer(
        () => undefined,
        () => {},
      ),
      post: unused,
    },
    payments: {
      db,
      secrets,
      settings: () => settings.current(),
      gateways: openPaymentGateways(),
      fetch: unused,
    },
    tasks: {
      ...probe,
      keyReferences,
      db,
      secrets,
      post: unused,
      onError: (error) => {
        throw error;
      },
    },
    stopping: new AbortController().signal,
    onError: (error) => {
      throw error;
    },
  });
}

const channel = (id: number) => gateway.api<ChannelRow>("GET", `/channel/${id}`);

describe("a channel whose key is rejected", () => {
  it("is disabled after three rejections in a row, with the reason, and enabled by a successful test", async () => {
    const { id } = await gateway.addChannel({ type: 8, name: "expired", key: "expired" });
    const client = gateway.openai((await gateway.addToken()).key);
    const ask = () =>
      client.chat.completions.create({ model: "demo-chat", messages: [{ role: "user", content: "Hi" }] });
    gateway.upstream.control.set({ status: 401, times: 2 });
    for (let round = 0; round < 2; round += 1) await expect(ask()).rejects.toMatchObject({ status: 502 });
    // A success resets the count.
    await ask();
    expect((await channel(id)).status).toBe(1);

    gateway.upstream.control.set({ status: 401, times: 1_000 });
    for (let round = 0; round < 3; round += 1) await expect(ask()).rejects.toMatchObject({ status: 502 });
    await expect.poll(async () => (await channel(id)).status).toBe(3);
    expect((await channel(id)).status_reason).toContain("refuses the key");
    await expect.poll(() => ask().catch((error: { status: number }) => error.status)).toBe(404);

    await runJob();
    expect((await channel(id)).status).toBe(3);
    gateway.upstream.control.reset();
    await runJob();
    expect(await channel(id)).toMatchObject({ status: 1, status_reason: "" });
    const events = await gateway.database.db.channelEvent.findMany({ where: { channel_id: id } });
    expect(events.map((event) => event.kind)).toEqual(
      expect.arrayContaining(["auto-disabled", "auto-enabled"]),
    );
  });

  it("stays disabled after an administrator disabled it", async () => {
    const { id } = await gateway.addChannel({ type: 8, name: "off", key: "off" });
    await gateway.api("PATCH", `/channel/${id}`, { status: 2 });
    await runJob();
    expect((await channel(id)).status).toBe(2);
  });
});

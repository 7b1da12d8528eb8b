import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChannelKeyRow, ChannelRow, ChannelTestResult } from "@gateway/shared/channels/channel";
import type { Diagnosis } from "@gateway/shared/site/diagnosis";
import { APIError, type OpenAI } from "openai";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { collectChannelEvents } from "#domain/notices/collect.ts";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Calls through channels whose key is stored elsewhere. */
let gateway: TestGateway;
let folder: string;
let client: OpenAI;
let made: number[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "channel-keys-"));
  gateway = await startTestGateway({ CHANNEL_KEYS_DIR: folder, CHANNEL_KEY_MAIN: "sk-from-the-environment" });
  await gateway.api("PUT", "/option", { key: "RetryCooldownSeconds", value: 1 });
  client = gateway.openai((await gateway.addToken()).key);
});
afterEach(async () => {
  for (const id of made.splice(0)) await gateway.api("DELETE", `/channel/${id}`);
  gateway.upstream.control.reset();
});
afterAll(async () => {
  await gateway.stop();
  await rm(folder, { recursive: true });
});

async function add(
  key: string,
  more: Partial<Parameters<TestGateway["addChannel"]>[0]> = {},
): Promise<ChannelRow> {
  const row = await gateway.addChannel({ type: 8, name: key, key, ...more });
  made.push(row.id);
  return row;
}

const call = { model: "demo-chat", messages: [{ role: "user" as const, content: "Hello" }] };

async function ask(): Promise<string> {
  try {
    await client.chat.completions.create(call);
    return "served";
  } catch (error) {
    if (error instanceof APIError) return error.message.replace(/ \(request id: .*\)$/, "");
    throw error;
  }
}

const lastKey = () => gateway.upstream.calls().at(-1)?.key;
const stored = (id: number) =>
  gateway.database.db.channel.findUniqueOrThrow({ where: { id }, include: { keys: true } });

describe("a key that is stored elsewhere", () => {
  it("is read from a variable", async () => {
    const row = await add("env:CHANNEL_KEY_MAIN");
    expect(await ask()).toBe("served");
    expect(lastKey()).toBe("sk-from-the-environment");
    expect(await gateway.api<ChannelTestResult>("POST", `/channel/${row.id}/test`, {})).toMatchObject({
      ok: true,
    });
  });

  it("is read again without a restart when the provider refuses it", async () => {
    await writeFile(join(folder, "rotated"), "sk-old-key\n");
    await add("file:rotated", { auto_disable: false });
    expect(await ask()).toBe("served");
    gateway.upstream.control.set({ status: 401, only: { key: "sk-old-key" } });
    await writeFile(join(folder, "rotated"), "sk-new-key\n");
    // Only a key that was read some time ago is read again, and the refused one is paused for a moment.
    await expect.poll(ask, { timeout: 60_000, interval: 1_000 }).toBe("served");
    expect(lastKey()).toBe("sk-new-key");
  }, 70_000);
});

describe("a key that cannot be read", () => {
  const fault = "The key file:missing cannot be read: there is no such file.";

  it("makes the channel unavailable with a clear error, and does not disable it", async () => {
    const row = await add("file:missing");
    for (let round = 0; round < 12; round += 1)
      expect(await ask()).toBe(
        "502 The gateway cannot read its key for this provider at the moment. Try again later.",
      );
    expect(gateway.upstream.calls()).toEqual([]);
    expect(await stored(row.id)).toMatchObject({ status: 1, keys: [{ status: 1 }] });
    const tested = await gateway.api<ChannelTestResult>("POST", `/channel/${row.id}/test`, {});
    expect(tested).toMatchObject({ ok: false, message: fault, fault: "key-unavailable" });
    expect(await stored(row.id)).toMatchObject({ status: 1, keys: [{ status: 1 }] });
    const keys = await gateway.api<ChannelKeyRow[]>("GET", `/channel/${row.id}/keys`);
    expect(keys).toMatchObject([{ hint: "file:missing", fault: "there is no such file" }]);
    // The pause is short; each call that finds the key unreadable begins it again.
    const frozen = async () => {
      await ask();
      return (await gateway.api<ChannelRow>("GET", `/channel/${row.id}`)).frozen;
    };
    await expect.poll(frozen).toMatchObject([{ model: "*", reason: "key-unavailable" }]);
  });

  it("leaves calls to other channels and keys", async () => {
    await add("file:missing", { priority: 5 });
    await add("sk-sound");
    expect(await ask()).toBe("served");
    expect(lastKey()).toBe("sk-sound");
    await add("file:missing\nsk-second", { priority: 9 });
    expect(await ask()).toBe("served");
    expect(lastKey()).toBe("sk-second");
  });

  it("is named in the timeline, a notice and gateway doctor", async () => {
    const { db } = gateway.database;
    await collectChannelEvents(db);
    const row = await add("file:named");
    const events = () =>
      db.channelEvent.findMany({ where: { channel_id: row.id, kind: { startsWith: "key-" } } });
    await expect.poll(events).toMatchObject([
      {
        kind: "key-unavailable",
        reason: "The key cannot be read: there is no such file.",
        detail: { key: "file:named" },
      },
    ]);
    const notices = async () => {
      await collectChannelEvents(db);
      return db.notice.findMany({
        where: { event: "key-unavailable", topic: `channel:${row.id}:file:named` },
      });
    };
    await expect
      .poll(notices, { timeout: 20_000, interval: 1_000 })
      .toMatchObject([{ facts: { key: "file:named" } }]);
    const { findings } = await gateway.api<Diagnosis>("POST", "/diagnostics", {});
    expect(findings.find(({ code }) => code === "keys_unreadable")?.text).toBe(
      "Keys that cannot be read from where they are stored: file:named (there is no such file) (total: 1)",
    );
    await writeFile(join(folder, "named"), "sk-named");
    await expect.poll(ask, { timeout: 60_000, interval: 1_000 }).toBe("served");
    await expect.poll(async () => (await events()).map(({ kind }) => kind)).toContain("key-available");
  }, 90_000);
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemActor } from "#domain/audit-log/audit.ts";
import type { Database } from "#platform/database/db.ts";
import { openSecrets } from "#platform/secrets.ts";
import { openTestDatabase } from "#test/database.ts";
import { createSettings } from "./settings.ts";

const secrets = openSecrets("settings-test-secret-settings-test-secret");
let database: Database;

beforeAll(async () => {
  database = await openTestDatabase({ max: 4 });
});
afterAll(async () => {
  await database.close();
});

describe("settings", () => {
  it("stores only values that differ from the default, and deletes them when they are reset", async () => {
    const settings = await createSettings(database.db, secrets);
    await settings.set(systemActor, "RetryTimes", 7);
    expect(settings.current().RetryTimes).toBe(7);
    expect(await database.db.option.count({ where: { key: "RetryTimes" } })).toBe(1);
    await settings.set(systemActor, "RetryTimes", 3);
    expect(await database.db.option.count({ where: { key: "RetryTimes" } })).toBe(0);
    await settings.set(systemActor, "SystemName", "Ours");
    await settings.set(systemActor, "SystemName", null);
    expect(settings.current().SystemName).toBe("One Hub");
  });

  it("accepts numbers and booleans written as text", async () => {
    const settings = await createSettings(database.db, secrets);
    await settings.set(systemActor, "RetryTimeOut", "30");
    await settings.set(systemActor, "RegisterEnabled", "false");
    await settings.set(systemActor, "Footer", "42");
    expect(settings.current()).toMatchObject({ RetryTimeOut: 30, RegisterEnabled: false, Footer: "42" });
  });

  it("rejects unknown keys and values out of range", async () => {
    const settings = await createSettings(database.db, secrets);
    await expect(settings.set(systemActor, "toString", "x")).rejects.toMatchObject({
      code: "invalid_request",
    });
    await expect(settings.set(systemActor, "RetryTimes", 21)).rejects.toMatchObject({
      code: "invalid_request",
    });
    await expect(settings.set(systemActor, "Language", "fr_FR")).rejects.toMatchObject({ status: 400 });
    expect(settings.current().RetryTimes).toBe(3);
  });

  it("changes several values or none, and names each rejected value", async () => {
    const settings = await createSettings(database.db, secrets);
    const wrong = { RetryTimes: 9, Logo: "ftp://somewhere", Nonsense: 1 };
    await expect(settings.change(systemActor, wrong)).rejects.toMatchObject({
      status: 400,
      issues: {
        Logo: { reason: "logo_address" },
        Nonsense: { reason: "setting_unknown", setting: "Nonsense" },
      },
    });
    expect(settings.current().RetryTimes).toBe(3);
    await settings.change(systemActor, { RetryTimes: 9, Logo: "/logo.svg" });
    expect(settings.current()).toMatchObject({ RetryTimes: 9, Logo: "/logo.svg" });
    await settings.change(systemActor, { RetryTimes: null, Logo: null });
    expect(await database.db.option.count({ where: { key: { in: ["RetryTimes", "Logo"] } } })).toBe(0);
  });

  it("audits only the changed values", async () => {
    const settings = await createSettings(database.db, secrets);
    const before = await database.db.auditEntry.count();
    await settings.change(systemActor, { RetryTimes: 3, HeartbeatSeconds: 20 });
    const entries = await database.db.auditEntry.findMany({ orderBy: { id: "asc" }, skip: before });
    expect(entries.map(({ target_id, before: was, after }) => ({ target_id, was, after }))).toEqual([
      { target_id: "HeartbeatSeconds", was: { value: 15 }, after: { value: 20 } },
    ]);
  });

  it("accepts a list of chat clients as JSON, and rejects URLs that could run code in the console", async () => {
    const settings = await createSettings(database.db, secrets);
    const list = (url: string) => JSON.stringify([{ name: "Ours", url, show: true, sort: 1 }]);
    await settings.set(systemActor, "ChatLinks", list("https://chat.example/#{key}"));
    for (const bad of ["{", "{}", list("javascript:alert(1)")]) {
      await expect(settings.set(systemActor, "ChatLinks", bad)).rejects.toMatchObject({ status: 400 });
    }
    expect(settings.current().ChatLinks).toContain("chat.example");
  });

  it("encrypts secrets in the table and masks them in the audit log", async () => {
    const settings = await createSettings(database.db, secrets);
    await settings.set(systemActor, "GitHubClientSecret", "very-secret-value");
    const row = await database.db.option.findUniqueOrThrow({ where: { key: "GitHubClientSecret" } });
    expect(JSON.stringify(row.value)).not.toContain("very-secret-value");
    const entries = await database.db.auditEntry.findMany({ where: { target_id: "GitHubClientSecret" } });
    expect(JSON.stringify(entries.map((entry) => entry.after))).not.toContain("very-secret-value");
    expect((await createSettings(database.db, secrets)).current().GitHubClientSecret).toBe(
      "very-secret-value",
    );
  });

  it("does not enable GitHub sign-in without its credentials", async () => {
    const settings = await createSettings(database.db, secrets);
    await settings.set(systemActor, "GitHubClientSecret", null);
    await expect(settings.set(systemActor, "GitHubOAuthEnabled", true)).rejects.toMatchObject({
      status: 400,
    });
  });

  it("validates a change against the stored values, not the cached ones", async () => {
    const [here, there] = [
      await createSettings(database.db, secrets),
      await createSettings(database.db, secrets),
    ];
    await here.change(systemActor, { EmailDomainWhitelist: "example.com" });
    // The other node has not reloaded yet. It must know the list, and must not enable the setting once the
    // list is empty.
    await there.change(systemActor, { EmailDomainRestrictionEnabled: true });
    await expect(here.change(systemActor, { EmailDomainWhitelist: "" })).rejects.toThrow(
      "at least one domain",
    );
    await here.change(systemActor, { EmailDomainRestrictionEnabled: false, EmailDomainWhitelist: "" });
    await expect(there.change(systemActor, { EmailDomainRestrictionEnabled: true })).rejects.toThrow(
      "at least one domain",
    );
  });

  it("keeps the values of a later reload when an earlier reload ends after it", async () => {
    const gates: (() => void)[] = [];
    let slow = false;
    // Real reads whose results can be delayed.
    const db = database.db.$extends({
      query: {
        option: {
          async findMany({ args, query }) {
            const rows = await query(args);
            if (slow) await new Promise<void>((resolve) => gates.push(resolve));
            return rows;
          },
        },
      },
    });
    const other = await createSettings(database.db, secrets);
    const settings = await createSettings(db as unknown as typeof database.db, secrets);
    await other.set(systemActor, "RetryTimes", 5);
    slow = true;
    const early = settings.reload();
    await expect.poll(() => gates.length).toBe(1);
    slow = false;
    await other.set(systemActor, "RetryTimes", 6);
    await settings.reload();
    expect(settings.current().RetryTimes).toBe(6);
    for (const open of gates) open();
    await early;
    expect(settings.current().RetryTimes).toBe(6);
    await other.set(systemActor, "RetryTimes", null);
  });
});

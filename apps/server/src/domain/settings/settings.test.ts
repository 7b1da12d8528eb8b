import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemActor } from "#domain/audit-log/audit.ts";
import { connect, type Database } from "#platform/db.ts";
import { openSecrets } from "#platform/secrets.ts";
import { freshDatabase, type TestDatabase } from "#test/database.ts";
import { createSettings } from "./settings.ts";

const secrets = openSecrets("settings-test-secret-settings-test-secret");
let test: TestDatabase;
let database: Database;

beforeAll(async () => {
  test = await freshDatabase();
  database = connect(test.url, { max: 4 });
});
afterAll(async () => {
  await database.close();
  await test.drop();
});

describe("settings", () => {
  it("stores only what differs from the default and forgets it when it is set back", async () => {
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

  it("takes numbers and switches that are written as text", async () => {
    const settings = await createSettings(database.db, secrets);
    await settings.set(systemActor, "RetryTimeOut", "30");
    await settings.set(systemActor, "RegisterEnabled", "false");
    await settings.set(systemActor, "Footer", "42");
    expect(settings.current()).toMatchObject({ RetryTimeOut: 30, RegisterEnabled: false, Footer: "42" });
  });

  it("refuses unknown keys and values out of range", async () => {
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

  it("keeps secrets encrypted in the table and masked in the audit log", async () => {
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

  it("does not switch GitHub sign-in on without its credentials", async () => {
    const settings = await createSettings(database.db, secrets);
    await settings.set(systemActor, "GitHubClientSecret", null);
    await expect(settings.set(systemActor, "GitHubOAuthEnabled", true)).rejects.toMatchObject({
      status: 400,
    });
  });
});

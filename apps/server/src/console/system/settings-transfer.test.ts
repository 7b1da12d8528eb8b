import type { SettingsFile, SettingsPreview } from "@gateway/shared/site/settings-transfer";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemActor } from "#domain/audit-log/audit.ts";
import { type Browser, buildConsole, type TestConsole } from "#test/console.ts";

let site: TestConsole;
let root: Browser;
beforeAll(async () => {
  site = await buildConsole();
  root = await site.as(await site.makeUser({ role: 100 }));
});
afterAll(() => site.close());

const preview = (values: object) =>
  root.send<SettingsPreview>("POST", "/api/option/import/preview", { values });

describe("settings as a file", () => {
  it("contain the values that differ from the defaults, and no secret", async () => {
    await site.services.settings.change(systemActor, {
      SystemName: "Ours",
      RetryTimes: 5,
      GitHubClientSecret: "very secret",
      NotifyLarkWebhook: "https://lark.example/very-secret",
    });
    const file = (await root.get<SettingsFile>("/api/option/export")).body.data;
    expect(file.values).toEqual({ SystemName: "Ours", RetryTimes: 5 });
    expect(JSON.stringify(file)).not.toContain("very");
  });

  it("show a preview of the changes, and then apply exactly those", async () => {
    const values = {
      SystemName: "Theirs",
      RetryTimes: 5,
      Nonsense: 1,
      GitHubClientSecret: "x",
      RetryTimeOut: "soon",
    };
    expect((await preview(values)).body.data).toEqual({
      changes: [{ key: "SystemName", before: "Ours", after: "Theirs" }],
      skipped: [
        { key: "Nonsense", reason: "unknown" },
        { key: "GitHubClientSecret", reason: "secret" },
        { key: "RetryTimeOut", reason: "invalid" },
      ],
      same: 1,
    });
    expect(site.services.settings.current().SystemName).toBe("Ours");
    expect((await root.send("POST", "/api/option/import", { values })).status).toBe(200);
    expect(site.services.settings.current()).toMatchObject({
      SystemName: "Theirs",
      GitHubClientSecret: "very secret",
    });
  });

  it("change nothing when a switch lacks a required value", async () => {
    const values = { SystemName: "Half done", GitHubOAuthEnabled: true };
    expect((await root.send("POST", "/api/option/import", { values })).status).toBe(400);
    expect(site.services.settings.current().SystemName).toBe("Theirs");
  });

  it("cannot contain names of an object's prototype", async () => {
    const answer = await root.send("POST", "/api/option/import/preview", {
      values: JSON.parse('{"constructor":"x","toString":"y"}') as object,
    });
    expect(answer.body.data).toMatchObject({ changes: [], same: 0 });
  });
});

import { defaultSettings, Settings, SettingsView } from "@gateway/shared/site/settings";
import { describe, expect, it } from "vitest";
import { problemOf, savedValue, withDraft } from "./drafts.ts";
import { settingGroups } from "./fields.ts";

const saved = SettingsView.parse({ ...defaultSettings, secrets_set: [] });

describe("drafts of settings", () => {
  it("contain only differences from the saved values", () => {
    const changed = withDraft({}, saved, "RetryTimes", 5);
    expect(changed).toEqual({ RetryTimes: 5 });
    expect(withDraft(changed, saved, "RetryTimes", 3)).toEqual({});
  });

  it("start empty for a secret", () => {
    expect(savedValue(saved, "GitHubClientSecret")).toBe("");
  });

  it("remove a stored secret, unlike an empty input", () => {
    const stored = { ...saved, secrets_set: ["GitHubClientSecret" as const] };
    expect(withDraft({}, stored, "GitHubClientSecret", null)).toEqual({ GitHubClientSecret: null });
    expect(withDraft({ GitHubClientSecret: "typed" }, stored, "GitHubClientSecret", "")).toEqual({});
    expect(withDraft({}, saved, "GitHubClientSecret", null)).toEqual({});
  });

  it("are validated by the server's schema", () => {
    expect(problemOf("RetryTimes", 21)).toBeTruthy();
    expect(problemOf("ServerAddress", "nowhere")).toEqual({ reason: "site_address" });
    expect(problemOf("ServerAddress", "https://ai.example.com")).toBeUndefined();
  });
});

describe("the settings on the screen", () => {
  it("exist and appear once each", () => {
    const keys = settingGroups
      .flatMap((group) => group.sections.flatMap((section) => section.fields))
      .map((field) => field.key);
    expect(new Set(keys).size).toBe(keys.length);
    for (const key of keys) expect(Settings.shape).toHaveProperty(key);
  });
});

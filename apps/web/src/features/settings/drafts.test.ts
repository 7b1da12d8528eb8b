import { defaultSettings, Settings, SettingsView } from "@gateway/shared/site/settings";
import { describe, expect, it } from "vitest";
import { afterSaving, autofillDrafts, savedValue, withDraft } from "./drafts.ts";
import { settingProblem } from "./problems.ts";
import { settingGroups } from "./sections/fields.ts";
import { mailAddressesOf, mailServerOf } from "./sections/mail-servers.ts";

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

  it("keep what was typed while they were saved", () => {
    expect(
      afterSaving({ AccentColor: "#ffd400", RetryTimes: 5 }, { AccentColor: "", RetryTimes: 5 }),
    ).toEqual({
      AccentColor: "#ffd400",
    });
  });

  it("are validated by the server's schema", () => {
    expect(settingProblem("RetryTimes", 21)).toBeTruthy();
    expect(settingProblem("ServerAddress", "nowhere")).toEqual({ reason: "site_address" });
    expect(settingProblem("ServerAddress", "https://ai.example.com")).toBeUndefined();
  });
});

describe("the server of a mail account", () => {
  const gmail = { SMTPServer: "smtp.gmail.com", SMTPPort: 465 };
  const initial = { SMTPServer: "", SMTPPort: 587 };

  it("follows from a known address, in any case and below a domain of Microsoft", () => {
    expect(mailServerOf("Me@GMail.com ")).toEqual(gmail);
    expect(mailServerOf("me@shop.onmicrosoft.com")?.SMTPServer).toBe("smtp.office365.com");
    for (const account of ["me", "me@", "me@shop.example", "me@constructor"])
      expect(mailServerOf(account)).toBeUndefined();
  });

  it("is completed from the beginning of its domain, the most frequent service first", () => {
    expect(mailAddressesOf("me@g")[0]).toBe("me@gmail.com");
    expect(mailAddressesOf("me@16")).toEqual(["me@163.com"]);
    expect(mailAddressesOf("me@QQ")).toEqual(["me@qq.com"]);
    for (const typed of ["", "me", "me@", "me@gmail.com", "me@shop.example", "me you@g", "me@on"])
      expect(mailAddressesOf(typed)).toEqual([]);
  });

  it("is filled in, and taken back when the address goes on", () => {
    const typed = autofillDrafts(mailServerOf, ["me@gmail.co", "me@gmail.com"], saved, {});
    expect(typed).toEqual(gmail);
    expect(autofillDrafts(mailServerOf, ["me@gmail.com", "me@gmail.com.x"], saved, typed)).toEqual(initial);
    expect(autofillDrafts(mailServerOf, ["me@gmail.com", "me@qq.com"], saved, typed)).toMatchObject({
      SMTPServer: "smtp.qq.com",
    });
  });

  it("stays as someone has set it", () => {
    const set = { SMTPServer: "mail.shop.example" };
    expect(autofillDrafts(mailServerOf, ["", "me@gmail.com"], saved, set)).toEqual({});
    expect(autofillDrafts(mailServerOf, ["", "me@gmail.com"], { ...saved, SMTPPort: 25 }, {})).toEqual({});
    expect(autofillDrafts(undefined, ["", "me@gmail.com"], saved, {})).toEqual({});
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

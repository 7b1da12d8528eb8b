import { expect, it } from "vitest";
import { findSettings } from "./setting-entries.ts";

const found = (query: string, translate = (text: string) => text) =>
  findSettings(query, translate).map(({ key }) => key);

it("finds settings by the beginning of words, and not by their inside", () => {
  expect(found("smtp server")).toContain("SMTPServer");
  expect(found("attem")).toContain("RetryTimes");
  expect(found("ttempts")).toEqual([]);
});

it("lists settings first that have the words in their label", () => {
  const settings = findSettings("retry", (text) => text);
  const named = settings.map(({ label }) => /\bretry/i.test(label));
  expect(named).toContain(true);
  expect(named.indexOf(false)).not.toBe(0);
  expect(named.lastIndexOf(true)).toBeLessThan(named.includes(false) ? named.indexOf(false) : named.length);
});

it("finds settings by their translation and by their key", () => {
  const translate = (text: string) => (text === "Additional attempts" ? "额外尝试次数" : text);
  expect(found("尝试", translate)).toEqual(["RetryTimes"]);
  expect(found("RetryCooldownSeconds")).toEqual(["RetryCooldownSeconds"]);
});

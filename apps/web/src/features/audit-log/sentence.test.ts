import type { AuditRow } from "@gateway/shared/usage/audit";
import i18next from "i18next";
import { beforeAll, expect, it } from "vitest";
import { translateWith } from "#lib/translate.fixture.ts";
import { entrySentence } from "./sentence.ts";

// Lists are joined as the language does.
beforeAll(() => i18next.init({ lng: "en_US" }));

/** English as i18next fills it in, without its plural forms. */
const t = translateWith((text: string, values: Record<string, unknown>) =>
  text.replaceAll(/\{\{(\w+)(, inside)?\}\}/g, (_, name: string, inside: string | undefined) => {
    const value = String(values[name]);
    return inside === undefined || !/^[A-Z][a-z]/.test(value)
      ? value
      : value[0]?.toLowerCase() + value.slice(1);
  }),
);
const settings = { RetryTimes: { section: "Retries", label: "Additional attempts" } };
const base: AuditRow = {
  id: "1",
  created_time: 1,
  user_id: 1,
  username: "root",
  action: "channel.change",
  target_type: "channel",
  target_id: "5",
  target_name: "OpenAI main",
  before: null,
  after: null,
  ip: "",
};
const format = { pointsPerUsd: 500_000, exact: (points: number) => `${points} points` };
const sentence = (row: Partial<AuditRow>) => entrySentence({ t, format, settings }, { ...base, ...row });

it.each([
  [
    "root changed the priority of channel “OpenAI main” from 0 to 10",
    { before: { priority: 0, name: "OpenAI main" }, after: { priority: 10, name: "OpenAI main" } },
  ],
  [
    "root changed channel “OpenAI main”: Priority, Weight",
    { before: { priority: 0, weight: 1 }, after: { priority: 10, weight: 2 } },
  ],
  [
    "root added gpt-5 to the models of channel “OpenAI main”",
    { before: { models: ["gpt-4o"] }, after: { models: ["gpt-4o", "gpt-5"] } },
  ],
  [
    "root turned off “Pass unknown fields” for channel “OpenAI main”",
    { before: { allow_extra_body: true }, after: { allow_extra_body: false } },
  ],
  [
    "root changed the tag of channel “OpenAI main” from empty to eu",
    { before: { tag: "" }, after: { tag: "eu" } },
  ],
  ["root created channel “OpenAI main”", { action: "channel.create", after: { priority: 0 } }],
  [
    "root disabled token “first”",
    {
      action: "token.switch",
      target_type: "token",
      target_name: "first",
      before: { status: 1 },
      after: { status: 2 },
    },
  ],
  [
    "root changed setting “Retries · Additional attempts” from 1 to 2",
    {
      action: "setting.change",
      target_type: "setting",
      target_id: "RetryTimes",
      target_name: "",
      before: { value: 1 },
      after: { value: 2 },
    },
  ],
  [
    "root changed the role of account “penny” from User to Administrator",
    {
      action: "user.change",
      target_type: "user",
      target_name: "penny",
      before: { role: 1 },
      after: { role: 10 },
    },
  ],
  [
    "The gateway updated the price list",
    { action: "price.sync", target_type: "price", username: "system", target_name: "", target_id: "add" },
  ],
  ["root exported the channels", { action: "channel.export", target_id: "0", target_name: "" }],
  ["root made the change channel.fly to channel “OpenAI main”", { action: "channel.fly" }],
])("an entry reads: %s", (text, row) => {
  expect(sentence(row)).toBe(text);
});

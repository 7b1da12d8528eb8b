import type { InboxRow } from "@gateway/shared/site/inbox";
import { createInstance } from "i18next";
import { expect, it } from "vitest";
import { messagesOf } from "#lib/locale-files.ts";
import { translateWith } from "#lib/translate.fixture.ts";
import { entryText } from "./entry-texts.ts";

it("a failed job leads to the screen where its cause is corrected", () => {
  const t = translateWith((text: string) => text);
  const addressFor = (job: string) => {
    const row = { event: "job-failed", facts: { job }, reason: "", reason_facts: [] } as unknown as InboxRow;
    return entryText(t, row, { quota: String }).to;
  };
  expect(addressFor("write-backups")).toBe("/panel/setting?section=backups");
  expect(addressFor("sweep-accounts")).toBe("/panel/diagnostics");
});

it("a notification is built from its facts in the reader's language, with its reason and its link", async () => {
  const t = await createInstance().init({
    lng: "zh_CN",
    resources: { zh_CN: { translation: messagesOf("zh_CN") } },
    keySeparator: false,
    nsSeparator: false,
    interpolation: { escapeValue: false },
  });
  const row = {
    event: "channel-disabled",
    facts: { name: "West", id: "7" },
    reason: "The provider account has no balance (USD 0.00).",
    reason_facts: [{ code: "accountEmpty", params: { balance: "USD 0.00" } }],
  } as unknown as InboxRow;
  expect(entryText(t, row, { quota: String })).toEqual({
    title: "渠道“West”已被自动禁用",
    text: "厂商账号没有余额（USD 0.00）。",
    to: "/panel/channel?edit=7",
  });
});

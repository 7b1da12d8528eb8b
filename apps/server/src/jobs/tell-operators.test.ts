import { plainReason } from "@gateway/shared/reasons";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemActor } from "#domain/audit-log/audit.ts";
import { raiseNotice } from "#domain/notices/notices.ts";
import { buildConsole, type TestConsole } from "#test/console.ts";
import { type NoticeReceiver, startNoticeReceiver } from "#test/notice-receiver.ts";
import type { JobServices } from "./job.ts";
import { tellOperators } from "./tell-operators.ts";
import { updatePrices } from "./update-prices.ts";

let site: TestConsole;
let receiver: NoticeReceiver;
beforeAll(async () => {
  site = await buildConsole();
  receiver = await startNoticeReceiver();
});
afterAll(async () => {
  await site.close();
  await receiver.close();
});

/** The services that these jobs use. */
function jobServices(): JobServices {
  const { db, mailer, post, settings } = site.services;
  const telling = { db, mailer, post, settings: () => settings.current() };
  const onError = (error: unknown) => {
    throw error;
  };
  return { db, telling, onError, probe: { settings } } as unknown as JobServices;
}

describe("notification jobs", () => {
  it("notify administrators that the price list could not be fetched", async () => {
    await site.services.settings.change(systemActor, {
      Language: "en_US",
      NotifyWebhookAddress: receiver.url,
      NotifyWebhookEnabled: true,
      PriceUpdateEnabled: true,
      UpdatePriceService: "http://127.0.0.1:9/prices.json",
    });
    await updatePrices.run(jobServices());
    await tellOperators.run(jobServices());
    await tellOperators.run(jobServices());
    expect(receiver.posts.map(({ body }) => JSON.parse(body) as object)).toMatchObject([
      { event: "prices-failed", title: "The price list could not be updated" },
    ]);
  });

  it("deliver the notice that a job has failed while a step before it fails", async () => {
    const { db, pool } = site.services;
    const reason = plainReason("its table is gone");
    await raiseNotice(db, { event: "job-failed", topic: "job:other", facts: { job: "other" }, reason });
    await pool.query("ALTER TABLE channel_events RENAME TO hidden_events");
    try {
      for (let run = 0; run < 2; run += 1)
        await expect(tellOperators.run(jobServices())).rejects.toThrow("channel_events");
    } finally {
      await pool.query("ALTER TABLE hidden_events RENAME TO channel_events");
    }
    const events = receiver.posts.map(({ body }) => (JSON.parse(body) as { event: string }).event);
    expect(events).toContain("job-failed");
  });
});

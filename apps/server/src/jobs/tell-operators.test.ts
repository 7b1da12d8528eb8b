import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemActor } from "#domain/audit-log/audit.ts";
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
});

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { ChannelRow } from "@gateway/shared/channels/channel";
import type { ChannelBalance } from "@gateway/shared/channels/channel-run";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Balances of channels that are read with OpenAI's old billing endpoints. */
let gateway: TestGateway;
let server: Server;
let url: string;
let requested: string[] = [];
let answers: Record<string, { status: number; body: unknown }> = {};

beforeAll(async () => {
  gateway = await startTestGateway();
  server = createServer((request, response) => {
    const path = request.url ?? "";
    requested.push(path);
    const { status, body } = answers[path.split("?")[0] ?? ""] ?? { status: 404, body: {} };
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await gateway.stop();
  server.close();
});

const day = (time: number) => new Date(time).toISOString().slice(0, 10);
const refresh = (id: number) => gateway.api<ChannelBalance | null>("POST", `/channel/update_balance/${id}`);
const balanceAt = (base_url: string, type: number, key = "k") =>
  gateway.addChannel({ type, name: `balance ${type}`, base_url, key });

describe("the balance of a channel", () => {
  it.each([
    [1, ""],
    [8, "/v1"],
    [914, ""],
  ])("is the limit minus the usage for type %i", async (type, suffix) => {
    requested = [];
    answers = {
      "/v1/dashboard/billing/subscription": {
        status: 200,
        body: { object: "billing_subscription", hard_limit_usd: 20, has_payment_method: true },
      },
      "/v1/dashboard/billing/usage": { status: 200, body: { object: "list", total_usage: 500 } },
    };
    const { id } = await balanceAt(url + suffix, type);
    expect(await refresh(id)).toEqual({ balance: 15, currency: "USD" });
    const today = day(Date.now());
    expect(requested).toEqual([
      "/v1/dashboard/billing/subscription",
      `/v1/dashboard/billing/usage?start_date=${today.slice(0, 7)}-01&end_date=${today}`,
    ]);
    const row = await gateway.api<ChannelRow>("GET", `/channel/${id}`);
    expect(row).toMatchObject({ balance: 15, balance_updated_time: expect.any(Number) });
  });

  it("covers the last hundred days without a payment method", async () => {
    requested = [];
    answers["/v1/dashboard/billing/subscription"] = {
      status: 200,
      body: { hard_limit_usd: 5, has_payment_method: false },
    };
    const { id } = await balanceAt(url, 8);
    expect(await refresh(id)).toMatchObject({ balance: 0 });
    expect(requested[1]).toContain(`start_date=${day(Date.now() - 100 * 86_400_000)}&`);
    // A balance is no reason to disable the channel: limit and usage can cover different periods.
    expect(await gateway.api<ChannelRow>("GET", `/channel/${id}`)).toMatchObject({ status: 1 });
  });

  it("is unknown where the server reports none, and an error where it cannot be read", async () => {
    answers = {};
    const { id } = await balanceAt(url, 8);
    expect(await refresh(id)).toBeNull();
    answers = { "/v1/dashboard/billing/subscription": { status: 200, body: { hard_limit_usd: "many" } } };
    await expect(refresh(id)).rejects.toThrow("does not contain one");
    answers = { "/v1/dashboard/billing/subscription": { status: 500, body: {} } };
    await expect(refresh(id)).rejects.toThrow("HTTP 500");
  });

  it("can be read from another gateway of this kind", async () => {
    const token = await gateway.addToken({ unlimited_quota: false, remain_quota: 1_250_000 });
    const { id } = await balanceAt(gateway.url, 914, token.key);
    expect(await refresh(id)).toMatchObject({ balance: 2.5, currency: "USD" });
  });
});

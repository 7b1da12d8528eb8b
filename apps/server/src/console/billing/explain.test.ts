import { randomUUID } from "node:crypto";
import type { Explanation } from "@gateway/shared/usage/explain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callOf, makeAccount, reservation } from "#domain/ledger/accounts.fixture.ts";
import { createLedger } from "#domain/ledger/ledger.ts";
import { computeBill } from "#domain/pricing/pricing.ts";
import { buildConsole, type TestConsole } from "#test/console.ts";

let site: TestConsole;

beforeAll(async () => {
  site = await buildConsole();
});
afterAll(() => site.close());

describe("the explanation of a charge", () => {
  it("adds up exactly, and is shown to its owner and to administrators only", async () => {
    const ledger = createLedger({
      database: site.database,
      nodeId: randomUUID(),
      onError: (error) => {
        throw error;
      },
    });
    await ledger.start();
    const account = await makeAccount(site.database, { quota: 1_000_000n });
    const price = {
      versionId: 3,
      model: "demo-chat",
      type: "tokens" as const,
      input: "1.25",
      output: "10",
      extras: { cached_tokens: "0.1", "tool:web-search": "0.01" },
      tiers: [],
    };
    const usage = { input: 1_001, output: 7, cacheRead: 500, toolCalls: { "web-search": 2 } };
    const { points, bill } = computeBill(price, "0.3", usage);
    const reserved = reservation(account, 100_000n);
    await ledger.reserve(reserved);
    await ledger.settle(callOf(reserved, points, { bill, priceVersionId: 3, usage }));
    await ledger.close();

    const path = `/api/log/${reserved.requestId}/explain`;
    const owner = await site.as({ id: account.userId });
    const answer = (await owner.get<Explanation>(path)).body.data;
    expect(answer).toMatchObject({
      price_version_id: 3,
      group_ratio: "0.3",
      points: 3228,
      usd: "0.006456",
      exact: "3227.625",
      agrees: true,
    });
    expect(answer.lines).toEqual([
      { kind: "input", amount: 501, ratio: "1.25", points: "187.875", usd: "0.00037575" },
      { kind: "cached_tokens", amount: 500, ratio: "0.125", points: "18.75", usd: "0.0000375" },
      { kind: "output", amount: 7, ratio: "10", points: "21", usd: "0.000042" },
      { kind: "tool:web-search", amount: 2, ratio: "5000", points: "3000", usd: "0.006" },
    ]);

    const admin = await site.as(await site.makeUser({ role: 10 }));
    const { rows } = await site.database.pool.query<{ id: bigint }>(
      "SELECT id FROM request_logs WHERE request_id = $1",
      [reserved.requestId],
    );
    expect((await admin.get<Explanation>(`/api/log/${rows[0]!.id}/explain`)).body.data).toEqual(answer);
    const stranger = await site.as(await site.makeUser());
    expect((await stranger.get(path)).status).toBe(404);
    expect((await site.guest.get(path)).status).toBe(401);
    expect((await admin.get("/api/log/nothing/explain")).status).toBe(404);
  });
});

import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createLedger } from "#domain/ledger/ledger.ts";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Background responses that start at one of two nodes. Whichever node sees the end closes the bill, once. */
const usage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 60_000,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 60_100,
};
const FULL = 60_100;

let gateway: TestGateway;
/** Another node on the same database. */
let node: TestGateway;
let provider: Server;
/** Status of each response at the provider. */
const responses = new Map<string, string>();
let cancels = 0;
/** Whether the provider rejects cancellation. */
let refuses = false;

beforeAll(async () => {
  provider = createServer((request, response) => {
    request.resume().on("end", () => {
      const { method = "", url = "" } = request;
      const answer = (status: number, body: object) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      const [, known, below] = /^\/v1\/responses\/(\w+)(\/cancel)?/.exec(url) ?? [];
      const id = known ?? `resp_${crypto.randomUUID().replaceAll("-", "")}`;
      if (known === undefined) responses.set(id, "queued");
      const before = responses.get(id);
      if (before === undefined) return answer(404, { error: { message: "No such response" } });
      if (below !== undefined) {
        cancels += 1;
        if (refuses || before === "completed") return answer(400, { error: { message: "Cannot cancel" } });
        responses.set(id, "cancelled");
      }
      if (method === "DELETE") {
        responses.delete(id);
        return answer(200, { id, object: "response", deleted: true });
      }
      const status = responses.get(id);
      const done = status === "completed";
      const text = { type: "output_text", text: "Done.", annotations: [] };
      const output = [{ type: "message", id: "m", role: "assistant", content: [text] }];
      return answer(200, {
        id,
        object: "response",
        status,
        background: true,
        model: "thinker",
        output: done ? output : [],
        usage: done ? usage : null,
      });
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => provider.once("listening", resolve));
  const { port } = provider.address() as { port: number };
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 1, name: "c", models: ["thinker"], base_url: `http://127.0.0.1:${port}` });
  await gateway.addPrice("thinker");
  node = await startTestGateway({}, gateway);
});
afterAll(async () => {
  await node.stop();
  await gateway.stop();
  provider.close();
});
beforeEach(() => {
  cancels = 0;
  refuses = false;
});

const requested = {
  model: "thinker",
  input: "Think.",
  background: true,
  max_output_tokens: 100_000,
} as const;

interface Begun {
  id: string;
  key: string;
  token: number;
  before: number;
}

async function beginAt(node: TestGateway): Promise<Begun> {
  const { key, id: token } = await gateway.addToken();
  const before = (await gateway.logs(0)).length;
  const { id } = await node.openai(key).responses.create(requested);
  return { id, key, token, before };
}

async function expectNothingOpen(): Promise<void> {
  const { db } = gateway.database;
  await expect.poll(() => db.backgroundResponse.count()).toBe(0);
  expect(await db.reservation.count()).toBe(0);
  expect(await gateway.drift()).toBe(0n);
}

describe("background responses on two nodes", () => {
  it("charges in full when another node reads and deletes a response", async () => {
    const { id, key, before } = await beginAt(node);
    const client = gateway.openai(key);
    responses.set(id, "completed");
    expect((await client.responses.retrieve(id)).output_text).toBe("Done.");
    const rows = await gateway.logs(before + 1);
    expect(rows[0]).toMatchObject({ quota: FULL, outcome: "complete", estimated: false });
    expect(rows[0]?.attempts).toHaveLength(1);
    await client.responses.delete(id);
    await expectNothingOpen();
    expect(await gateway.logs(0)).toHaveLength(before + 1);
  });

  it("charges in full when another node deletes an unread response", async () => {
    const { id, key, before } = await beginAt(node);
    responses.set(id, "completed");
    await gateway.openai(key).responses.delete(id);
    expect((await gateway.logs(before + 1))[0]).toMatchObject({ quota: FULL });
    await expectNothingOpen();
    expect(await gateway.logs(0)).toHaveLength(before + 1);
  });

  it("keeps reservation and bill when the starting node stops, and charges through the other", async () => {
    const starting = await startTestGateway({}, gateway);
    const begun = await beginAt(starting);
    await starting.stop();
    expect(await gateway.database.db.reservation.count()).toBe(1);
    responses.set(begun.id, "completed");
    expect((await gateway.openai(begun.key).responses.retrieve(begun.id)).output_text).toBe("Done.");
    expect((await gateway.logs(begun.before + 1))[0]).toMatchObject({ quota: FULL });
    await expectNothingOpen();
  });

  it("keeps the reservation when reservations of silent nodes are released", async () => {
    const { id, before } = await beginAt(gateway);
    const { db } = gateway.database;
    const user_id = (await db.user.findFirstOrThrow({ where: { username: "root" } })).id;
    const silent = {
      request_id: "silent",
      user_id,
      token_id: 0,
      amount: 0n,
      token_amount: 0n,
      node_id: "gone",
    };
    await db.reservation.create({ data: silent });
    const ledger = createLedger({
      database: gateway.database,
      nodeId: "impatient",
      onError: () => {},
      beatMs: 20,
      silentAfterMs: 100,
    });
    await ledger.start();
    await expect.poll(() => db.reservation.findMany({ select: { request_id: true } })).toHaveLength(1);
    await ledger.close();
    responses.set(id, "completed");
    expect((await gateway.logs(before + 1))[0]).toMatchObject({ quota: FULL, outcome: "complete" });
    await expectNothingOpen();
  });

  it("charges once when both nodes read, cancel and delete at the same time", async () => {
    const { id, key, before } = await beginAt(node);
    responses.set(id, "completed");
    const clients = [gateway.openai(key), node.openai(key)];
    await Promise.allSettled([
      ...[1, 2, 3].flatMap(() => clients.map((client) => client.responses.retrieve(id))),
      ...clients.map((client) => client.responses.cancel(id)),
      ...clients.map((client) => client.responses.delete(id)),
    ]);
    await expectNothingOpen();
    const rows = (await gateway.logs(before + 1)).slice(0, -before || undefined);
    expect(rows.map(({ quota, outcome }) => ({ quota, outcome }))).toEqual([
      { quota: FULL, outcome: "complete" },
    ]);
  });

  it("cancels an unfinished response before deleting it, and keeps one that cannot be cancelled", async () => {
    const { id, key, before } = await beginAt(node);
    refuses = true;
    const client = gateway.openai(key);
    await expect(client.responses.delete(id)).rejects.toMatchObject({ status: 502 });
    expect(responses.has(id)).toBe(true);
    refuses = false;
    await client.responses.delete(id);
    expect(cancels).toBeGreaterThan(1);
    expect((await gateway.logs(before + 1))[0]).toMatchObject({ outcome: "client-left" });
    await expectNothingOpen();
  });

  it("rejects a forwarded response whose state it cannot read", async () => {
    const { id, key, before } = await beginAt(gateway);
    for (const query of ["stream=true", "stream=1", "stream"]) {
      const answer = await fetch(`${gateway.url}/v1/responses/${id}?${query}`, {
        headers: { authorization: `Bearer ${key}` },
      });
      expect(answer.status).toBe(400);
    }
    responses.set(id, "completed");
    await gateway.logs(before + 1);
    await expectNothingOpen();
  });
});

describe("background responses of callers that lost access", () => {
  it("are cancelled and charged once the key is deleted", async () => {
    const { token, before } = await beginAt(gateway);
    await gateway.api("DELETE", `/token/${token}`);
    expect((await gateway.logs(before + 1))[0]).toMatchObject({ outcome: "client-left" });
    expect(cancels).toBe(1);
    await expectNothingOpen();
  });

  it("are cancelled and charged when the account is disabled, and charged in full if they ended before", async () => {
    const { db } = gateway.database;
    const first = await beginAt(gateway);
    const second = await beginAt(gateway);
    responses.set(second.id, "completed");
    await db.user.updateMany({ where: { username: "root" }, data: { status: 2 } });
    await expect.poll(() => db.backgroundResponse.count()).toBe(0);
    await db.user.updateMany({ where: { username: "root" }, data: { status: 1 } });
    const rows = (await gateway.logs(first.before + 2)).slice(0, 2);
    expect(rows.map(({ quota }) => quota).sort((a, b) => a - b)).toEqual([expect.any(Number), FULL]);
    expect(rows.map(({ outcome }) => outcome).sort()).toEqual(["client-left", "complete"]);
    expect(cancels).toBe(1);
    await expectNothingOpen();
  });
});

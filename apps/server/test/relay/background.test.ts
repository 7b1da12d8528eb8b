import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deriveKey } from "#domain/tokens/derived-keys/derived-key.ts";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Background responses: the provider responds immediately and continues to work, and the bill follows. */
let gateway: TestGateway;
let client: OpenAI;
let key: string;
let tokenId: number;
let upstream: Server;
/** Current status of every response at the provider. */
let status = "queued";
let usage: object | null = null;
let requested = 0;
/** While set, the provider has a start and does not respond to it yet. */
let startsWait: PromiseWithResolvers<void> | undefined;
let starts = 0;

const reported = {
  input_tokens: 40,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 60,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 100,
};

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "", url = "" } = request;
  // Not the polls of tasks, which come whenever they are due.
  if (method === "POST" && (url === "/v1/responses" || url === "/suno/submit/music")) {
    starts += 1;
    await startsWait?.promise;
  }
  if (url === "/suno/submit/music")
    return void response.end(JSON.stringify({ code: "success", data: crypto.randomUUID() }));
  const [, id] = /^\/v1\/responses\/(\w+)/.exec(url) ?? [];
  if (method === "POST" && url.endsWith("/cancel")) status = "cancelled";
  if (method === "GET") requested += 1;
  const output = [
    {
      type: "message",
      id: "m",
      role: "assistant",
      content: [{ type: "output_text", text: "Done.", annotations: [] }],
    },
  ];
  const gone = method === "GET" && status === "gone";
  response.writeHead(gone ? 404 : 200, { "content-type": "application/json" }).end(
    JSON.stringify(
      gone
        ? { error: { message: "gone", type: "invalid_request_error" } }
        : {
            id: id ?? `resp_${crypto.randomUUID().replaceAll("-", "")}`,
            object: "response",
            status,
            background: true,
            model: "thinker",
            output: status === "completed" ? output : [],
            usage: status === "completed" ? reported : usage,
          },
    ),
  );
}

beforeAll(async () => {
  upstream = createServer((request, response) => {
    request.resume().on("end", () => void respond(request, response));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => upstream.once("listening", resolve));
  const { port } = upstream.address() as { port: number };
  gateway = await startTestGateway();
  await gateway.addChannel({
    type: 1,
    name: "works on",
    models: ["thinker"],
    base_url: `http://127.0.0.1:${port}`,
  });
  await gateway.addChannel({
    type: 14,
    name: "answers",
    models: ["talker"],
    model_mapping: { talker: "demo-chat" },
  });
  await gateway.addChannel({
    type: 8,
    name: "speaks chat alone",
    models: ["chatter"],
    model_mapping: { chatter: "demo-chat" },
  });
  await gateway.addChannel({
    type: 41,
    name: "sings",
    models: ["chirp-v4"],
    base_url: `http://127.0.0.1:${port}`,
  });
  for (const model of ["thinker", "talker", "chatter"]) await gateway.addPrice(model);
  ({ key, id: tokenId } = await gateway.addToken());
  client = gateway.openai(key);
});
afterAll(async () => {
  await gateway.stop();
  upstream.close();
});

async function begin(from = client) {
  status = "queued";
  usage = null;
  const before = (await gateway.logs(0)).length;
  const made = await from.responses.create({ model: "thinker", input: "Think.", background: true });
  expect(made.status).toBe("queued");
  return { id: made.id, before };
}

async function reservation(): Promise<bigint> {
  const { reserved } = await gateway.database.db.user.findFirstOrThrow({ where: { username: "root" } });
  return reserved;
}

describe("a background response", () => {
  it("is reserved while it is generated, and charged by its usage before its client reads it", async () => {
    const { id, before } = await begin();
    expect(await reservation()).toBeGreaterThan(0n);
    expect((await client.responses.retrieve(id)).status).toBe("queued");
    expect(await gateway.logs(0)).toHaveLength(before);
    status = "completed";
    expect((await client.responses.retrieve(id)).output_text).toBe("Done.");
    expect(await reservation()).toBe(0n);
    const rows = await gateway.logs(before + 1);
    expect(rows).toHaveLength(before + 1);
    expect(rows[0]).toMatchObject({ prompt_tokens: 40, completion_tokens: 60, estimated: false });
    await client.responses.retrieve(id);
    expect(await gateway.logs(0)).toHaveLength(before + 1);
    expect(await gateway.drift()).toBe(0n);
  });

  it("is charged although no client reads it", async () => {
    const { before } = await begin();
    const polls = requested;
    status = "completed";
    const rows = await gateway.logs(before + 1);
    expect(requested).toBeGreaterThan(polls);
    expect(rows[0]).toMatchObject({ prompt_tokens: 40, completion_tokens: 60, outcome: "complete" });
    expect(await reservation()).toBe(0n);
  });

  it("is charged for its input when it is cancelled or deleted before its end, and free when it fails", async () => {
    const cancelled = await begin();
    expect((await client.responses.cancel(cancelled.id)).status).toBe("cancelled");
    const [row] = await gateway.logs(cancelled.before + 1);
    expect(row).toMatchObject({ outcome: "client-left", completion_tokens: 0, estimated: true });
    expect(row?.prompt_tokens).toBeGreaterThan(0);

    const deleted = await begin();
    status = "gone";
    // A single "not found" closes nothing, because it can come from a replica that lags behind.
    const polls = requested;
    await expect.poll(() => requested).toBeGreaterThan(polls);
    status = "in_progress";
    const again = requested;
    await expect.poll(() => requested).toBeGreaterThan(again);
    expect(await reservation()).toBeGreaterThan(0n);
    status = "gone";
    await expect.poll(reservation, { timeout: 30_000 }).toBe(0n);
    expect((await gateway.logs(deleted.before + 1))[0]).toMatchObject({ outcome: "client-left" });

    const failed = await begin();
    status = "failed";
    expect((await client.responses.retrieve(failed.id)).status).toBe("failed");
    expect((await gateway.logs(failed.before + 1))[0]).toMatchObject({ outcome: "failed", quota: 0 });
    expect(await reservation()).toBe(0n);
    expect(await gateway.drift()).toBe(0n);
  });

  it("counts against a derived key until its end, and is cancelled when the key is revoked", async () => {
    const exp = Math.floor(Date.now() / 1_000) + 3_600;
    const derived = deriveKey(key, { usd: "1", exp, label: "thinker" });
    const row = () => gateway.database.db.derivedKey.findUniqueOrThrow({ where: { id: derived.id } });
    const ended = await begin(gateway.openai(derived.key));
    expect((await row()).reserved).toBeGreaterThan(0n);
    status = "completed";
    const [charged] = await gateway.logs(ended.before + 1);
    expect(charged?.derived_key).toEqual({ id: derived.id, label: "thinker" });
    expect(await row()).toMatchObject({ reserved: 0n, spent: BigInt(charged?.quota ?? 0) });

    const revoked = await begin(gateway.openai(derived.key));
    await gateway.api("DELETE", `/token/${tokenId}/derived_keys/${derived.id}`);
    await expect.poll(() => status, { timeout: 40_000 }).toBe("cancelled");
    expect((await gateway.logs(revoked.before + 1))[0]).toMatchObject({ outcome: "client-left" });
    await expect.poll(async () => (await row()).reserved).toBe(0n);
    expect(await gateway.drift()).toBe(0n);
  });

  it("is cancelled when its key was replaced", async () => {
    const token = await gateway.addToken();
    const replaced = await begin(gateway.openai(token.key));
    const rotate = (overlap_hours: number) =>
      gateway.api("POST", `/token/${token.id}/rotate`, { overlap_hours });
    await rotate(24);
    const polls = requested;
    await expect.poll(() => requested, { timeout: 40_000 }).toBeGreaterThan(polls + 1);
    expect(status).toBe("queued");
    await rotate(0);
    await expect.poll(() => status, { timeout: 40_000 }).toBe("cancelled");
    expect((await gateway.logs(replaced.before + 1))[0]).toMatchObject({ outcome: "client-left" });
    expect(await gateway.drift()).toBe(0n);
  });

  it("is rejected clearly where no provider supports it, in a stream, and in a conversation", async () => {
    const refused: [object, string, RegExp][] = [
      [{ model: "talker" }, "model", /supports background responses/],
      [{ model: "chatter" }, "model", /supports background responses/],
      [{ stream: true }, "stream", /streamed/],
      [{ conversation: "conv_1" }, "conversation", /conversation/],
    ];
    for (const [fields, param, message] of refused)
      await expect(
        client.responses.create({ model: "thinker", input: "Hi", background: true, ...fields } as never),
      ).rejects.toMatchObject({ status: 400, param, message: expect.stringMatching(message) });
    expect(await reservation()).toBe(0n);
  });
});

describe.each([0, 5])(
  "with DisconnectDrainSeconds %i, a start that its client does not wait for",
  (seconds) => {
    beforeAll(() => gateway.api("PUT", "/option", { key: "DisconnectDrainSeconds", value: seconds }));

    /** Sends a start, and calls `leave` when the provider has it. The provider responds afterwards. */
    async function startAndLeave(
      { path, body, token }: { path: string; body: object; token: string },
      leave: (client: AbortController) => unknown,
    ): Promise<void> {
      status = "queued";
      usage = null;
      startsWait = Promise.withResolvers();
      const before = starts;
      const leaving = new AbortController();
      const call = fetch(gateway.url + path, {
        method: "POST",
        signal: leaving.signal,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      }).then((response) => response.text());
      call.catch(() => {});
      await expect.poll(() => starts).toBe(before + 1);
      await leave(leaving);
      // The gateway has noticed it when it has answered someone else.
      await fetch(`${gateway.url}/api/status`);
      startsWait.resolve();
      startsWait = undefined;
    }

    const thinking = { path: "/v1/responses", body: { model: "thinker", input: "Think.", background: true } };

    it("in the background: is charged by its usage", async () => {
      const token = await gateway.addToken();
      await startAndLeave({ ...thinking, token: token.key }, (client) => client.abort());
      await expect.poll(() => gateway.database.db.backgroundResponse.count()).toBe(1);
      status = "completed";
      const [row] = await gateway.logs(1, token.id);
      expect(row).toMatchObject({ prompt_tokens: 40, completion_tokens: 60, estimated: false });
      await expect.poll(reservation).toBe(0n);
      expect(await gateway.drift()).toBe(0n);
    });

    it("in the background: is cancelled at the provider when its key was deleted meanwhile", async () => {
      const token = await gateway.addToken();
      await startAndLeave({ ...thinking, token: token.key }, () =>
        gateway.api("DELETE", `/token/${token.id}`),
      );
      await expect.poll(() => status, { timeout: 40_000 }).toBe("cancelled");
      expect(await gateway.logs(1, token.id)).toMatchObject([{ outcome: "client-left" }]);
      await expect.poll(reservation).toBe(0n);
      expect(await gateway.drift()).toBe(0n);
    });

    it("a task: is charged and stored", async () => {
      for (const leave of ["leaves", "loses its key"] as const) {
        const token = await gateway.addToken();
        await startAndLeave(
          { path: "/suno/submit/music", body: { prompt: "Boats", mv: "chirp-v4" }, token: token.key },
          (client) => (leave === "leaves" ? client.abort() : gateway.api("DELETE", `/token/${token.id}`)),
        );
        const [row] = await gateway.logs(1, token.id);
        expect(row, leave).toMatchObject({ model_name: "chirp-v4" });
        expect(row?.quota, leave).toBeGreaterThan(0);
        expect(await gateway.database.db.task.count({ where: { token_id: token.id } }), leave).toBe(1);
      }
      await expect.poll(reservation).toBe(0n);
      expect(await gateway.drift()).toBe(0n);
    });
  },
);

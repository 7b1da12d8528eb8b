import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { runs, runsFactor } from "#test/property-runs.ts";
import { head, type RawUpstream, type Script, startRawUpstream } from "#test/raw-upstream.ts";

/**
 * A provider with broken responses: real ones with frames cut, lost, doubled, moved and filled with garbage,
 * for clients of every dialect. The process survives, no client waits forever, and none pays for more than
 * was delivered.
 */
const upstreams = { "openai-chat": 8, anthropic: 14, gemini: 25 } as const;
type Upstream = keyof typeof upstreams;
const clients = ["openai-chat", "openai-responses", "anthropic", "gemini", "interactions"] as const;
type Client = (typeof clients)[number];

let gateway: TestGateway;
let raw: RawUpstream;
let key: string;
const channels = new Map<Upstream, number>();
/** What each call delivered, by request id. */
const delivered = new Map<string, { status: number; bytes: number }>();

beforeAll(async () => {
  raw = await startRawUpstream();
  gateway = await startTestGateway();
  const values = {
    RetryTimes: 0,
    AutomaticDisableChannelEnabled: false,
  };
  await gateway.api("PUT", "/option/batch", { values });
  for (const [name, type] of Object.entries(upstreams)) {
    const channel = await gateway.addChannel({
      type,
      name,
      base_url: raw.url,
      first_byte_timeout_ms: 300,
      idle_timeout_ms: 300,
      models: [name],
      model_mapping: { [name]: "demo-chat" },
    });
    channels.set(name as Upstream, channel.id);
  }
  key = (await gateway.addToken()).key;
});
afterAll(async () => {
  await gateway.stop();
  await raw.close();
});

function request(client: Client, model: string, stream: boolean): { path: string; body: object } {
  const messages = [{ role: "user", content: "Hello" }];
  switch (client) {
    case "openai-chat":
      return { path: "/v1/chat/completions", body: { model, stream, messages } };
    case "openai-responses":
      return { path: "/v1/responses", body: { model, stream, input: "Hello" } };
    case "anthropic":
      return { path: "/v1/messages", body: { model, stream, messages, max_tokens: 50 } };
    case "gemini": {
      const action = stream ? "streamGenerateContent?alt=sse" : "generateContent";
      const contents = [{ role: "user", parts: [{ text: "Hello" }] }];
      return { path: `/v1beta/models/${model}:${action}`, body: { contents } };
    }
    case "interactions":
      return { path: "/v1/interactions", body: { model, stream, input: "Hello" } };
  }
}

/** Resolves when the client has a response or a broken connection. Rejects only when the call hangs. */
async function ask(client: Client, upstream: Upstream, stream: boolean, script: Script): Promise<string> {
  raw.play(script);
  const { path, body } = request(client, upstream, stream);
  const signal = AbortSignal.timeout(15_000);
  let text = "";
  try {
    const answer = await fetch(gateway.url + path, {
      method: "POST",
      // Pinning the channel bypasses pauses. Otherwise this provider would not be called after its first
      // failure.
      headers: {
        authorization: `Bearer ${key}#${channels.get(upstream)}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
      signal,
    });
    const id = answer.headers.get("x-request-id") ?? "";
    const seen = { status: answer.status, bytes: 0 };
    delivered.set(id, seen);
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) {
      seen.bytes += (chunk as Uint8Array).length;
      text += decoder.decode(chunk as Uint8Array, { stream: true });
    }
  } catch (error) {
    if (signal.aborted) throw new Error(`hung: ${JSON.stringify(script).slice(0, 2_000)}`, { cause: error });
  }
  return text;
}

function fixtures(upstream: Upstream, ending: ".sse" | ".json"): string[] {
  const folder = new URL(`../../src/dialects/${upstream}/fixtures/`, import.meta.url);
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending) && !name.endsWith(".request.json"))
    .map((name) => readFileSync(new URL(name, folder), "utf8"));
}

type Change = (frames: string[]) => string[];

const at = fc.nat({ max: 40 });
const place = (list: string[], index: number) => (list.length === 0 ? 0 : index % list.length);

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(at, at).map<Change>(([one, other]) => (frames) => {
    const [from, to] = [place(frames, one), place(frames, other)];
    const moved = [...frames];
    moved.splice(to, 0, ...moved.splice(from, 1));
    return moved;
  }),
  at.map<Change>((index) => (frames) => frames.filter((_frame, each) => each !== place(frames, index))),
  at.map<Change>(
    (index) => (frames) =>
      frames.flatMap((frame, each) => (each === place(frames, index) ? [frame, frame] : [frame])),
  ),
  fc.tuple(at, fc.nat({ max: 400 })).map<Change>(
    ([index, length]) =>
      (frames) =>
        frames.map((frame, each) => (each === place(frames, index) ? frame.slice(0, length) : frame)),
  ),
  fc.tuple(at, fc.uint8Array({ maxLength: 60 })).map<Change>(([index, bytes]) => (frames) => {
    const rubbish = Buffer.from(bytes).toString("latin1");
    return frames.toSpliced(place(frames, index), 0, rubbish);
  }),
  fc
    .tuple(
      at,
      fc.constantFrom(
        "data: null\n\n",
        "data: []\n\n",
        "data: {}\n\n",
        'data: "x"\n\n',
        "data: [DONE]\n\n",
        ": hello\n\n",
        "data:\n\n",
        'data: {"choices":[{"delta":{"content":{"a":1}}}]}\n\n',
        'data: {"type":"content_block_delta","index":-1,"delta":null}\n\n',
        'data: {"candidates":[{"content":{"parts":[null]}}]}\n\n',
        'data: {"usage":{"prompt_tokens":-5,"completion_tokens":1e300}}\n\n',
        'data: {"error":null}\n\n',
        'data: {"error":"no"}\n\n',
      ),
    )
    .map<Change>(
      ([index, frame]) =>
        (frames) =>
          frames.toSpliced(place(frames, index), 0, frame),
    ),
);

const ending = fc.constantFrom<Script["ending"]>("end", "end", "reset");

/** Splits text into byte chunks that ignore all boundaries. */
function cut(text: string, size: number): Buffer[] {
  const bytes = Buffer.from(text, "utf8");
  const pieces: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += size) pieces.push(bytes.subarray(from, from + size));
  return pieces;
}

const madness = fc.constantFrom(...(Object.keys(upstreams) as Upstream[])).chain((upstream) =>
  fc.record({
    upstream: fc.constant(upstream),
    client: fc.constantFrom(...clients),
    text: fc.constantFrom(...fixtures(upstream, ".sse")),
    changes: fc.array(change, { minLength: 1, maxLength: 4 }),
    size: fc.constantFrom(7, 64, 4_096),
    ending,
  }),
);

describe("a provider whose stream is broken in any way", () => {
  it("neither blocks a client nor ends the process", { timeout: 120_000 * runsFactor }, async () => {
    await fc.assert(
      fc.asyncProperty(madness, async ({ upstream, client, text, changes, size, ending }) => {
        const frames = text.split(/(?<=\n\n)/);
        const mad = changes.reduce((list, each) => each(list), frames).join("");
        await ask(client, upstream, true, {
          chunks: [head("text/event-stream"), ...cut(mad, size)],
          ending,
        });
      }),
      { numRuns: runs(30) },
    );
  });

  it(
    "neither blocks a client nor ends the process when the response is not streamed",
    { timeout: 120_000 * runsFactor },
    async () => {
      const answer = fc.constantFrom(...(Object.keys(upstreams) as Upstream[])).chain((upstream) =>
        fc.record({
          upstream: fc.constant(upstream),
          client: fc.constantFrom(...clients),
          text: fc.oneof(
            fc
              .tuple(fc.constantFrom(...fixtures(upstream, ".json")), fc.nat({ max: 2_000 }))
              .map(([text, length]) => text.slice(0, length)),
            fc.json(),
            fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
          ),
          ending,
        }),
      );
      await fc.assert(
        fc.asyncProperty(answer, async ({ upstream, client, text, ending }) => {
          await ask(client, upstream, false, { chunks: [head("application/json"), text], ending });
        }),
        { numRuns: runs(20) },
      );
    },
  );

  it(
    "neither blocks a client nor ends the process when the bytes are not HTTP",
    { timeout: 120_000 * runsFactor },
    async () => {
      const bytes = fc.record({
        client: fc.constantFrom(...clients),
        upstream: fc.constantFrom(...(Object.keys(upstreams) as Upstream[])),
        stream: fc.boolean(),
        start: fc.constantFrom(
          "",
          "HTTP/1.1 200 OK\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
          head("text/event-stream"),
        ),
        rest: fc.uint8Array({ maxLength: 300 }),
        ending,
      });
      await fc.assert(
        fc.asyncProperty(bytes, async ({ client, upstream, stream, start, rest, ending }) => {
          await ask(client, upstream, stream, { chunks: [start, Buffer.from(rest)], ending });
        }),
        { numRuns: runs(15) },
      );
    },
  );

  it.each([
    ["openai-chat", "anthropic"],
    ["openai-responses", "gemini"],
    ["anthropic", "anthropic"],
    ["gemini", "openai-chat"],
  ] as const)(
    "does not block a client when it stops in the middle, for a client of %s with an upstream of %s",
    async (client, upstream) => {
      const text = fixtures(upstream, ".sse")[0]!;
      const chunks = [head("text/event-stream"), text.slice(0, Math.floor(text.length / 2))];
      await ask(client, upstream, true, { chunks, ending: "hang" });
    },
  );

  it.each(clients)(
    "does not block a client when its request id is invalid in a header, for a client of %s",
    async (client) => {
      const text = fixtures("openai-chat", ".sse").find((each) => each.includes("[DONE]"))!;
      const headers = { "x-request-id": "请求-1" };
      const answer = await ask(client, "openai-chat", true, {
        chunks: [head("text/event-stream", headers), text],
        ending: "end",
      });
      expect(answer.length).toBeGreaterThan(0);
    },
  );
});

describe("a client with fields that are invalid in a header", () => {
  it.each([true, false])("gets a response, with stream %s", async (stream) => {
    const text = fixtures("anthropic", stream ? ".sse" : ".json").find((each) => each.includes("end_turn"))!;
    raw.play({
      chunks: [head(stream ? "text/event-stream" : "application/json"), text],
      ending: "end",
    });
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}#${channels.get("anthropic")}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({
        model: "anthropic",
        stream,
        messages: [{ role: "user", content: "Hello" }],
        "字段\r\nx": 1,
      }),
      signal: AbortSignal.timeout(15_000),
    });
    expect(answer.status).toBe(200);
    expect((await answer.text()).length).toBeGreaterThan(10);
    expect(answer.headers.get("x-gateway-dropped")).toMatch(/^[\x20-\x7e]+$/);
  });
});

describe("after all fuzz tests", () => {
  it("no client paid for more than was delivered, and nothing is reserved", async () => {
    await expect.poll(() => gateway.database.db.reservation.count()).toBe(0);
    const { rows } = await gateway.database.pool.query<{
      request_id: string;
      outcome: string;
      estimated: boolean;
      completion_tokens: bigint;
      quota: bigint;
    }>(
      "SELECT request_id, outcome, estimated, completion_tokens, quota FROM request_logs WHERE request_id = ANY($1)",
      [[...delivered.keys()]],
    );
    expect(rows.length).toBeGreaterThan(delivered.size / 2);
    expect(new Set(rows.map((row) => row.outcome))).toEqual(new Set(["complete", "upstream-died", "failed"]));
    for (const row of rows) {
      const seen = delivered.get(row.request_id)!;
      if (row.outcome === "failed" || seen.status !== 200) expect(Number(row.quota)).toBe(0);
      if (row.estimated) expect(Number(row.completion_tokens)).toBeLessThanOrEqual(seen.bytes);
    }
    const user = await gateway.database.db.user.findFirstOrThrow({ where: { role: 100 } });
    expect(user.reserved).toBe(0n);
    expect(await gateway.drift()).toBe(0n);
  });
});

import type { Self } from "@gateway/shared/accounts/session";
import type { ChannelForm, ChannelKeyRow, ChannelRow } from "@gateway/shared/channels/channel";
import { APIError } from "openai";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { nightly } from "#test/nightly.ts";
import { head, type RawUpstream, startRawUpstream } from "#test/raw-upstream.ts";

/** Every way a provider can fail, on real sockets: error kind, pause, failover and charge. */
let gateway: TestGateway;
let raw: RawUpstream;
let token: string;
/** No server listens on this port. */
const closed = "127.0.0.1:1";
let made: number[] = [];

beforeAll(async () => {
  [gateway, raw] = await Promise.all([startTestGateway(), startRawUpstream()]);
  // The tests send more requests within half a minute than a group may by default.
  await rest(60);
  token = (await gateway.addToken()).key;
});
afterEach(async () => {
  for (const id of made.splice(0)) await gateway.api("DELETE", `/channel/${id}`);
  gateway.upstream.control.reset();
});
afterAll(async () => {
  await gateway.stop();
  await raw.close();
});

async function add(channel: Partial<ChannelForm> & { name: string }): Promise<number> {
  const { id } = await gateway.addChannel({ type: 8, key: channel.name, ...channel });
  made.push(id);
  return id;
}

/** Sets the seconds that a failed channel is paused when its provider sends no duration. */
const rest = (seconds: number) =>
  gateway.api("PUT", "/option", { key: "RetryCooldownSeconds", value: seconds });

const ask = { model: "demo-chat", messages: [{ role: "user" as const, content: "Hello" }] };
const call = (stream = false, signal?: AbortSignal) =>
  gateway.openai(token).chat.completions.create({ ...ask, stream }, { signal });

async function failure(broken: Promise<unknown>): Promise<APIError> {
  const error = await broken.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof APIError) return error;
  throw new Error(`the call did not fail as a call does: ${String(error)}`);
}

interface Fault {
  name: string;
  /** Fields of the channel that make it fail. */
  channel(): Partial<ChannelForm>;
  play?(): void;
  kind: string;
  /** Duration of the pause in seconds, and its model. */
  frozen: { model: string; seconds: number };
  /** Status of the response when no other channel can serve the call. */
  status: number;
  retryAfter?: string;
}

/** For providers that do not respond. Other failures need no time limit, even on a slow machine. */
const hurry = { first_byte_timeout_ms: 400, idle_timeout_ms: 400 };
const here = { model: "demo-chat", seconds: 60 };
const everywhere = { model: "*", seconds: 60 };
const onRaw = () => ({ base_url: raw.url });
const inHurry = () => ({ ...onRaw(), ...hurry });
const chunked = { "transfer-encoding": "chunked" };

const faults: Fault[] = [
  { name: "429", channel: () => ({ key: "demo-fail-429" }), kind: "rate-limited", frozen: here, status: 429 },
  {
    name: "429 with Retry-After",
    channel: () => ({ key: "slow-down" }),
    play: () => gateway.upstream.control.set({ status: 429, retryAfter: 40, only: { key: "slow-down" } }),
    kind: "rate-limited",
    frozen: { model: "demo-chat", seconds: 40 },
    status: 429,
    retryAfter: "40",
  },
  { name: "500", channel: () => ({ key: "demo-fail-500" }), kind: "server", frozen: here, status: 502 },
  { name: "503", channel: () => ({ key: "demo-fail-503" }), kind: "overloaded", frozen: here, status: 503 },
  { name: "401", channel: () => ({ key: "demo-fail-401" }), kind: "auth", frozen: everywhere, status: 502 },
  { name: "402", channel: () => ({ key: "demo-fail-402" }), kind: "quota", frozen: everywhere, status: 502 },
  {
    name: "an empty account",
    channel: () => ({ key: "demo-no-credit" }),
    kind: "quota",
    frozen: everywhere,
    status: 502,
  },
  { name: "404", channel: () => ({ key: "demo-fail-404" }), kind: "not-found", frozen: here, status: 404 },
  {
    name: "silence before the headers",
    channel: inHurry,
    play: () => raw.play({ chunks: [], ending: "hang" }),
    kind: "timeout",
    frozen: here,
    status: 504,
  },
  {
    name: "a reset in the middle of the headers",
    channel: onRaw,
    play: () => raw.play({ chunks: ["HTTP/1.1 200 OK\r\ncontent-ty"], ending: "reset" }),
    kind: "network",
    frozen: here,
    status: 502,
  },
  {
    name: "a body that never ends",
    channel: inHurry,
    play: () => raw.play({ chunks: [head("application/json", chunked), '5\r\n{"id"\r\n'], ending: "hang" }),
    kind: "timeout",
    frozen: here,
    status: 504,
  },
  {
    name: "a body cut short",
    channel: onRaw,
    play: () =>
      raw.play({ chunks: [head("application/json", { "content-length": "900" }), "{"], ending: "end" }),
    kind: "network",
    frozen: here,
    status: 502,
  },
  {
    name: "bytes that are not HTTP",
    channel: onRaw,
    play: () => raw.play({ chunks: ["SSH-2.0-OpenSSH_9.9\r\n"], ending: "end" }),
    kind: "network",
    frozen: here,
    status: 502,
  },
  {
    name: "no TLS where TLS is asked for",
    channel: () => ({ base_url: gateway.upstream.url.replace("http:", "https:") }),
    kind: "network",
    frozen: here,
    status: 502,
  },
  {
    name: "nobody listening",
    channel: () => ({ base_url: `http://${closed}` }),
    kind: "network",
    frozen: here,
    status: 502,
  },
  {
    name: "a name that nobody knows",
    // The name is too long to be valid, so no name server is queried.
    channel: () => ({ base_url: `http://${"x".repeat(64)}.invalid` }),
    kind: "network",
    frozen: here,
    status: 502,
  },
  {
    name: "an http proxy that is down",
    channel: () => ({ proxy: `http://${closed}` }),
    kind: "network",
    frozen: here,
    status: 502,
  },
  {
    name: "a socks5 proxy that is down",
    channel: () => ({ proxy: `socks5://${closed}` }),
    kind: "network",
    frozen: here,
    status: 502,
  },
  {
    name: "a socks5 proxy that says nothing",
    channel: () => ({ connect_timeout_ms: 300, proxy: raw.url.replace("http:", "socks5:") }),
    play: () => raw.play({ chunks: [], ending: "hang" }),
    kind: "timeout",
    frozen: here,
    status: 504,
  },
];

describe.each(faults)("$name", ({ name, channel, play, kind, frozen, status, retryAfter }) => {
  it(`is ${kind}: another channel answers, the failed one is frozen, and the call is paid once`, async () => {
    const broken = await add({ name: "broken", priority: 5, ...channel() });
    await add({ name: "sound" });
    play?.();
    const before = await gateway.api<Self>("GET", "/user/self");
    const begun = Date.now();
    // The channel's own timeouts apply. Those of the settings would take minutes.
    const answer = await call();
    expect("choices" in answer && answer.choices[0]?.message.content).toBeTruthy();
    const [row] = await gateway.logs(1);
    expect(row?.attempts?.map(({ result }) => result)).toEqual([kind, "ok"]);
    const after = await gateway.api<Self>("GET", "/user/self");
    expect(before.quota - after.quota).toBe(row?.quota);
    expect(row?.quota).toBeGreaterThan(0);
    const [freeze] = (await gateway.api<ChannelRow>("GET", `/channel/${broken}`)).frozen;
    expect(freeze).toMatchObject({ model: frozen.model, reason: kind });
    const until = freeze?.until ?? 0;
    expect(until).toBeGreaterThan(begun / 1_000 + frozen.seconds - 1);
    expect(until).toBeLessThan(Date.now() / 1_000 + frozen.seconds + 1);
  });

  // The kind decides the response.
  const isFirst = retryAfter !== undefined || faults.find((other) => other.kind === kind)?.name === name;
  const title = `is a ${status} when no one else can answer, streamed or not, and costs nothing`;
  it(title, nightly(!isFirst), async () => {
    await rest(0);
    await add({ name: "broken", ...channel() });
    play?.();
    const before = await gateway.api<Self>("GET", "/user/self");
    const error = await failure(call());
    expect(error.status).toBe(status);
    if (retryAfter === undefined) {
      // Without a pause there is nothing to wait for, so the streamed call can follow immediately.
      expect((await failure(call(true))).status).toBe(status);
    } else expect(error.headers?.get("retry-after")).toBe(retryAfter);
    const after = await gateway.api<Self>("GET", "/user/self");
    expect(after).toMatchObject({ quota: before.quota, reserved: 0 });
    expect(await gateway.drift()).toBe(0n);
    await rest(60);
  });
});

describe("a stream that stops after its first text", () => {
  it("ends with an error in the client's dialect, and what was delivered is charged", async () => {
    await add({ name: "broken", ...inHurry() });
    const event = `data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Well, "}}]}\n\n`;
    const size = Buffer.byteLength(event).toString(16);
    raw.play({
      chunks: [head("text/event-stream", chunked), `${size}\r\n${event}\r\n`],
      ending: "hang",
    });
    const stream = await gateway.openai(token).chat.completions.create({ ...ask, stream: true });
    const read = (async () => {
      for await (const chunk of stream) expect(chunk.id).toBe("1");
    })();
    expect((await failure(read)).message).toContain("closed the connection");
    const [row] = await gateway.logs(1);
    expect(row).toMatchObject({ outcome: "upstream-died", estimated: true });
    expect(row?.quota).toBeGreaterThan(0);
  });
});

describe("many keys in one channel", () => {
  it("replace each other within one call, and only the rejected one is paused and disabled", async () => {
    const id = await add({ name: "many", key: "demo-fail-401\ngood" });
    await rest(0);
    const keys = () => gateway.api<ChannelKeyRow[]>("GET", `/channel/${id}/keys`);
    // The first key is chosen at random each time.
    const states = async () => {
      await call();
      return (await keys()).map(({ status }) => status);
    };
    await expect.poll(states, { interval: 10 }).toEqual([3, 1]);
    expect((await keys())[0]?.status_reason).toContain("refuses the key");
    expect((await gateway.api<ChannelRow>("GET", `/channel/${id}`)).status).toBe(1);
    // It is not used any more, as soon as the node has read the change.
    const rejected = () => gateway.upstream.calls().filter(({ key }) => key === "demo-fail-401").length;
    const usesOfEightCalls = async () => {
      const before = rejected();
      for (let round = 0; round < 8; round += 1) await call();
      return rejected() - before;
    };
    await expect.poll(usesOfEightCalls, { interval: 10 }).toBe(0);
    await rest(60);
  });

  it("are used according to their weights", async () => {
    const id = await add({ name: "weighted", key: "heavy\nlight" });
    const [heavy] = await gateway.api<ChannelKeyRow[]>("GET", `/channel/${id}/keys`);
    await gateway.api("PATCH", `/channel/${id}/keys/${heavy?.id}`, { weight: 1_000_000 });
    for (let round = 0; round < 20; round += 1) await call();
    expect(new Set(gateway.upstream.calls().map(({ key }) => key))).toEqual(new Set(["heavy"]));
  });
});

describe("a channel with a limit of concurrent calls", () => {
  it("is skipped when it is full; when all are full the response contains when to retry", async () => {
    await add({ name: "narrow", priority: 5, max_concurrency: 1 });
    await add({ name: "wide", max_concurrency: 1 });
    gateway.upstream.control.set({ hang: "start", times: 2 });
    const leaving = new AbortController();
    const served = () => gateway.upstream.calls().map(({ key }) => key);
    const first = failure(call(false, leaving.signal));
    await expect.poll(served).toEqual(["narrow"]);
    const second = failure(call(false, leaving.signal));
    await expect.poll(served).toEqual(["narrow", "wide"]);
    const refused = await failure(call());
    expect(refused.status).toBe(429);
    expect(refused.headers?.get("retry-after")).toBe("1");
    leaving.abort();
    await Promise.all([first, second]);
    // Their slots are free again.
    const next = async () => {
      await call();
      return served().at(-1);
    };
    await expect.poll(next).toBe("narrow");
  });
});

describe("a channel's system prompt", () => {
  it("is sent to the provider and included in the reservation", async () => {
    await add({ name: "kind", system_prompt: "Be kind. ".repeat(200) });
    const before = await call();
    const [row] = await gateway.logs(1);
    expect("usage" in before && before.usage?.prompt_tokens).toBeGreaterThan(300);
    expect(row?.prompt_tokens).toBeGreaterThan(300);
    expect(await gateway.drift()).toBe(0n);
  });
});

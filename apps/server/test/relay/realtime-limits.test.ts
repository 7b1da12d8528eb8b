import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { LogRow } from "@gateway/shared/usage/log";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { startTestGateway, testAccessToken, type TestGateway } from "#test/gateway.ts";

/** A realtime session whose client tries to get more than is reserved and billed. */
let gateway: TestGateway;
let server: Server;
let key: string;
let id: number;
/** Messages that the provider received, and the address they were sent to. */
let got: string[] = [];
let address = "";
/** Usage that the provider reports for each response. */
let usage = { input_tokens: 10, output_tokens: 10 };
/** How often the provider sends the end of a response and of a transcription. */
let repeats = 1;

beforeAll(async () => {
  server = createServer();
  new WebSocketServer({ server }).on("connection", (socket, request) => {
    address = request.url ?? "";
    const send = (event: object) => socket.send(JSON.stringify(event));
    let number = 0;
    send({ type: "session.created", session: {} });
    socket.on("message", (bytes: Buffer) => {
      const text = bytes.toString();
      got.push(text);
      const { type, session } = JSON.parse(text) as { type: string; session?: object };
      if (type === "session.update") send({ type: "session.updated", session });
      if (type === "input_audio_buffer.commit") {
        const item_id = `item_${(number += 1)}`;
        const name = "conversation.item.input_audio_transcription.completed";
        for (let count = 0; count < repeats; count += 1)
          send({ type: name, item_id, transcript: "Hi", usage });
      }
      if (type !== "response.create") return;
      const response = { id: `resp_${(number += 1)}`, usage };
      send({ type: "response.created", response });
      send({ type: "response.output_text.delta", response_id: response.id, delta: "Hi" });
      for (let count = 0; count < repeats; count += 1) send({ type: "response.done", response });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const base_url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 8, name: "voice", models: ["speaker"], base_url });
  await gateway.addPrice("speaker");
});
afterAll(async () => {
  await gateway.stop();
  server.close();
});
beforeEach(async () => {
  got = [];
  usage = { input_tokens: 10, output_tokens: 10 };
  repeats = 1;
  ({ key, id } = await gateway.addToken());
});

interface Session {
  socket: WebSocket;
  send(event: object | string | Buffer): void;
  /** Waits for the next event of this type. */
  until(type: string): Promise<Record<string, unknown>>;
}

async function open(query = ""): Promise<Session> {
  const url = `${gateway.url.replace("http", "ws")}/v1/realtime?model=speaker${query}`;
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}` } });
  const events: Record<string, unknown>[] = [];
  let seen = 0;
  socket.on("message", (bytes: Buffer) => events.push(JSON.parse(bytes.toString())));
  socket.on("error", () => {});
  const until = async (type: string) => {
    const deadline = Date.now() + 15_000;
    while (Date.now() < deadline) {
      const at = events.findIndex((event, index) => index >= seen && event["type"] === type);
      const found = events[at];
      if (found !== undefined) {
        seen = at + 1;
        return found;
      }
      await sleep(5);
    }
    throw new Error(`No ${type} after ${JSON.stringify(events)}`);
  };
  await until("session.created");
  return {
    socket,
    until,
    send: (event) =>
      socket.send(typeof event === "string" || Buffer.isBuffer(event) ? event : JSON.stringify(event)),
  };
}

async function charged(): Promise<LogRow[]> {
  const own = async () =>
    (await gateway.logs(0)).filter((row) => row.token_id === id && row.prompt_tokens > 0);
  await expect.poll(async () => (await own()).length).toBeGreaterThan(0);
  return own();
}

/** About 50,000 tokens by the gateway's count. */
const long = "word ".repeat(40_000);
const message = (text: string) => ({
  type: "conversation.item.create",
  item: { type: "message", role: "user", content: [{ type: "input_text", text }] },
});

describe("a realtime response is billed in full", () => {
  it.each<[string, object[]]>([
    ["whose session had a limit before", [{ type: "session.update", session: { max_output_tokens: 1 } }]],
    [
      "whose older name of the limit",
      [{ type: "session.update", session: { max_response_output_tokens: 1 } }],
    ],
    ["after a long text", [message(long)]],
    ["after long instructions", [{ type: "session.update", session: { instructions: long } }]],
  ])("%s", async (_, before) => {
    const session = await open();
    for (const event of before) session.send(event);
    if (before.some((event) => "session" in event)) await session.until("session.updated");
    // The reservation for the next response uses the current session.
    session.send({ type: "response.create" });
    await session.until("response.done");
    usage = { input_tokens: 50_000, output_tokens: 16_000 };
    if (!JSON.stringify(before).includes("word")) usage.input_tokens = 100;
    session.send({ type: "response.create", response: { max_output_tokens: 16_000 } });
    for (const event of before) session.send(event);
    await session.until("response.done");
    session.socket.close();
    const rows = await charged();
    expect(rows.map((row) => row.quota)).toContain(usage.input_tokens + usage.output_tokens);
    expect(rows.every((row) => !row.estimated)).toBe(true);
    expect(await gateway.drift()).toBe(0n);
  });

  it("with a long text of its own, or with one that arrived during the previous response", async () => {
    usage = { input_tokens: 50_000, output_tokens: 10 };
    const session = await open();
    session.send({ type: "response.create", response: { instructions: long } });
    await session.until("response.done");
    session.send({ type: "response.create" });
    session.send(message(long));
    await session.until("response.done");
    usage = { input_tokens: 100_000, output_tokens: 10 };
    session.send({ type: "response.create" });
    await session.until("response.done");
    session.socket.close();
    const rows = await charged();
    expect(rows.map((row) => row.quota).toSorted((a, b) => b - a)).toEqual([100_010, 50_010, 50_010]);
  });

  it("reserves the limit that a response sets, and rejects one that the balance does not cover", async () => {
    const session = await open();
    session.send({ type: "response.create", response: { max_output_tokens: 2_000_000_000 } });
    const { error } = (await session.until("error")) as { error?: { code?: string } };
    expect(error?.code).toBe("insufficient_quota");
    expect(got).toEqual([]);
  });
});

describe("an unambiguous realtime event", () => {
  const model = { model: "dear" };
  it.each<[string, string | Buffer]>([
    ["Session", JSON.stringify({ type: "session.update", session: {}, Session: model })],
    ["Model", JSON.stringify({ type: "session.update", session: { Model: "dear" } })],
    ["model in response", JSON.stringify({ type: "response.create", response: { Model: "dear" } })],
    [
      "Max_Output_Tokens",
      JSON.stringify({ type: "response.create", response: { Max_Output_Tokens: 9_000 } }),
    ],
    ["Type", JSON.stringify({ type: "input_audio_buffer.clear", Type: "response.create" })],
    ["type twice", '{"type":"response.create","type":"input_audio_buffer.clear"}'],
    ["model twice", '{"type":"session.update","session":{"model":"dear","model":"speaker"}}'],
    ["session twice", '{"type":"session.update","session":{"model":"dear"},"session":{}}'],
    ["an escaped name", '{"type":"session.update","session":{"model":"dear","mod\\u0065l":"speaker"}}'],
    ["NaN", '{"type":"session.update","session":{"model":"dear","temperature":NaN}}'],
    ["a comment", '{"type":"session.update","session":{"model":"dear"}} // more'],
    ["a list", JSON.stringify([{ type: "session.update", session: model }])],
    ["no UTF-8", Buffer.from('{"type":"session.update","session":{"mod\xffel":"dear"}}', "latin1")],
    ["binary", Buffer.from("[1]")],
  ])("%s is rejected with an error event", async (_, event) => {
    const session = await open();
    session.send(event);
    const { error } = (await session.until("error")) as { error?: { type?: string } };
    expect(error?.type).toBe("invalid_request_error");
    expect(got).toEqual([]);
    session.send({ type: "response.create" });
    await session.until("response.done");
    session.socket.close();
  });

  it("is also parsed in a binary message", async () => {
    const session = await open();
    session.send(Buffer.from(JSON.stringify({ type: "session.update", session: model })));
    await session.until("session.updated");
    expect(JSON.parse(got[0] ?? "")).toMatchObject({ session: { model: "speaker" } });
    session.socket.close();
  });

  it("counts in the memory budget while it arrives", async () => {
    const counted = async () => {
      const headers = { authorization: `Bearer ${testAccessToken}` };
      const text = await (await fetch(`${gateway.url}/metrics`, { headers })).text();
      return Number(/^gateway_memory_budget_bytes\{kind="used"\} (\S+)$/m.exec(text)?.[1] ?? Number.NaN);
    };
    const { socket } = await open();
    const audio = "A".repeat(4 * 1024 * 1024);
    socket.send(`{"type":"input_audio_buffer.append","audio":"${audio}`, { fin: false });
    await expect.poll(counted).toBeGreaterThan(audio.length);
    socket.send('"}', { fin: true });
    await expect.poll(() => got.length).toBe(1);
    await expect.poll(counted).toBe(0);
    socket.close();
  });

  it("has an address with one model and no other session", async () => {
    const session = await open("&deployment=dear&Deployment_ID=dear&call_id=rtc_1&intent=x");
    session.socket.close();
    expect(new URL(address, "http://x").searchParams.toString()).toBe("model=speaker&intent=x");
  });
});

it("a flood of client events is passed on at 500 per second", async () => {
  const session = await open();
  const before = got.length;
  const begun = performance.now();
  for (let count = 0; count < 1_100; count += 1) session.send({ type: "input_audio_buffer.clear" });
  await expect.poll(() => got.length, { timeout: 20_000 }).toBe(before + 1_100);
  expect(performance.now() - begun).toBeGreaterThan(1_900);
  session.socket.close();
});

describe("a provider that repeats or invents", () => {
  it("the end of a response is paid once", async () => {
    repeats = 3;
    const session = await open();
    for (let count = 0; count < 2; count += 1) {
      session.send({ type: "response.create" });
      for (let ends = 0; ends < repeats; ends += 1) await session.until("response.done");
    }
    session.socket.close();
    await expect.poll(async () => (await charged()).length).toBe(2);
    expect((await charged()).map(({ quota }) => quota)).toEqual([20, 20]);
    expect(await gateway.drift()).toBe(0n);
  });

  it("a transcription is paid once, and by the audio that was sent", async () => {
    repeats = 3;
    usage = { input_tokens: 900_000, output_tokens: 900_000 };
    const session = await open();
    // A second, of ten tokens.
    session.send({ type: "input_audio_buffer.append", audio: Buffer.alloc(48_000).toString("base64") });
    session.send({ type: "input_audio_buffer.commit" });
    for (let ends = 0; ends < repeats; ends += 1)
      await session.until("conversation.item.input_audio_transcription.completed");
    session.socket.close();
    const [row, ...others] = await charged();
    expect(others).toEqual([]);
    expect(row?.quota).toBeLessThan(1_200);
    expect(await gateway.drift()).toBe(0n);
  });
});

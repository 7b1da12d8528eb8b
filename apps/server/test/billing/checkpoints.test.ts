import { afterAll, beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { head, type RawUpstream, startRawUpstream } from "#test/raw-upstream.ts";

/** Checkpoints of long calls: the log row that a call gets if its node dies now. */
let gateway: TestGateway;
let raw: RawUpstream;
let key: string;
/** Ends every open stream, so that the gateway has nothing to wait for when it stops. */
const ended = new AbortController();

const text = (content: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;
const nothing = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { role: "assistant", content: "" } }] })}\n\n`;

beforeAll(async () => {
  [gateway, raw] = await Promise.all([startTestGateway(), startRawUpstream()]);
  await gateway.addChannel({ type: 8, name: "raw", base_url: raw.url, models: ["raw"] });
  await gateway.addChannel({ type: 8, name: "demo", models: ["demo-realtime"] });
  for (const model of ["raw", "demo-realtime"]) await gateway.addPrice(model);
  await gateway.api("PUT", "/option", { key: "DisconnectDrainSeconds", value: 30 });
  ({ key } = await gateway.addToken());
});
afterAll(async () => {
  ended.abort();
  await raw.close();
  await gateway.stop();
});

async function open(path: string, body: object, signal = ended.signal): Promise<string> {
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal,
  });
  expect(response.status).toBe(200);
  response.text().catch(() => {});
  return response.headers.get("x-request-id") ?? "";
}

/** Returns the checkpoints when there are `count` of them. */
async function checkpoints(count: number): Promise<Map<string, Record<string, unknown>>> {
  const found = async () => {
    const rows = await gateway.database.db.reservation.findMany();
    return rows.flatMap(({ request_id, checkpoint }) =>
      checkpoint === null ? [] : [[request_id, checkpoint as Record<string, unknown>] as const],
    );
  };
  await expect.poll(async () => (await found()).length, { timeout: 30_000 }).toBe(count);
  return new Map(await found());
}

function play(...chunks: string[]): void {
  raw.play({ chunks: [head("text/event-stream"), ...chunks], ending: "hang", pauseMs: 20 });
}

it("checkpoints: long calls have one, but only of what was delivered while their client was there", async () => {
  const chat = { model: "raw", stream: true, messages: [{ role: "user", content: "Hi" }] };
  // These begin first, so they would have a checkpoint when all others have one.
  play(nothing);
  const silent = await open("/v1/chat/completions", chat);
  const leaving = new AbortController();
  play(nothing, text("one two three"));
  const left = await open("/v1/chat/completions", chat, leaving.signal);
  leaving.abort();
  play(nothing, text("one two three"), text(" four five six"));
  const message = await open("/v1/chat/completions", chat);
  const translated = await open("/v1/messages", { ...chat, max_tokens: 100 });
  const completed = await open("/v1/completions", { model: "raw", stream: true, prompt: "Hi" });
  const [session, speaking] = await speak();
  const found = await checkpoints(4);
  const row = { outcome: "interrupted", status: 503, type: 2, estimated: true };
  for (const id of [message, translated])
    expect(found.get(id)).toMatchObject({ ...row, is_stream: true, model_name: "raw" });
  expect(found.get(message)?.["completion_tokens"]).toBeGreaterThan(3);
  expect(found.get(message)?.["completion_tokens"]).toBeLessThan(12);
  expect(found.get(completed)).toMatchObject({ ...row, endpoint: "/v1/completions" });
  expect([...found.keys()]).not.toContain(silent);
  expect([...found.keys()]).not.toContain(left);
  const realtime = [...found.values()].filter((each) => each["model_name"] === "demo-realtime");
  expect(realtime).toMatchObject([row]);
  expect(realtime[0]?.["completion_tokens"]).toBeGreaterThan(0);
  expect(speaking()).toBe(true);
  // The gateway still reads the response that its client left.
  expect(await gateway.logs(0)).toEqual([]);
  session.terminate();
}, 60_000);

/** Opens a session in the middle of a long response. */
async function speak(): Promise<[WebSocket, () => boolean]> {
  const address = `${gateway.url.replace("http", "ws")}/v1/realtime?model=demo-realtime`;
  const socket = new WebSocket(address, { headers: { authorization: `Bearer ${key}` } });
  const types: string[] = [];
  socket.on("error", () => {});
  socket.on("message", (data: Buffer) => types.push((JSON.parse(data.toString()) as { type: string }).type));
  await expect.poll(() => types).toContain("session.created");
  const content = [{ type: "input_text", text: "[[length=200]] [[chunk-delay=200]] Speak" }];
  socket.send(
    JSON.stringify({
      type: "conversation.item.create",
      item: { type: "message", role: "user", content },
    }),
  );
  socket.send(JSON.stringify({ type: "response.create" }));
  return [socket, () => types.includes("response.created") && !types.includes("response.done")];
}

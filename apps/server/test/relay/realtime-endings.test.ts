import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { LogRow } from "@gateway/shared/usage/log";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** A client that disconnects from a session before its provider has reported the usage. */
let gateway: TestGateway;
let server: Server;
let key: string;
let id: number;
/** Milliseconds after which the provider completes its current work; undefined = never. */
let completesAfter: number | undefined;

beforeAll(async () => {
  server = createServer();
  new WebSocketServer({ server }).on("connection", (socket) => {
    const send = (event: object) => socket.send(JSON.stringify(event));
    const item = "item_1";
    send({ type: "session.created", session: { input_audio_transcription: { model: "scribe" } } });
    socket.on("message", (bytes: Buffer) => {
      const { type } = JSON.parse(bytes.toString()) as { type: string };
      if (type !== "input_audio_buffer.commit") return;
      send({ type: "input_audio_buffer.committed", item_id: item });
      const words = "All the words that were said.";
      send({ type: "conversation.item.input_audio_transcription.delta", item_id: item, delta: words });
      if (completesAfter === undefined) return;
      setTimeout(() => {
        send({
          type: "conversation.item.input_audio_transcription.completed",
          item_id: item,
          transcript: words,
          usage: { type: "tokens", input_tokens: 900, output_tokens: 10, total_tokens: 910 },
        });
      }, completesAfter);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  gateway = await startTestGateway();
  await gateway.api("PUT", "/option", { key: "DisconnectDrainSeconds", value: 2 });
  await gateway.addChannel({
    type: 8,
    name: "voice",
    models: ["listener"],
    base_url: `http://127.0.0.1:${port}`,
  });
  for (const model of ["listener", "scribe"]) await gateway.addPrice(model);
});
afterAll(async () => {
  await gateway.stop();
  server.close();
});
beforeEach(async () => {
  ({ key, id } = await gateway.addToken());
});

/** Sends ten seconds of audio and disconnects as soon as the transcript has arrived. */
async function listenAndLeave(): Promise<LogRow | undefined> {
  const socket = new WebSocket(`${gateway.url.replace("http", "ws")}/v1/realtime?model=listener`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const events: string[] = [];
  socket.on("message", (bytes: Buffer) => events.push(bytes.toString()));
  await expect.poll(() => events.join("")).toContain("session.created");
  const audio = Buffer.alloc(480_000).toString("base64");
  socket.send(JSON.stringify({ type: "input_audio_buffer.append", audio }));
  socket.send(JSON.stringify({ type: "input_audio_buffer.commit" }));
  await expect.poll(() => events.join(""), { interval: 2 }).toContain("All the words");
  socket.terminate();
  await expect.poll(() => gateway.database.db.reservation.count()).toBe(0);
  let found: LogRow | undefined;
  await expect
    .poll(async () => {
      found = (await gateway.logs(0)).find((row) => row.token_id === id && row.model_name === "scribe");
      return found;
    })
    .toBeDefined();
  expect(await gateway.drift()).toBe(0n);
  return found;
}

describe("realtime: a client disconnects before its transcription is completed", () => {
  it("is charged by the provider's usage", async () => {
    completesAfter = 500;
    expect(await listenAndLeave()).toMatchObject({ prompt_tokens: 900, completion_tokens: 10 });
  });

  it("is charged for the audio and the text when the provider reports no usage in time", async () => {
    completesAfter = undefined;
    const row = await listenAndLeave();
    // Ten seconds of audio, ten tokens each.
    expect(row).toMatchObject({ prompt_tokens: 100, completion_tokens: 8 });
  });
});

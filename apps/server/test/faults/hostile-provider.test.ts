import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { head, type RawUpstream, type Script, startRawUpstream } from "#test/raw-upstream.ts";

/** Responses that HTTP allows and no honest provider sends, and some that it forbids. */
let gateway: TestGateway;
let raw: RawUpstream;
/** Where redirects lead. */
let elsewhere: RawUpstream;
let key: string;

beforeAll(async () => {
  [raw, elsewhere] = await Promise.all([startRawUpstream(), startRawUpstream()]);
  gateway = await startTestGateway();
  const values = { RetryCooldownSeconds: 0, AutomaticDisableChannelEnabled: false, RetryTimes: 0 };
  await gateway.api("PUT", "/option/batch", { values });
  await gateway.addChannel({ type: 8, name: "hostile", base_url: raw.url, models: ["m"] });
  await gateway.addPrice("m");
  ({ key } = await gateway.addToken());
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([raw.close(), elsewhere.close()]);
});
afterEach(async () => {
  await expect.poll(() => gateway.database.db.reservation.count({ where: { version: 0 } })).toBe(0);
  expect(await gateway.drift()).toBe(0n);
});

const words = "four score and seven years ago ";
const usage = { prompt_tokens: 7, completion_tokens: 11, total_tokens: 18 };
const whole = (content = words) =>
  JSON.stringify({
    id: "c",
    object: "chat.completion",
    model: "m",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
    usage,
  });
const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) =>
  `data: ${JSON.stringify({ id: "c", model: "m", choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`;
const ending = `${chunk({}, "stop", { usage })}data: [DONE]\n\n`;
const events = (content = words) => chunk({ role: "assistant", content }) + ending;

const json = "content-type: application/json\r\n";
const stream = "content-type: text/event-stream\r\n";
const close = "connection: close\r\n";
const chunkedPiece = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const chunked = `transfer-encoding: chunked\r\n`;

function* singleBytes(text: string) {
  for (const byte of Buffer.from(text)) yield Buffer.from([byte]);
}

interface Response {
  status: number;
  text: string;
}

async function ask(
  isStream: boolean,
  script: Pick<Script, "chunks"> & Partial<Script>,
  max_tokens = 4_000_000,
): Promise<Response> {
  raw.play({ ending: "end", ...script });
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "m",
      stream: isStream,
      max_tokens,
      messages: [{ role: "user", content: "Speak." }],
    }),
    signal: AbortSignal.timeout(30_000),
  });
  return { status: answer.status, text: await answer.text().catch((error: unknown) => String(error)) };
}

async function charged(): Promise<number> {
  const [row] = await gateway.logs();
  return row?.quota ?? 0;
}

type Row = [what: string, isStream: boolean, chunks: () => Script["chunks"]];

const served: Row[] = [
  ["single bytes", true, () => singleBytes(head("text/event-stream") + events())],
  ["single bytes in a whole response", false, () => singleBytes(head("application/json") + whole())],
  [
    "trailers",
    false,
    () => [
      `HTTP/1.1 200 OK\r\n${json}${close}${chunked}trailer: x-end\r\n\r\n`,
      chunkedPiece(whole()),
      "0\r\nx-end: yes\r\n\r\n",
    ],
  ],
  ["HTTP/1.0 without a length", false, () => [`HTTP/1.0 200 OK\r\n${json}\r\n`, whole()]],
  ["a stream in HTTP/1.0", true, () => [`HTTP/1.0 200 OK\r\n${stream}\r\n`, events()]],
  [
    "interim responses",
    true,
    () => ["HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(20), head("text/event-stream"), events()],
  ],
  ["an end that is repeated", true, () => [head("text/event-stream"), events(), ending.repeat(50)]],
  [
    "bytes behind its length",
    false,
    () => [
      `HTTP/1.1 200 OK\r\n${json}${close}content-length: ${whole().length}\r\n\r\n`,
      whole(),
      "HTTP/1.1 200 OK\r\n\r\nmore",
    ],
  ],
  ["an event of 10 MB", true, () => [head("text/event-stream"), events("four score ".repeat(953_000))]],
];

const failed: Row[] = [
  [
    "less than its length",
    false,
    () => [`HTTP/1.1 200 OK\r\n${json}${close}content-length: ${whole().length + 9}\r\n\r\n`, whole()],
  ],
  [
    "a length that is too small",
    false,
    () => [`HTTP/1.1 200 OK\r\n${json}${close}content-length: 20\r\n\r\n`, whole()],
  ],
  [
    "two lengths",
    false,
    () => [`HTTP/1.1 200 OK\r\n${json}${close}content-length: 5\r\ncontent-length: 500\r\n\r\n`, whole()],
  ],
  [
    "headers of 64 KB",
    false,
    () => [`HTTP/1.1 200 OK\r\n${json}${close}x-long: ${"a".repeat(65_536)}\r\n\r\n`, whole()],
  ],
  [
    "a redirect",
    false,
    () => [`HTTP/1.1 307 Go\r\nlocation: ${elsewhere.url}\r\n${close}content-length: 0\r\n\r\n`],
  ],
  [
    "a redirect of a stream",
    true,
    () => [`HTTP/1.1 301 Go\r\nlocation: ${elsewhere.url}\r\n${close}content-length: 0\r\n\r\n`],
  ],
  ["no content", false, () => [`HTTP/1.1 204 No Content\r\n${close}\r\n`]],
  [
    "a piece of impossible length",
    true,
    () => [`HTTP/1.1 200 OK\r\n${stream}${close}${chunked}\r\n`, "FFFFFFFFFFFFFFFFF\r\nx"],
  ],
  ["text that is not HTTP", true, () => ["SSH-2.0-OpenSSH_9.6\r\n"]],
  [
    "numbers that are no JSON in its usage",
    false,
    () => [head("application/json"), whole().replace('"prompt_tokens":7', '"prompt_tokens":NaN')],
  ],
];

describe("a provider that sends", () => {
  it.each(served)("%s is understood, and charged by its usage", async (_what, isStream, chunks) => {
    const { status, text } = await ask(isStream, { chunks: chunks() });
    expect({ status, text: text.slice(-500) }).toEqual({
      status: 200,
      text: expect.stringMatching(isStream ? /DONE/ : /four score/),
    });
    expect(await charged()).toBe(18);
  });

  it.each(failed)("%s gets an error for its client, who pays nothing", async (_what, isStream, chunks) => {
    const { status, text } = await ask(isStream, { chunks: chunks() });
    expect(text).toContain('"error"');
    if (!isStream) expect(status).toBe(502);
    expect(await charged()).toBe(0);
    expect(elsewhere.calls()).toBe(0);
  });

  it("much that was compressed to little is cut off at the size that the request allows", async () => {
    const gzip = { "content-encoding": "gzip" };
    const [before, after] = whole("|").split("|") as [string, string];
    const filler = Buffer.alloc(256 * 1024 * 1024, words);
    const body = gzipSync(Buffer.concat([Buffer.from(before), filler, Buffer.from(after)]));
    const answer = await ask(false, { chunks: [head("application/json", gzip), body] }, 100);
    expect(answer.text.length).toBeLessThan(filler.length / 2);
    const empty = gzipSync('data: {"id":"c","choices":[]}\n\n'.repeat(8_000_000));
    const stream = await ask(true, { chunks: [head("text/event-stream", gzip), empty] }, 100);
    expect(stream.text).toContain('"error"');
    expect(stream.text.length).toBeLessThan(128 * 1024 * 1024);
  });
});

import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestDatabase } from "#test/database-copies.ts";
import { installedDatabase } from "#test/database.ts";
import { type GatewayProcess, startGatewayProcess } from "#test/gateway-process.ts";

/** Uploaded files on their way through the process, and the memory that they need. */
const MEGABYTE = 1024 * 1024;
const boundary = "a-boundary-of-the-uploads";

/** A provider that records only the sizes and digests of what it received. */
interface Received {
  path: string;
  type: string;
  length: number;
  digest: string;
}

let place: TestDatabase;
let dataDir: string;
let gateway: GatewayProcess;
let key: string;
/** Id of a channel whose provider stores files. */
let keeper: number;
let upstream: Server;
const received: Received[] = [];
/** Statuses of the provider's next responses; 200 when empty. */
const refusals: number[] = [];

beforeAll(async () => {
  upstream = createServer((incoming, response) => {
    const hash = createHash("sha256");
    let length = 0;
    incoming.on("data", (chunk: Buffer) => {
      hash.update(chunk);
      length += chunk.length;
    });
    incoming.on("end", () => {
      const type = incoming.headers["content-type"] ?? "";
      received.push({ path: incoming.url ?? "", type, length, digest: hash.digest("hex") });
      const status = refusals.shift() ?? 200;
      const usage = {
        type: "tokens",
        input_tokens: 700,
        output_tokens: 5,
        input_token_details: { audio_tokens: 690, text_tokens: 10 },
      };
      const body =
        status === 200 ? { text: "heard", usage } : { error: { message: "no", type: "server_error" } };
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
    incoming.on("error", () => {});
  }).listen(0, "127.0.0.1");
  await once(upstream, "listening");
  place = await installedDatabase();
  dataDir = await mkdtemp(join(tmpdir(), "gateway-uploads-"));
  gateway = await startGatewayProcess({
    DATABASE_URL: place.url,
    DATA_DIR: dataDir,
    DEMO_UPSTREAM: "false",
  });
  const providerUrl = `http://127.0.0.1:${(upstream.address() as { port: number }).port}`;
  const channel = {
    type: 8,
    base_url: providerUrl,
    key: "k",
    groups: ["default"],
    models: ["ear", "ear-of-ours", "gpt-image-2.5-sunburst"],
  };
  await gateway.api("POST", "/channel", {
    ...channel,
    name: "one",
    model_mapping: { "ear-of-ours": "ear", "gpt-image-2.5-sunburst": "+painter" },
  });
  await gateway.api("POST", "/channel", {
    ...channel,
    name: "two",
    model_mapping: { "ear-of-ours": "ear", "gpt-image-2.5-sunburst": "+painter" },
  });
  const keeping = { ...channel, type: 1, name: "keeper", models: ["nothing-else-asks-for"] };
  keeper = (await gateway.api<{ id: number }>("POST", "/channel", keeping)).id;
  for (const model of ["ear", "ear-of-ours"])
    await gateway.api("POST", "/prices/single", {
      model,
      type: "tokens",
      channel_type: 1,
      input: 1,
      output: 1,
    });
  key = (await gateway.api<{ key: string }>("POST", "/token", { name: "t" })).key;
});
afterAll(async () => {
  gateway.process.kill("SIGTERM");
  await gateway.ended;
  upstream.close();
  await place.drop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Returns the resident memory in bytes, as the system reports it. */
async function residentMemory(): Promise<number> {
  const status = await readFile(`/proc/${gateway.process.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
}

/** Returns the maximum growth of the process in megabytes while `work` runs. */
async function growthDuring<T>(work: () => Promise<T>): Promise<{ answer: T; growth: number }> {
  const before = await residentMemory();
  let most = before;
  const watch = setInterval(() => {
    void residentMemory().then((now) => (most = Math.max(most, now)));
  }, 20);
  try {
    return { answer: await work(), growth: (most - before) / MEGABYTE };
  } finally {
    clearInterval(watch);
  }
}

const piece = Buffer.alloc(64 * 1024, 7);

function* formOf(fields: Record<string, string>, fileBytes: number): Generator<Buffer> {
  yield Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n`,
  );
  for (let left = fileBytes; left > 0; left -= piece.length)
    yield piece.subarray(0, Math.min(left, piece.length));
  yield Buffer.from("\r\n");
  for (const [name, value] of Object.entries(fields))
    yield Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
  yield Buffer.from(`--${boundary}--\r\n`);
}

function digestOf(pieces: Iterable<Buffer>): string {
  const hash = createHash("sha256");
  for (const one of pieces) hash.update(one);
  return hash.digest("hex");
}

/** Uploads without a content length and without buffering. */
async function upload(pieces: Iterable<Buffer>, path = "/v1/audio/transcriptions", headers = {}) {
  const sending = request(gateway.url + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": `multipart/form-data; boundary=${boundary}`,
      ...headers,
    },
  });
  const answered = once(sending, "response") as Promise<[IncomingMessage]>;
  sending.on("error", () => {});
  for (const one of pieces)
    if (!sending.write(one) && !sending.destroyed) await Promise.race([once(sending, "drain"), answered]);
  sending.end();
  const [response] = await answered;
  let text = "";
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, body: JSON.parse(text) };
}

describe("an upload", () => {
  it("reaches the provider byte for byte when nothing is renamed, with its length", async () => {
    const form = () => formOf({ model: "ear", language: "en" }, 3 * MEGABYTE);
    expect(await upload(form())).toMatchObject({ status: 200, body: { text: "heard" } });
    expect(received.at(-1)).toMatchObject({ path: "/v1/audio/transcriptions", digest: digestOf(form()) });
  });

  it("contains the mapped model name for every provider that is tried", async () => {
    refusals.push(503);
    const before = received.length;
    expect(await upload(formOf({ model: "ear-of-ours" }, 2 * MEGABYTE))).toMatchObject({ status: 200 });
    const renamed = digestOf(formOf({ model: "ear" }, 2 * MEGABYTE));
    expect(received.slice(before).map(({ digest }) => digest)).toEqual([renamed, renamed]);
  });

  it("gets an image model that the client left out, under the provider's name", async () => {
    expect(await upload(formOf({ prompt: "a boat" }, 1_000), "/v1/images/edits")).toMatchObject({
      status: 200,
    });
    const first = `--${boundary}\r\nContent-Disposition: form-data; name="model"\r\n\r\npainter\r\n`;
    expect(received.at(-1)?.digest).toBe(
      digestOf([Buffer.from(first), ...formOf({ prompt: "a boat" }, 1_000)]),
    );
  });

  it("is billed by the provider's usage, with audio counted separately", async () => {
    await upload(formOf({ model: "ear" }, 100_000));
    type Row = {
      prompt_tokens: number;
      estimated: boolean;
      bill: { lines: { kind: string; amount: number }[] };
    };
    const { data } = await gateway.api<{ data: Row[] }>("GET", "/log?size=1");
    expect(data[0]).toMatchObject({ prompt_tokens: 700, estimated: false });
    expect(data[0]?.bill.lines).toContainEqual(
      expect.objectContaining({ kind: "input_audio_tokens", amount: 690 }),
    );
  });

  it(
    "can be large and concurrent with many others while memory stays small",
    { tags: "nightly" },
    async () => {
      await Promise.all(Array.from({ length: 4 }, () => upload(formOf({ model: "ear" }, MEGABYTE))));
      const { answer: all, growth } = await growthDuring(() =>
        Promise.all(
          Array.from({ length: 24 }, () => upload(formOf({ model: "ear-of-ours" }, 40 * MEGABYTE))),
        ),
      );
      expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 24 }, () => 200));
      // 960 MB passed, all of which would be in memory if buffered. Some of it waits for garbage collection.
      expect(growth).toBeLessThan(24 * 40 * 0.7);
      expect(await readdir(dataDir)).not.toContainEqual(expect.stringContaining("upload-"));
    },
  );

  it("is rejected when it is too large, whether its length is announced or not", async () => {
    const form = () => formOf({ model: "ear" }, 65 * MEGABYTE);
    const before = received.length;
    // Rejected for its announced length. Sending everything would race with the end of the connection.
    const output = await upload(formOf({ model: "ear" }, MEGABYTE), "/v1/audio/transcriptions", {
      "content-length": String(67 * MEGABYTE),
    });
    expect(output).toMatchObject({ status: 413, body: { error: { code: "body_too_large" } } });
    expect(await upload(form())).toMatchObject({
      status: 413,
      body: { error: { type: "invalid_request_error" } },
    });
    expect(received).toHaveLength(before);
  });

  it("is rejected when it is not a form, or an invalid one", async () => {
    expect(await upload([Buffer.from("nonsense")])).toMatchObject({ status: 400 });
    expect(await upload(formOf({ language: "en" }, 10))).toMatchObject({
      status: 400,
      body: { error: { param: "model" } },
    });
    const json = await upload([Buffer.from("{}")], "/v1/audio/transcriptions", {
      "content-type": "application/json",
    });
    expect(json).toMatchObject({ status: 400 });
  });
});

describe("a file that a provider stores", () => {
  it("is forwarded in full at any size, and never buffered", async () => {
    // Larger than any other body may be.
    const form = () => formOf({ purpose: "batch" }, 160 * MEGABYTE);
    const headers = { authorization: `Bearer ${key}#${keeper}` };
    const { answer, growth } = await growthDuring(() => upload(form(), "/v1/files", headers));
    expect(answer).toMatchObject({ status: 200, body: { text: "heard" } });
    expect(received.at(-1)).toMatchObject({ path: "/v1/files", digest: digestOf(form()) });
    expect(growth).toBeLessThan(160 * 0.8);
    expect(await readdir(dataDir)).not.toContainEqual(expect.stringContaining("upload-"));
  });
});

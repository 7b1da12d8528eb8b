import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as zlib from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UpstreamResponse } from "#platform/http/exchange.ts";
import { createUpstreamClient } from "#platform/http/http.ts";
import { decompressResponse } from "./content-coding.ts";

/** Providers that compress their responses, over real connections. */
let server: Server;
let serve: (response: ServerResponse) => void;
const client = createUpstreamClient();

beforeAll(async () => {
  server = createServer((_request, response) => serve(response));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
});
afterAll(async () => {
  await client.close();
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
});

async function ask(): Promise<UpstreamResponse> {
  const response = await client.send({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    method: "GET",
    headers: {},
    body: null,
    proxy: "",
    connectTimeoutMs: 30_000,
    firstByteTimeoutMs: 30_000,
    idleTimeoutMs: 30_000,
    signal: undefined,
  });
  return decompressResponse(response);
}

const play = (coding: string, body: Buffer) => {
  serve = (response) => response.writeHead(200, { "content-encoding": coding, "x-kept": "1" }).end(body);
};

const codings: [
  string,
  (body: Buffer) => Buffer,
  () => zlib.Gzip | zlib.BrotliCompress | zlib.ZstdCompress,
][] = [
  ["gzip", (body) => zlib.gzipSync(body), () => zlib.createGzip()],
  ["deflate", (body) => zlib.deflateSync(body), () => zlib.createDeflate()],
  ["deflate", (body) => zlib.deflateRawSync(body), () => zlib.createDeflateRaw()],
  ["br", (body) => zlib.brotliCompressSync(body), () => zlib.createBrotliCompress()],
  ["zstd", (body) => zlib.zstdCompressSync(body), () => zlib.createZstdCompress()],
];

describe.each(codings)("a response compressed with %s", (coding, compress, open) => {
  it("is decompressed, and its headers no longer name the coding", async () => {
    play(coding, compress(Buffer.from('{"said":"Ahoy, 船!"}')));
    const response = await ask();
    expect(response.headers).toMatchObject({ "x-kept": "1" });
    expect(response.headers).not.toHaveProperty("content-encoding");
    expect(response.headers).not.toHaveProperty("content-length");
    expect(await response.text(1_000)).toBe('{"said":"Ahoy, 船!"}');
  });

  it("is delivered piece by piece, each as soon as the provider has sent it", async () => {
    const encoder = open();
    serve = (response) => {
      response.writeHead(200, { "content-encoding": coding });
      encoder.pipe(response);
    };
    const send = (text: string) => {
      encoder.write(text);
      encoder.flush();
    };
    send("data: one\n\n");
    const response = await ask();
    const chunks = response.chunks();
    expect(String((await chunks.next()).value)).toBe("data: one\n\n");
    send("data: two\n\n");
    expect(String((await chunks.next()).value)).toBe("data: two\n\n");
    encoder.end();
    expect(await chunks.next()).toMatchObject({ done: true });
  });

  it("uses no more memory than its reader allows, even for a decompression bomb", async () => {
    play(coding, compress(Buffer.alloc(8 * 1024 * 1024)));
    const response = await ask();
    await expect(response.text(100_000)).rejects.toMatchObject({ kind: "network" });
  });

  it("fails when its bytes are damaged", async () => {
    const bytes = compress(Buffer.from("Ahoy! ".repeat(1_000)));
    bytes.fill(0xff, 8);
    play(coding, bytes);
    await expect((await ask()).text(100_000)).rejects.toMatchObject({ kind: "network" });
  });

  it("delivers what arrived before its connection broke, and then fails", async () => {
    const encoder = open();
    let broken = () => {};
    serve = (response) => {
      broken = () => response.destroy();
      response.writeHead(200, { "content-encoding": coding });
      encoder.pipe(response);
    };
    encoder.write("data: one\n\n");
    encoder.flush();
    const chunks = (await ask()).chunks();
    expect(String((await chunks.next()).value)).toBe("data: one\n\n");
    broken();
    await expect(chunks.next()).rejects.toMatchObject({ kind: "network" });
  });

  it("is cancelled with its connection when its reader leaves", async () => {
    const encoder = open();
    let left = false;
    serve = (response) => {
      response.writeHead(200, { "content-encoding": coding });
      response.on("close", () => {
        left = true;
      });
      encoder.pipe(response);
    };
    encoder.write("data: one\n\n");
    encoder.flush();
    for await (const chunk of (await ask()).chunks()) {
      expect(String(chunk)).toBe("data: one\n\n");
      break;
    }
    await expect.poll(() => left).toBe(true);
  });
});

describe("an uncompressed response", () => {
  it("is returned as the same object", async () => {
    serve = (response) => response.end("plain");
    const response = await ask();
    expect(decompressResponse(response)).toBe(response);
    expect(await response.text(100)).toBe("plain");
  });

  it("passes unchanged when it names an unknown coding", async () => {
    play("utf-8", Buffer.from("plain"));
    expect(await (await ask()).text(100)).toBe("plain");
  });

  it("may have an empty body and still name a coding", async () => {
    play("gzip", Buffer.alloc(0));
    expect(await (await ask()).text(100)).toBe("");
  });
});

import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installedDatabase } from "#test/database.ts";
import { type GatewayProcess, startGatewayProcess } from "#test/gateway-process.ts";

/** The log at its most verbose level, with requests that Node cannot parse. */
let gateway: GatewayProcess;
let database: Awaited<ReturnType<typeof installedDatabase>>;
let folder: string;

beforeAll(async () => {
  database = await installedDatabase();
  folder = await mkdtemp(join(tmpdir(), "gateway-log-"));
  gateway = await startGatewayProcess({ DATABASE_URL: database.url, DATA_DIR: folder, LOG_LEVEL: "trace" });
}, 60_000);
afterAll(async () => {
  gateway.process.kill("SIGTERM");
  await gateway.ended;
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

function send(text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
    socket.on("error", () => {});
    socket.on("data", (bytes) => (answer += bytes.toString()));
    socket.on("close", () => resolve(answer));
    socket.write(text);
  });
}

const secret = "sk-secret-of-a-caller";
const named = `host: x\r\nauthorization: Bearer ${secret}\r\ncookie: session=${secret}`;

describe("malformed requests: the log at trace", () => {
  it.each([
    ["a header without a colon", `POST /v1/x HTTP/1.1\r\n${named}\r\nbad header\r\n\r\n${secret}`],
    [
      "two lengths",
      `POST /v1/x HTTP/1.1\r\n${named}\r\ncontent-length: 9\r\ncontent-length: 8\r\n\r\n${secret}`,
    ],
    ["a bad chunk", `POST /v1/x HTTP/1.1\r\n${named}\r\ntransfer-encoding: chunked\r\n\r\n${secret}\r\n`],
    ["headers that are too large", `GET /v1/x HTTP/1.1\r\n${named}\r\nx: ${secret.repeat(5_000)}\r\n\r\n`],
    ["no HTTP", `${secret} ${secret}\r\n\r\n`],
  ])("contains no headers or body after %s", async (_, text) => {
    expect(await send(text)).toMatch(/^HTTP\/1.1 4\d\d /);
    // A valid request is logged, so the log can be read up to it.
    const before = gateway.log.length;
    await fetch(`${gateway.url}/v1/models`);
    await expect.poll(() => gateway.log.length).toBeGreaterThan(before);
    const log = gateway.log.join("\n");
    const bytes = JSON.stringify([...Buffer.from(secret)]).slice(1, -1);
    for (const spelling of [secret, bytes, Buffer.from(secret).toString("base64").slice(0, 24)])
      expect(log.replaceAll(/\s/g, "")).not.toContain(spelling);
  });
});

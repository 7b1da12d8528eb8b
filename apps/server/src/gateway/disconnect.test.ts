import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import type { FastifyReply } from "fastify";
import { describe, expect, it } from "vitest";
import { leavingSignal } from "./disconnect.ts";

describe("leavingSignal", () => {
  it("is aborted at once when the client had already left", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const client = connect(port, "127.0.0.1");
    client.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}");
    const [request, raw] = await once(server, "request");
    request.resume();
    client.destroy();
    await once(raw, "close");
    expect(leavingSignal({ raw } as FastifyReply).aborted).toBe(true);
    server.close();
  });
});

import { connect } from "node:net";
import fastify, { type FastifyInstance } from "fastify";
import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import type { GatewayServices } from "#gateway/services.ts";
import { alwaysActive } from "#platform/activity.ts";
import { createOpenResponses } from "#platform/http/open-responses.ts";
import { type AppOptions, buildApp, type SiteBasics } from "./app.ts";

let app: FastifyInstance | undefined;
afterEach(() => app?.close());

/** Builds the server without services, because these requests reach no endpoint of the gateway. */
async function open(openSite: AppOptions["openSite"]): Promise<string> {
  app = await buildApp({
    logger: pino({ enabled: false }),
    basePath: "",
    trustProxy: "",
    database: {} as AppOptions["database"],
    secrets: {} as AppOptions["secrets"],
    readiness: { check: async () => ({ stale: [], problems: [] }), drain: () => undefined },
    responses: createOpenResponses(),
    activity: alwaysActive,
    gateway: {} as GatewayServices,
    metrics: { consoleAnswer: () => undefined } as unknown as AppOptions["metrics"],
    openSite,
  });
  return app.listen({ port: 0, host: "127.0.0.1" });
}

async function site(basics: SiteBasics): Promise<FastifyInstance> {
  const opened = fastify(basics);
  opened.get("/panel", (request) => ({ id: request.id, address: request.ip }));
  opened.post("/echo", (request) => request.body);
  await opened.ready();
  return opened;
}

describe("the console and the site", () => {
  it("are loaded once, with the first request for them, and not by monitoring", async () => {
    let opened = 0;
    const url = await open((basics) => {
      opened += 1;
      return site(basics);
    });
    for (const path of ["/api/health", "/api/ready"])
      expect(await (await fetch(url + path)).json()).toEqual({ status: "ok" });
    expect((await fetch(`${url}/v1/nothing`)).status).toBe(404);
    expect(opened).toBe(0);
    const answers = await Promise.all([1, 2, 3].map(() => fetch(`${url}/panel`)));
    for (const answer of answers) {
      const { id, address } = (await answer.json()) as { id: string; address: string };
      expect(answer.headers.get("x-request-id")).toBe(id);
      expect(address).toBe("127.0.0.1");
    }
    expect(opened).toBe(1);
    expect((await fetch(`${url}/nothing`)).status).toBe(404);
  });

  it("get the whole body of the request that loads them", async () => {
    const url = await open(async (basics) => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return site(basics);
    });
    const body = JSON.stringify({ text: "x".repeat(500_000) });
    const answer = await fetch(`${url}/echo`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    expect(await answer.text()).toBe(body);
  });

  it("are loaded again after a failure, which is answered with 503 and Retry-After", async () => {
    let attempts = 0;
    const url = await open((basics) => {
      attempts += 1;
      return attempts === 1 ? Promise.reject(new Error("no file")) : site(basics);
    });
    const failed = await fetch(`${url}/panel`);
    expect([failed.status, failed.headers.get("retry-after")]).toEqual([503, "5"]);
    expect((await fetch(`${url}/panel`)).status).toBe(200);
  });

  it("survive a client that leaves while they are loaded", async () => {
    let loaded: (() => void) | undefined;
    const url = await open(async (basics) => {
      await new Promise<void>((resolve) => (loaded = resolve));
      return site(basics);
    });
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.write("GET /panel HTTP/1.1\r\nhost: x\r\n\r\n");
    await expect.poll(() => loaded).toBeDefined();
    socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 20));
    loaded?.();
    expect((await fetch(`${url}/panel`)).status).toBe(200);
  });
});

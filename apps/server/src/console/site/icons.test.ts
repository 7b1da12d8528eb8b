import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildConsole, type TestConsole } from "#test/console.ts";

let site: TestConsole;
let host: Server;
let url: string;

beforeAll(async () => {
  site = await buildConsole();
  host = createServer((_request, response) =>
    response.writeHead(200, { "content-type": "image/svg+xml" }).end("<svg/>"),
  );
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  url = `http://localhost:${(host.address() as { port: number }).port}`;
});
afterAll(async () => {
  host.closeAllConnections();
  host.close();
  await site.close();
});

describe("an icon at an address", () => {
  const ask = (address: string) => site.app.inject({ url: "/api/icon", query: { address } });

  it("is served from here, cacheable for a week, and cannot run scripts", async () => {
    const icon = `${url}/logo.svg`;
    await site.services.db.modelOwner.create({ data: { id: 3000, name: "Drawn", icon } });
    const response = await ask(icon);
    expect(response.statusCode).toBe(200);
    expect(response.body).toBe("<svg/>");
    expect(response.headers).toMatchObject({
      "content-type": "image/svg+xml",
      "cache-control": "public, max-age=604800",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      "x-content-type-options": "nosniff",
    });
  });

  it("does not count for the general rate limit of an address", async () => {
    const icon = `${url}/often.svg`;
    await site.services.db.modelOwner.create({ data: { id: 3001, name: "Often drawn", icon } });
    const left = async () => Number((await site.app.inject("/api/notice")).headers["x-ratelimit-remaining"]);
    const before = await left();
    for (let round = 0; round < 5; round += 1) await ask(icon);
    expect(await left()).toBe(before - 1);
  });

  it("is not fetched if it is not configured, or not a web address", async () => {
    expect((await ask(`${url}/other.svg`)).statusCode).toBe(404);
    expect((await ask("file:///etc/passwd")).statusCode).toBe(400);
  });
});

import { readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { startTestGateway, testAccessToken, type TestGateway } from "#test/gateway.ts";

/** Bodies of the management API that are sent slowly, many at once. Each is in memory until it ends. */
let gateway: TestGateway;
/** Every route that may have a body. */
let routes: { method: string; path: string }[];
const open: Socket[] = [];
const megabyte = 1024 * 1024;

beforeAll(async () => {
  gateway = await startTestGateway();
  const list = await readFile(new URL("../../src/console/route-access.txt", import.meta.url), "utf8");
  routes = [...list.matchAll(/^(POST|PUT|PATCH) (\/api\/\S+):/gm)].map(([, method = "", path = ""]) => ({
    method,
    path: path.replaceAll(/:\w+|\*/g, "1"),
  }));
});
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
});
afterAll(() => gateway.stop());

const root = { authorization: testAccessToken };

/** Begins 16 bodies of a megabyte that do not end. */
function beginBodies(request: string, headers: Record<string, string>): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  for (let count = 0; count < 16; count += 1) {
    const socket = connect({ port: Number(new URL(gateway.url).port), host: "127.0.0.1" });
    socket.on("error", () => {});
    socket.write(
      `${request} HTTP/1.1\r\nhost: x\r\n${lines.join("")}content-length: ${megabyte}\r\n\r\n${" ".repeat(1_000)}`,
    );
    open.push(socket);
  }
}

async function statusOf(method: string, path: string, headers: Record<string, string>): Promise<number> {
  const response = await fetch(gateway.url + path, {
    method,
    headers: { "api-version": "2", "content-type": "application/json", ...headers },
    body: "{}",
  });
  await response.arrayBuffer();
  return response.status;
}

it("bodies of one account are limited together, on every route with a body", async () => {
  expect(routes.length).toBeGreaterThan(100);
  beginBodies("PUT /api/option", root);
  await expect.poll(() => statusOf("PUT", "/api/option", root)).toBe(429);
  const accepted: string[] = [];
  for (const { method, path } of routes)
    if ((await statusOf(method, path, root)) !== 429) accepted.push(`${method} ${path}`);
  expect(accepted).toEqual([]);
  // Others are served.
  expect(await statusOf("POST", "/api/user/login", {})).toBe(400);
  for (const socket of open) socket.destroy();
  await expect.poll(() => statusOf("PUT", "/api/option", root)).toBe(400);
});

it("bodies of the guests of one address are limited together", async () => {
  const from = (address: string) => ({ "x-forwarded-for": address });
  // Without a limit of its own.
  const path = "/api/user/logout";
  beginBodies(`POST ${path}`, from("10.9.0.1"));
  await expect.poll(() => statusOf("POST", path, from("10.9.0.1"))).toBe(429);
  expect(await statusOf("POST", path, from("10.9.0.2"))).not.toBe(429);
  expect(await statusOf("PUT", "/api/option", { ...root, ...from("10.9.0.1") })).toBe(400);
});

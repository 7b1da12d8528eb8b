import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "#platform/database/db.ts";
import { fetchPublic } from "#platform/http/public-fetch.ts";
import { openTestDatabase } from "#test/database.ts";
import { createIcons, type Icons } from "./icons.ts";

let database: Database;
let host: Server;
let url: string;
/** Requested paths, in order. */
let requested: string[] = [];
let clock = 0;
let icons: Icons;

beforeAll(async () => {
  database = await openTestDatabase({ max: 3 });
  host = createServer((request, response) => {
    requested.push(request.url ?? "");
    if (request.url === "/page") response.writeHead(200, { "content-type": "text/html" }).end("<p>");
    else if (request.url === "/broken") response.writeHead(500).end();
    else response.writeHead(200, { "content-type": "image/png" }).end("a picture");
  });
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  url = `http://localhost:${(host.address() as { port: number }).port}`;
  const paths = ["page", "broken", ...Array.from({ length: 51 }, (_, number) => `${number}`)];
  await database.db.modelOwner.createMany({
    data: paths.map((path, at) => ({ id: 2000 + at, name: path, icon: `${url}/${path}` })),
  });
});
afterAll(async () => {
  host.closeAllConnections();
  host.close();
  await database.close();
});
beforeEach(() => {
  requested = [];
  clock = 1_000_000;
  icons = createIcons(
    database.db,
    (address, options) => fetchPublic(address, { ...options, mayReach: () => true }),
    () => clock,
  );
});

const hours = (count: number) => count * 3_600_000;

describe("icons that operators configured by address", () => {
  it("are fetched once for all users, and again after 168 hours", async () => {
    const [first] = await Promise.all([icons.iconAt(`${url}/0`), icons.iconAt(`${url}/0`)]);
    expect(first).toEqual({ mediaType: "image/png", bytes: Buffer.from("a picture") });
    clock += hours(168) - 1;
    await icons.iconAt(`${url}/0`);
    expect(requested).toEqual(["/0"]);
    clock += 1;
    await icons.iconAt(`${url}/0`);
    expect(requested).toEqual(["/0", "/0"]);
  });

  it("are at most 50: the least recently used one is evicted", async () => {
    for (let number = 0; number < 50; number += 1) await icons.iconAt(`${url}/${number}`);
    await icons.iconAt(`${url}/0`);
    await icons.iconAt(`${url}/50`);
    requested = [];
    await icons.iconAt(`${url}/0`);
    expect(requested).toEqual([]);
    await icons.iconAt(`${url}/1`);
    expect(requested).toEqual(["/1"]);
  });

  it("are fetched only if an operator configured them, and only if they are images", async () => {
    const notFound = { code: "not_found" };
    await expect(icons.iconAt(`${url}/unnamed`)).rejects.toMatchObject(notFound);
    expect(requested).toEqual([]);
    await expect(icons.iconAt(`${url}/page`)).rejects.toMatchObject(notFound);
  });

  it("are not requested again at once after a failure", async () => {
    const refused = { code: "invalid_request" };
    await expect(icons.iconAt(`${url}/broken`)).rejects.toMatchObject(refused);
    await expect(icons.iconAt(`${url}/broken`)).rejects.toMatchObject(refused);
    expect(requested).toEqual(["/broken"]);
    clock += hours(1);
    await expect(icons.iconAt(`${url}/broken`)).rejects.toMatchObject(refused);
    expect(requested).toEqual(["/broken", "/broken"]);
  });
});

import { createServer, type RequestListener, type Server } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { connect, type Database } from "#platform/database/db.ts";
import { freshDatabase } from "#test/database.ts";
import { checkRelease, describeReleaseCheck, releasesAddress } from "./release-check.ts";

const here = { mayReach: () => true };
let database: Database;
const servers: Server[] = [];
beforeAll(async () => {
  database = connect((await freshDatabase()).url);
});
beforeEach(() => database.pool.query("TRUNCATE release_checks"));
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
afterAll(() => database.close());

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://localhost:${(server.address() as { port: number }).port}`;
}

const release = (fields: object = {}) =>
  JSON.stringify({
    tag_name: "v1.2.0",
    name: "The second",
    body: "- faster\n- <script>alert(1)</script>",
    html_url: "https://example.com/releases/v1.2.0",
    published_at: "2026-11-28T10:00:00Z",
    ...fields,
  });

/** Checks an address as version 1.1.0, and returns what root sees. */
async function check(address: string, limits: Parameters<typeof checkRelease>[2] = here) {
  await checkRelease(database.db, { ReleaseCheckEnabled: true, ReleaseCheckAddress: address }, limits);
  return describeReleaseCheck(database.db, "1.1.0");
}

it("a newer release is stored with its notes as they are", async () => {
  const address = await serve((_request, response) => response.end(release()));
  expect(await check(address)).toMatchObject({
    version: "1.1.0",
    checked_at: expect.any(Number),
    is_newer: true,
    reason: "",
    release: {
      version: "1.2.0",
      name: "The second",
      notes: "- faster\n- <script>alert(1)</script>",
      url: "https://example.com/releases/v1.2.0",
      published_at: Date.UTC(2026, 10, 28, 10) / 1_000,
    },
  });
});

it.each([
  ["v1.10.0", true],
  ["1.1.1-beta.1", true],
  ["v1.1.0", false],
  ["1.1.0+build.7", false],
  ["1.1.0-rc.1", false],
  ["v1.0.9", false],
])("the release %s is newer than 1.1.0: %s", async (tag_name, isNewer) => {
  const address = await serve((_request, response) => response.end(release({ tag_name })));
  expect((await check(address)).is_newer).toBe(isNewer);
});

it("addresses of pages that are not http are not stored, and long notes are cut", async () => {
  const address = await serve((_request, response) =>
    response.end(
      release({ html_url: "javascript:alert(1)", body: "x".repeat(50_000), published_at: "soon" }),
    ),
  );
  const { release: found } = await check(address);
  expect(found).toMatchObject({ url: "", published_at: null });
  expect(found?.notes.length).toBeLessThanOrEqual(20_000);
});

it("an unchanged release is not sent again", async () => {
  const seen: (string | undefined)[] = [];
  const address = await serve((request, response) => {
    seen.push(request.headers["if-none-match"]);
    if (request.headers["if-none-match"] === '"one"') response.writeHead(304).end();
    else response.writeHead(200, { etag: '"one"' }).end(release());
  });
  await check(address);
  expect(await check(address)).toMatchObject({ is_newer: true, reason: "", release: { version: "1.2.0" } });
  // The ETag belongs to the address.
  await check(`${address}/other`);
  expect(seen).toEqual([undefined, '"one"', undefined]);
});

it("a mirror in the private network is read, through its redirects, but not through one to another private server", async () => {
  const other = await serve((_request, response) => response.end(release({ tag_name: "v9.0.0" })));
  const address = await serve((request, response) => {
    if (request.url === "/new") response.end(release());
    else response.writeHead(301, { location: request.url === "/other" ? other : "/new" }).end();
  });
  expect((await check(address, {})).release?.version).toBe("1.2.0");
  expect(await check(`${address}/other`, {})).toMatchObject({
    release: { version: "1.2.0" },
    reason: "Only public URLs can be fetched.",
  });
});

it.each<[string, RequestListener, RegExp]>([
  ["HTML", (_request, response) => response.end("<!doctype html><p>Sign in</p>"), /did not return a release/],
  [
    "no version",
    (_request, response) => response.end(release({ tag_name: "latest" })),
    /did not return a release/,
  ],
  ["a list", (_request, response) => response.end("[]"), /did not return a release/],
  ["an error", (_request, response) => response.writeHead(503).end(), /status 503/],
  [
    "10 MB",
    (_request, response) => response.end(release({ body: "x".repeat(10_000_000) })),
    /larger than 1 MB/,
  ],
  ["nothing", () => undefined, /did not respond in time/],
])("a failure is stored with its reason, and keeps the last release: %s", async (name, answer, reason) => {
  await check(await serve((_request, response) => response.end(release())));
  const failed = await check(await serve(answer), name === "nothing" ? { ...here, timeoutMs: 500 } : here);
  expect(failed).toMatchObject({ release: { version: "1.2.0" }, reason: expect.stringMatching(reason) });
});

it("the repository of this program has an address only when its owner is named", () => {
  expect(releasesAddress("git+https://github.com/OWNER/gateway.git")).toBeUndefined();
  expect(releasesAddress("https://example.com/a/b")).toBeUndefined();
  expect(releasesAddress("git+https://github.com/acme/gateway.git")).toBe(
    "https://api.github.com/repos/acme/gateway/releases/latest",
  );
});

it("a check without an address says where to enter one, and an installation that has it off checks nothing", async () => {
  expect(await check("")).toMatchObject({
    release: null,
    reason: expect.stringContaining("Enter the address"),
  });
  const off = checkRelease(database.db, { ReleaseCheckEnabled: false, ReleaseCheckAddress: "" });
  await expect(off).rejects.toMatchObject({ params: { reason: "release_check_off" } });
});

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultSettings } from "@gateway/shared/site/settings";
import fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, it } from "vitest";
import { serveWeb } from "./web.ts";

let dist: string;
let app: FastifyInstance;

beforeAll(async () => {
  dist = await mkdtemp(join(tmpdir(), "gateway-dist-"));
  await mkdir(join(dist, "assets/icons"), { recursive: true });
  await writeFile(join(dist, "assets/icons/one.svg"), "<svg />");
  await writeFile(join(dist, "secret.txt"), "not of the build");
  await build("first");
  app = fastify();
  await serveWeb(app, "ai", { current: () => defaultSettings }, dist);
});
afterAll(async () => {
  await app.close();
  await rm(dist, { recursive: true });
});

async function build(name: string): Promise<void> {
  await writeFile(join(dist, `assets/${name}.js`), `"${name}"`);
  await writeFile(join(dist, "index.html"), `<base href="./" /><script src="assets/${name}.js"></script>`);
}

const get = async (url: string) => {
  const { statusCode, body } = await app.inject({ url, headers: { accept: "text/html" } });
  return [statusCode, body];
};

it("a rebuilt console is served by a running gateway", async () => {
  const page = (name: string) => `<base href="/ai/" /><script src="assets/${name}.js"></script>`;
  expect(await get("/ai/panel/log")).toEqual([200, page("first")]);
  await rm(join(dist, "assets/first.js"));
  await rm(join(dist, "index.html"));
  expect(await get("/ai/panel/log")).toEqual([200, page("first")]);
  await build("second");
  expect(await get("/ai/panel/log")).toEqual([200, page("second")]);
  expect(await get("/ai/assets/second.js")).toEqual([200, `"second"`]);
  expect((await get("/ai/assets/first.js"))[0]).toBe(404);
});

it("built files are served with their cache time, and nothing outside of their folder", async () => {
  const icon = await app.inject("/ai/assets/icons/one.svg");
  expect([icon.statusCode, icon.body]).toEqual([200, "<svg />"]);
  expect(icon.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  expect((await app.inject({ method: "HEAD", url: "/ai/assets/icons/one.svg" })).statusCode).toBe(200);
  for (const path of ["", "icons", "icons/", "..%2fsecret.txt", "icons/..%2f..%2fsecret.txt", "two.js"]) {
    const { statusCode, body } = await app.inject(`/ai/assets/${path}`);
    expect(statusCode, path).toBeGreaterThanOrEqual(400);
    expect(body, path).not.toContain("not of the build");
  }
});

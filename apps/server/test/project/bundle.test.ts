import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { TestDatabase } from "#test/database-copies.ts";
import { freshDatabase } from "#test/database.ts";
import { gatewayFlags, startGatewayProcess } from "#test/gateway-process.ts";

/** The bundled server, as npm start and the image run it. */
let place: TestDatabase;
let dataDir: string;

beforeAll(async () => {
  place = await freshDatabase();
  dataDir = await mkdtemp(join(tmpdir(), "gateway-bundle-"));
});
afterAll(async () => {
  await place.drop();
  await rm(dataDir, { recursive: true, force: true });
});

it.each(["1", "2"])(
  "bundle: serves a call, and reports that it is ready, with WORKERS=%s",
  async (workers) => {
    const gateway = await startGatewayProcess({
      DATABASE_URL: place.url,
      DATA_DIR: dataDir,
      WORKERS: workers,
    });
    try {
      if (workers === "1")
        await gateway.api("POST", "/channel", {
          type: 900,
          name: "demo",
          models: ["demo-chat"],
          groups: ["default"],
        });
      const { key } = await gateway.api<{ key: string }>("POST", "/token", { name: "t" });
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Hi 你好 🙂" }] }),
      });
      expect(response.status).toBe(200);
      for (const path of ["/api/ready", "/api/status", "/"])
        expect((await fetch(`${gateway.url}${path}`)).status).toBe(200);
    } finally {
      gateway.process.kill("SIGTERM");
      expect(await gateway.ended).toBe(0);
    }
  },
  120_000,
);

it("bundle: every chunk that the image compiles in advance can be loaded alone", async () => {
  const root = join(import.meta.dirname, "../../../..");
  const image = await readFile(join(root, "Dockerfile"), "utf8");
  const program = /^RUN node --input-type=module -e "(.*)"$/m.exec(image)?.[1] ?? "";
  expect(program).toContain("await import(");
  const { stderr } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "-e", program.replaceAll("/app/", `${root}/`)],
    { timeout: 60_000 },
  );
  expect(stderr).toBe("");
});

it("bundle: npm start and the image start it with the same flags of Node as these tests", async () => {
  const root = join(import.meta.dirname, "../../../..");
  const steps = await readFile(join(root, "scripts/steps.mjs"), "utf8");
  const image = await readFile(join(root, "Dockerfile"), "utf8");
  const listed = /gatewayFlags = (\[.*\])/.exec(steps)?.[1];
  const command = /^CMD (\[.*\])$/m.exec(image)?.[1];
  expect(JSON.parse(listed ?? "")).toEqual(gatewayFlags);
  expect(JSON.parse(command ?? "")).toEqual(["node", ...gatewayFlags, "apps/server/dist/bundle/main.js"]);
});

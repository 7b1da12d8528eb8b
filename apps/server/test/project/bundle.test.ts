import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { TestDatabase } from "#test/database-copies.ts";
import { freshDatabase } from "#test/database.ts";
import { gatewayFlags, startGatewayProcess } from "#test/gateway-process.ts";
import { type ScriptedServer, startScriptedServer } from "#test/scripted-servers.ts";

/** The bundled server, as npm start and the image run it. */
let place: TestDatabase;
let dataDir: string;
/** App Service, from which Microsoft's library gets tokens, and the service of Azure that is called with them. */
let azure: ScriptedServer;
const machineToken = "eyJ.token.of-the-machine";

beforeAll(async () => {
  place = await freshDatabase();
  dataDir = await mkdtemp(join(tmpdir(), "gateway-bundle-"));
  azure = await startScriptedServer();
  azure.play(({ path, headers }) => {
    if (path.startsWith("/msi/token"))
      return {
        json: {
          access_token: machineToken,
          expires_on: String(Math.floor(Date.now() / 1_000) + 3_600),
          token_type: "Bearer",
          resource: "https://cognitiveservices.azure.com",
        },
      };
    if (headers.authorization !== `Bearer ${machineToken}`) return { status: 401, json: {} };
    return {
      json: {
        id: "chatcmpl-1",
        object: "chat.completion",
        created: 1,
        model: "gpt-4.1",
        choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      },
    };
  });
});
afterAll(async () => {
  await azure.close();
  await place.drop();
  await rm(dataDir, { recursive: true, force: true });
});

it("bundle: serves calls with a key and with the identity of the machine, and reports that it is ready", async () => {
  const gateway = await startGatewayProcess({
    DATABASE_URL: place.url,
    DATA_DIR: dataDir,
    IDENTITY_ENDPOINT: `${azure.url}/msi/token`,
    IDENTITY_HEADER: "header",
  });
  try {
    for (const channel of [
      { type: 900, name: "demo", models: ["demo-chat"] },
      { type: 3, name: "Azure", base_url: azure.url, key: "azure:", models: ["gpt-4.1"] },
    ])
      await gateway.api("POST", "/channel", { groups: ["default"], ...channel });
    const { key } = await gateway.api<{ key: string }>("POST", "/token", { name: "t" });
    for (const model of ["demo-chat", "gpt-4.1"]) {
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model, messages: [{ role: "user", content: "Hi 你好 🙂" }] }),
      });
      expect(response.status).toBe(200);
    }
    for (const path of ["/api/ready", "/api/status", "/"])
      expect((await fetch(`${gateway.url}${path}`)).status).toBe(200);
  } finally {
    gateway.process.kill("SIGTERM");
    expect(await gateway.ended).toBe(0);
  }
}, 120_000);

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

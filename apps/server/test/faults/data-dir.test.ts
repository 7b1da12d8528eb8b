import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Subject } from "#diagnostics/finding.ts";
import { disk } from "#diagnostics/machine.ts";
import { installedDatabase } from "#test/database.ts";
import { type GatewayProcess, startGatewayProcess } from "#test/gateway-process.ts";
import { testSecretKey } from "#test/gateway.ts";

/** A DATA_DIR that cannot be written. No account can create a folder below a file, not even root. */
const folder = "/dev/null/gateway";
let place: Awaited<ReturnType<typeof installedDatabase>>;
let gateway: GatewayProcess;

beforeAll(async () => {
  place = await installedDatabase();
  gateway = await startGatewayProcess({
    DATABASE_URL: place.url,
    DATA_DIR: folder,
    SECRET_KEY: testSecretKey,
    DEMO_UPSTREAM: "1",
  });
});
afterAll(async () => {
  gateway.process.kill("SIGTERM");
  await gateway.ended;
  await place.drop();
});

describe("a DATA_DIR that cannot be written", () => {
  it("is named at the start, in /api/ready and by the doctor", async () => {
    expect(gateway.log.join("\n")).toContain(`DATA_DIR (${folder}) cannot be written: E`);
    const ready = async () => {
      const response = await fetch(`${gateway.url}/api/ready`);
      return [response.status, await response.json()];
    };
    await expect.poll(ready).toEqual([200, { status: "ok", problems: ["data_dir_unwritable"] }]);
    const subject = { env: { DATA_DIR: folder } } as unknown as Subject;
    expect(await disk(subject)).toMatchObject([{ state: "problem", code: "data_dir_unwritable" }]);
  });

  it("refuses large uploads with the reason, and serves every other call", async () => {
    const models = ["demo-whisper"];
    await gateway.api("POST", "/channel", { type: 900, name: "demo", models, groups: ["default"] });
    const { key } = await gateway.api<{ key: string }>("POST", "/token", { name: "t" });
    const upload = async (bytes: number) => {
      const form = new FormData();
      form.set("model", "demo-whisper");
      form.set("file", new Blob([Buffer.alloc(bytes)]), "a.mp3");
      return fetch(`${gateway.url}/v1/audio/transcriptions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}` },
        body: form,
      });
    };
    expect((await upload(1_000)).status).toBe(200);
    const refused = await upload(2_000_000);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([507, "60"]);
    expect(await refused.json()).toMatchObject({ error: { code: "storage_full" } });
  });
});

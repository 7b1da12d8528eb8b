import type { ReleaseCheckStatus } from "@gateway/shared/site/release-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { systemActor } from "#domain/audit-log/audit.ts";
import { buildConsole, type TestConsole } from "#test/console.ts";

let site: TestConsole;
beforeAll(async () => {
  site = await buildConsole();
});
afterAll(() => site.close());

it("the check for new versions is for root only", async () => {
  const admin = await site.as(await site.makeUser({ role: 10 }));
  expect((await admin.get("/api/option/release-check")).status).toBe(403);
  expect((await admin.send("POST", "/api/option/release-check/run")).status).toBe(403);
  const settings = { ReleaseCheckAddress: "http://10.0.0.1/latest" };
  expect((await admin.send("PUT", "/api/option/batch", { values: settings })).status).toBe(403);
});

it("the check for new versions is refused while it is off, and its failure is shown", async () => {
  const root = await site.as(await site.makeUser({ role: 100 }));
  const read = async () => (await root.get<ReleaseCheckStatus>("/api/option/release-check")).body.data;
  expect(await read()).toMatchObject({ checked_at: null, release: null, is_newer: false });
  expect((await root.send("POST", "/api/option/release-check/run")).status).toBe(409);
  await site.services.settings.change(systemActor, {
    ReleaseCheckEnabled: true,
    ReleaseCheckAddress: "http://127.0.0.1:9/latest",
  });
  expect((await root.send("POST", "/api/option/release-check/run")).status).toBe(200);
  expect(await read()).toMatchObject({ release: null, reason: "The address cannot be reached." });
});

import { setTimeout as sleep } from "node:timers/promises";
import type { Diagnosis } from "@gateway/shared/site/diagnosis";
import { diagnosisChecks } from "@gateway/shared/site/diagnosis-texts";
import { afterEach, expect, it } from "vitest";
import { ok } from "#diagnostics/finding.ts";
import { systemActor } from "#domain/audit-log/audit.ts";
import { buildConsole, type TestConsole } from "#test/console.ts";

const sites: TestConsole[] = [];
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close();
});

async function open(...options: Parameters<typeof buildConsole>) {
  const site = await buildConsole(...options);
  sites.push(site);
  const root = await site.as(await site.makeUser({ role: 100 }));
  return { site, root, run: () => root.send<Diagnosis>("POST", "/api/diagnostics") };
}

it("is for root only", async () => {
  const { site } = await open();
  const admin = await site.as(await site.makeUser({ role: 10 }));
  expect((await admin.send("POST", "/api/diagnostics")).status).toBe(403);
  expect((await site.guest.send("POST", "/api/diagnostics")).status).toBe(401);
});

it("returns what every check found, as facts and in English", async () => {
  const { site, run } = await open();
  await site.services.settings.change(systemActor, {
    SMTPServer: "127.0.0.1",
    SMTPPort: 9,
    SMTPFrom: "a@example.com",
  });
  await site.services.settings.change(systemActor, {
    GitHubOAuthEnabled: true,
    GitHubClientId: "x",
    GitHubClientSecret: "hush-1",
  });
  const { status, body } = await run();
  expect(status).toBe(200);
  const { findings } = body.data;
  expect(new Set(findings.map(({ check }) => check))).toEqual(new Set(Object.keys(diagnosisChecks)));
  expect(findings.filter(({ state, fix }) => state !== "ok" && fix === "")).toEqual([]);
  expect(findings.find(({ check }) => check === "mail")).toMatchObject({
    group: "mail",
    state: "problem",
    code: "mail_refused",
    cause: { code: "upstream_failed", params: { reason: "mail_server_unreachable" } },
    text: expect.stringContaining("Email cannot be sent: "),
  });
  expect(findings.find(({ check }) => check === "sign_in_addresses")).toMatchObject({
    code: "callback_missing",
    params: { provider: "GitHub" },
  });
  expect(JSON.stringify(body)).not.toContain("hush-1");
  expect(JSON.stringify(body)).not.toContain("{{");
});

it("shows callback addresses, and notifications that arrive elsewhere", async () => {
  const { site, run } = await open();
  // Nothing listens there.
  await site.services.settings.change(systemActor, { ServerAddress: "http://127.0.0.1:9/" });
  await site.services.settings.change(systemActor, {
    GitHubOAuthEnabled: true,
    GitHubClientId: "x",
    GitHubClientSecret: "y",
  });
  const gateway = { type: "epay", icon: "", config_encrypted: null, enable: true };
  for (const [uuid, notify_domain] of [
    ["one", ""],
    ["two", "https://pay.example.com"],
  ] as const)
    await site.database.db.paymentGateway.create({
      data: { ...gateway, uuid, name: uuid, notify_domain, currency: "CNY" },
    });
  const { findings } = (await run()).body.data;
  const of = (name: string) => findings.filter(({ check }) => check === name);
  expect(of("public_address")).toMatchObject([{ state: "problem", code: "address_silent" }]);
  expect(of("sign_in_addresses")).toMatchObject([
    { state: "ok", params: { address: "http://127.0.0.1:9/oauth/github" } },
  ]);
  expect(of("payment_addresses")).toMatchObject([
    { state: "ok", params: { address: "http://127.0.0.1:9/api/payment/notify/one" } },
    {
      state: "warning",
      code: "payment_address_other",
      params: { address: "https://pay.example.com/api/payment/notify/two" },
    },
  ]);
});

it("reports checks that fail or take too long, without passwords", async () => {
  const { run } = await open({
    diagnostics: {
      timeoutMs: 100,
      among: {
        redis: () => Promise.reject(new Error("cannot reach redis://user:hush@host:1.")),
        disk: () => new Promise(() => undefined),
        clock: async () => ok("clock_correct"),
      },
    },
  });
  const { body } = await run();
  expect(body.data.findings).toMatchObject([
    { check: "redis", state: "problem", text: "The check failed: cannot reach redis://host:1." },
    { check: "disk", state: "warning", code: "check_timed_out", params: { seconds: 0.1 } },
    { check: "clock", state: "ok", code: "clock_correct" },
  ]);
});

it("runs once for two requests at the same time, and again after a pause", async () => {
  let runs = 0;
  const clock = async () => {
    runs += 1;
    await sleep(100);
    return ok("clock_correct");
  };
  const diagnostics = { pauseMs: 600_000, among: { clock } };
  const { run } = await open({ diagnostics });
  const [first, second] = await Promise.all([run(), run()]);
  expect(first.body.data).toEqual(second.body.data);
  expect((await run()).body.data).toEqual(first.body.data);
  expect(runs).toBe(1);
  diagnostics.pauseMs = 0;
  await run();
  expect(runs).toBe(2);
});

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";
import { cli, shellVariables } from "./cli.ts";

/** Commands on the database of a running gateway. */
let gateway: TestGateway;
const run = (...args: string[]) => cli(gateway.database.url, ...args);

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

describe("the command-line tool", () => {
  it("prints its commands, and the arguments of each", async () => {
    expect(await run("--help")).toMatchObject({ exitCode: 0, out: expect.stringContaining("Exit codes") });
    expect(await run("import", "one-hub", "--help")).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining("--dry-run"),
    });
    expect((await run("no-such-command")).exitCode).toBe(2);
    expect((await run("users", "show", "x")).exitCode).toBe(2);
  });

  it("audits the ledger", async () => {
    expect((await run("audit", "--json")).json()).toMatchObject({ drift: "0", rows: [] });
  });

  it("creates a key that works immediately, disables it and enables it", async () => {
    await gateway.addChannel({ type: 900, name: "demo" });
    await gateway.addPrice("demo-chat").catch(() => undefined);
    expect((await run("tokens", "create", "made", "--user", "1")).exitCode).toBe(2);
    const created = await run("tokens", "create", "made", "--user", "1", "--yes", "--json");
    expect(created.exitCode, created.err).toBe(0);
    const { id, key } = created.json() as { id: number; key: string };
    const models = async () =>
      (await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status;
    await expect.poll(models).toBe(200);
    expect((await run("tokens", "disable", String(id), "--yes")).exitCode).toBe(0);
    await expect.poll(models).toBe(403);
    expect((await run("tokens", "enable", String(id), "--yes")).exitCode).toBe(0);
    await expect.poll(models).toBe(200);
    expect((await run("tokens", "list", "--user", "1")).out).toContain("made");
    expect((await run("tokens", "show", String(id), "--json")).out).not.toContain(key);
    expect((await run("tokens", "show", "9999")).err).toContain("gateway tokens list");
  });

  it("lists, shows, disables and enables channels", async () => {
    const { id } = await gateway.addChannel({ type: 1, name: "one" });
    expect((await run("channels", "disable", String(id), "--yes")).exitCode).toBe(0);
    expect((await run("channels", "show", String(id), "--json")).json()).toMatchObject({
      status: 2,
      name: "one",
    });
    expect((await run("channels", "enable", String(id), "--yes")).exitCode).toBe(0);
    expect((await run("channels", "list")).out).toMatch(/one\s+1\s+enabled/);
    expect((await run("channels", "show", String(id))).out).not.toContain("vendor-key");
  });

  it("creates a channel with a key from the environment", async () => {
    const create = (...options: string[]) =>
      run("channels", "create", "made", "--models", "a, b", "--weight", "3", "--yes", "--json", ...options);
    expect((await create("--type", "no-such-provider")).exitCode).toBe(2);
    expect((await create("--type", "openai")).exitCode).toBe(3);
    expect((await create("--type", "openai", "--key-env", "CLI_CHANNEL_KEY")).exitCode).toBe(2);
    shellVariables["CLI_CHANNEL_KEY"] = "sk-a-channel-key-of-the-shell";
    const made = await create("--type", "OpenAI", "--key-env", "CLI_CHANNEL_KEY");
    delete shellVariables["CLI_CHANNEL_KEY"];
    expect(made.exitCode, made.err).toBe(0);
    expect(made.out).not.toContain("sk-a-channel-key");
    const { id } = made.json() as { id: number };
    expect((await run("channels", "show", String(id), "--json")).json()).toMatchObject({
      type: 1,
      models: ["a", "b"],
      groups: ["default"],
      weight: 3,
    });
    expect((await create("--type", "openai", "--priority", "x")).exitCode).toBe(2);
  });

  it("lists and shows users, and rejects disabling root", async () => {
    expect((await run("users", "list", "--json")).json()).toMatchObject([{ id: 1, username: "root" }]);
    expect((await run("users", "show", "1")).out).toContain("root");
    expect((await run("users", "disable", "1", "--yes")).exitCode).toBe(3);
  });

  it("probes the public address, and finds a proxy that buffers streams and drops upgrades", async () => {
    const findings = async (address: string) => {
      await gateway.api("PUT", "/option", { key: "ServerAddress", value: address });
      const all = (await run("doctor", "--json")).json() as { check: string; state: string; code: string }[];
      return all.filter(({ check }) => check === "public_address");
    };
    expect(await findings(gateway.url)).toMatchObject([
      { state: "ok", code: "address_correct", text: expect.stringContaining("leads to this gateway") },
      { state: "warning", code: "address_not_encrypted" },
      { state: "ok", code: "upgrades_pass" },
      { state: "ok", code: "events_pass" },
    ]);
    // Like a proxy with its defaults: it knows nothing of upgrades, and sends an answer when it has all of it.
    const proxy = createServer((request, response) => {
      fetch(`${gateway.url}${request.url}`, { headers: { "api-version": "2" } }).then(
        async (answer) => response.writeHead(answer.status).end(await answer.text()),
        () => response.writeHead(502).end(),
      );
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const { port } = proxy.address() as AddressInfo;
    expect(await findings(`http://127.0.0.1:${port}`)).toMatchObject([
      { state: "ok" },
      { state: "warning" },
      { state: "warning", code: "upgrades_dropped" },
      { state: "problem", code: "events_buffered", fix: expect.stringContaining("proxy_buffering off") },
    ]);
    proxy.close();
    expect(await findings(`http://127.0.0.1:${port}`)).toMatchObject([
      { state: "problem", code: "address_silent" },
    ]);
    await gateway.api("PUT", "/option", { key: "ServerAddress", value: "" });
  });

  it("recovers root after its password and second factor were lost", async () => {
    const signIn = async (password: string) => {
      const response = await fetch(`${gateway.url}/api/user/login`, {
        method: "POST",
        headers: { "api-version": "2", "content-type": "application/json" },
        body: JSON.stringify({ username: "root", password }),
      });
      return { status: response.status, cookie: response.headers.get("set-cookie")?.split(";")[0] ?? "" };
    };
    const before = await signIn("correct horse battery");
    const self = async (cookie: string) =>
      (await fetch(`${gateway.url}/api/user/self`, { headers: { cookie, "api-version": "2" } })).status;
    expect(await self(before.cookie)).toBe(200);
    expect((await run("users", "recover", "1")).exitCode).toBe(2);
    const recovered = await run("users", "recover", "1", "--remove-second-factor", "--yes", "--json");
    const { password } = recovered.json() as { password: string };
    expect(password).toMatch(/^\S{20}$/);
    await expect.poll(() => self(before.cookie)).toBe(401);
    expect((await signIn("correct horse battery")).status).toBe(401);
    expect((await signIn(password)).status).toBe(200);
    expect((await run("users", "recover", "999", "--yes")).exitCode).toBe(3);
  });

  it("reports problems of the environment and how to fix them", async () => {
    const { exitCode, ...outcome } = await run("doctor", "--json");
    const findings = outcome.json() as { check: string; state: string; fix: string }[];
    const errors = findings.filter((finding) => finding.state === "problem");
    // Test databases are created without fsync.
    expect(new Set(errors.map((finding) => finding.check))).toEqual(new Set(["postgres"]));
    expect(exitCode).toBe(1);
    expect(findings.find((finding) => finding.check === "public_address")).toMatchObject({
      state: "warning",
    });
    expect(findings.filter((finding) => finding.state !== "ok" && finding.fix === "")).toEqual([]);
    expect((await run("doctor")).out).toContain("postgres");
  });
});

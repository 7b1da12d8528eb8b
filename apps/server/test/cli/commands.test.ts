import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { channelKeyContext } from "#domain/channels/selection/load-channels.ts";
import { root } from "#platform/places.ts";
import { openSecrets } from "#platform/secrets.ts";
import { emptyDatabase } from "#test/database.ts";
import { startTestGateway, testSecretKey, type TestGateway } from "#test/gateway.ts";
import { cli, cliWithInput, shellVariables } from "./cli.ts";

/** Commands on the database of a running gateway. */
let gateway: TestGateway;
const run = (...args: string[]) => cli(gateway.database.url, ...args);

/** Runs the tool in a process of its own, as people do: with a pipe as standard input. */
async function runPiped(input: string, ...args: string[]) {
  const child = spawn(process.execPath, [join(root, "apps/server/dist/bundle/cli.js"), ...args], {
    env: {
      NODE_ENV: "test",
      PATH: process.env["PATH"],
      DATABASE_URL: gateway.database.url,
      SECRET_KEY: testSecretKey,
      DATA_DIR: tmpdir(),
    },
    timeout: 60_000,
  });
  child.stdin.end(input);
  const [out, err, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number]>,
  ]);
  return { out, err, exitCode };
}

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

  it("compares quotes with charges", async () => {
    const since = {
      user_id: 1,
      token_id: 1,
      request_hash: Buffer.alloc(0),
      expires_at: new Date(),
      input: 1n,
      output: 1n,
    };
    const quote = { ...since, model: "quoted", amount: 100n };
    await gateway.database.db.quote.createMany({
      data: [
        { ...quote, id: "quote_a", request_id: "a", charged: 60n, excess: 0n },
        { ...quote, id: "quote_b", request_id: "b", charged: 100n, excess: 7n },
        { ...quote, id: "quote_c" },
      ],
    });
    expect((await run("quotes", "--json")).json()).toEqual([
      { model: "quoted", calls: 2, quoted: "200", charged: "160", exceeded: 1, excess: "7" },
    ]);
    expect((await run("quotes", "--days", "1")).out).toMatch(/quoted +2 +200 +160 +40 +1 +7/);
    expect((await run("quotes", "--days", "91")).exitCode).toBe(2);
  });

  it("migrates an empty database, and leaves a current one as it is", async () => {
    const empty = await emptyDatabase();
    try {
      expect((await cli(empty.url, "audit")).err).toContain("no tables");
      const first = await cli(empty.url, "migrate", "--json");
      expect(first.exitCode, first.err).toBe(0);
      expect((first.json() as { applied: string[] }).applied.length).toBeGreaterThan(10);
      expect((await cli(empty.url, "migrate")).out).toContain("up to date");
      expect((await cli(empty.url, "audit")).out).toContain("drift 0");
    } finally {
      await empty.drop();
    }
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
    await expect.poll(models).toBe(401);
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
    expect((await run("channels", "show", String(id))).out).not.toContain("provider-key");
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

  it("reads the key of a channel and the password of a user from a pipe", async () => {
    const create = ["channels", "create", "piped", "--type", "openai", "--models", "a", "--yes", "--json"];
    const made = await runPiped("sk-a-key-of-the-pipe\n", ...create, "--key-stdin");
    expect(made, made.err).toMatchObject({ exitCode: 0 });
    expect(made.out).not.toContain("sk-a-key-of-the-pipe");
    const { id } = JSON.parse(made.out) as { id: number };
    const key = await gateway.database.db.channelKey.findFirstOrThrow({ where: { channel_id: id } });
    const secrets = openSecrets(testSecretKey);
    expect(secrets.decrypt(key.key_encrypted, channelKeyContext(id))).toBe("sk-a-key-of-the-pipe");
    expect((await runPiped("", ...create, "--key-stdin")).exitCode).toBe(3);
    const user = await runPiped("a password with a blank \n", "users", "create", "piped", "--yes");
    expect(user, user.err).toMatchObject({ exitCode: 0 });
    const signIn = async (password: string) => {
      const response = await fetch(`${gateway.url}/api/user/login`, {
        method: "POST",
        headers: { "api-version": "2", "content-type": "application/json" },
        body: JSON.stringify({ username: "piped", password }),
      });
      return response.status;
    };
    expect(await signIn("a password with a blank ")).toBe(200);
    expect(await signIn("a password with a blank")).toBe(401);
  });

  it("rejects a key from two places, and standard input that is no key", async () => {
    const create = (input: string, ...options: string[]) =>
      cliWithInput(
        gateway.database.url,
        input,
        ..."channels create x --type openai --models a --yes --key-stdin".split(" "),
        ...options,
      );
    expect((await create("sk-x", "--key-env", "X")).exitCode).toBe(2);
    const long = await create("x".repeat(64 * 1024 + 1));
    expect(long).toMatchObject({ exitCode: 2, err: expect.stringContaining("longer than 64 KB") });
    expect(await gateway.database.db.channel.count({ where: { name: "x" } })).toBe(0);
  });

  it("lists and shows users, and rejects disabling root", async () => {
    expect((await run("users", "list", "--limit", "1", "--json")).json()).toMatchObject([
      { id: 1, username: "root" },
    ]);
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

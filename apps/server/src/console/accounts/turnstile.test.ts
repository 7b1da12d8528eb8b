import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemActor } from "#domain/audit-log/audit.ts";
import { buildConsole, passwordOf, type TestConsole } from "#test/console.ts";
import { type MailServer, startMailServer } from "#test/mail-server.ts";

let site: TestConsole;
let post: MailServer;
/** Stands in for Cloudflare. It accepts each of its tokens once. */
let stand: Server;
const good = new Set<string>();
const requested: URLSearchParams[] = [];
let broken = false;

beforeAll(async () => {
  stand = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      const form = new URLSearchParams(body);
      requested.push(form);
      if (broken) response.writeHead(500).end("<html>");
      else {
        const fits = form.get("secret") === "the secret" && good.delete(form.get("response") ?? "");
        response.setHeader("content-type", "application/json").end(JSON.stringify({ success: fits }));
      }
    });
  });
  await new Promise<void>((resolve) => stand.listen(0, "127.0.0.1", resolve));
  const { port } = stand.address() as AddressInfo;
  post = await startMailServer();
  site = await buildConsole({ turnstile: `http://127.0.0.1:${port}/siteverify` });
  await site.services.settings.change(systemActor, {
    ...post.settings,
    ServerAddress: "https://ai.example.com",
  });
});
afterAll(async () => {
  await site.close();
  await post.close();
  await new Promise((resolve) => stand.close(resolve));
});

let number = 0;
const send = (path: string, body: object) =>
  site.guest.send("POST", path, body, { "x-forwarded-for": `192.0.2.${(number += 1)}` });
const newToken = () => {
  const token = `token-${(number += 1)}`;
  good.add(token);
  return token;
};

describe("the visitor check", () => {
  it("cannot be enabled without its keys, and only the site key is public", async () => {
    const { settings } = site.services;
    await expect(settings.set(systemActor, "TurnstileCheckEnabled", true)).rejects.toMatchObject({
      code: "invalid_request",
    });
    await settings.change(systemActor, {
      TurnstileSiteKey: "the site key",
      TurnstileSecretKey: "the secret",
      TurnstileCheckEnabled: true,
    });
    const { data } = (await site.guest.get("/api/status")).body;
    expect(data).toMatchObject({ turnstile_check: true, turnstile_site_key: "the site key" });
    expect(JSON.stringify(data)).not.toContain("the secret");
    await expect(settings.set(systemActor, "TurnstileSecretKey", "")).rejects.toMatchObject({
      code: "invalid_request",
    });
  });

  it("is required at login, sign-up, reset and codes, and accepts a token once", async () => {
    const user = await site.makeUser({ password_hash: await passwordOf("my password") });
    const endpoints: [string, object][] = [
      ["/api/user/login", { username: user.username, password: "my password" }],
      ["/api/user/register", { username: "newcomer", password: "long enough" }],
      ["/api/reset_password", { email: "somebody@mail.example" }],
    ];
    for (const [path, body] of endpoints) {
      expect((await send(path, body)).body.code, path).toBe("person_unproven");
      expect((await send(path, { ...body, turnstile: "made up" })).body.code, path).toBe("person_unproven");
      const turnstile = newToken();
      expect((await send(path, { ...body, turnstile })).status, path).toBe(200);
      expect((await send(path, { ...body, turnstile })).body.code, path).toBe("person_unproven");
    }
    expect((await send("/api/verification", { email: "a@mail.example" })).body.code).toBe("person_unproven");
    expect(requested.at(-1)?.get("remoteip")).toMatch(/^192\.0\.2\./);
  });

  it("rejects everyone when Cloudflare cannot be reached", async () => {
    broken = true;
    const answer = await send("/api/user/login", { username: "x", password: "y", turnstile: newToken() });
    expect(answer).toMatchObject({ status: 502, body: { code: "upstream_failed" } });
    broken = false;
  });
});

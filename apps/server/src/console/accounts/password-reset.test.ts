import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemActor } from "#domain/audit-log/audit.ts";
import { buildConsole, passwordOf, type TestConsole } from "#test/console.ts";
import { type MailServer, startMailServer } from "#test/mail-server.ts";

let site: TestConsole;
let post: MailServer;

beforeAll(async () => {
  post = await startMailServer();
  site = await buildConsole({ basePath: "gate" });
});
afterAll(async () => {
  await site.close();
  await post.close();
});

let number = 0;
const from = () => ({ "x-forwarded-for": `192.0.2.${(number += 1) % 250}` });
const ask = (email: string, headers = {}) =>
  site.guest.send("POST", "/gate/api/reset_password", { email }, { ...from(), ...headers });
const finish = (body: object) => site.guest.send("POST", "/gate/api/user/reset", body, from());
const person = async (email: string, values: object = {}) =>
  site.makeUser({ email, password_hash: await passwordOf("old password"), ...values });
const login = (username: string, password: string) =>
  site.guest.send("POST", "/gate/api/user/login", { username, password }, from());

async function linkFor(email: string) {
  await ask(email);
  const link = new URL(/https:\S+/.exec((await post.take(email)).text)?.[0] ?? "");
  return { link, token: link.searchParams.get("token") ?? "" };
}

describe("a forgotten password", () => {
  it("cannot be reset before there are a mail server and a server address for the link", async () => {
    const status = async () => (await site.guest.get<object>("/gate/api/status")).body.data;
    expect((await ask("a@mail.example")).status).toBe(403);
    await site.services.settings.change(systemActor, { ...post.settings });
    expect(await status()).toMatchObject({ password_reset: false });
    expect((await ask("a@mail.example")).status).toBe(403);
    await site.services.settings.set(systemActor, "ServerAddress", "https://ai.example.com/gate");
    expect(await status()).toMatchObject({ password_reset: true });
  });

  it("is replaced through the mailed link, once, which ends every session", async () => {
    const user = await person("forgetful@mail.example");
    const browser = await site.as(user);
    const { link, token } = await linkFor("forgetful@mail.example");
    expect(link.href).toMatch(/^https:\/\/ai\.example\.com\/gate\/user\/reset\?/);
    expect(link.searchParams.get("email")).toBe("forgetful@mail.example");
    const reset = { email: "Forgetful@mail.example", token, password: "new password" };
    expect((await finish({ ...reset, password: "short" })).body.fields).toHaveProperty("password");
    expect((await finish({ ...reset, token: "x".repeat(43) })).status).toBe(403);
    const answers = await Promise.all([finish(reset), finish(reset), finish(reset)]);
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 403, 403]);
    expect((await browser.get("/gate/api/user/self")).status).toBe(401);
    expect((await login(user.username, "old password")).status).toBe(401);
    expect((await login(user.username, "new password")).status).toBe(200);
    expect((await post.take("forgetful@mail.example")).text).toContain(user.username);
    expect(
      await site.services.db.auditEntry.count({
        where: { action: "user.password_reset", user_id: user.id },
      }),
    ).toBe(1);
  });

  it("returns the same for an unknown address, and sends no mail", async () => {
    await person("known@mail.example");
    await person("gone@mail.example", { status: 2 });
    const answers = [
      await ask("known@mail.example"),
      await ask("unknown@mail.example"),
      await ask("gone@mail.example"),
    ];
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
    await post.take("known@mail.example");
    const recipients = new Set(post.mails.map((mail) => mail.to));
    expect(recipients.has("unknown@mail.example") || recipients.has("gone@mail.example")).toBe(false);
    // The rate limit does not distinguish them either.
    expect((await ask("known@mail.example")).status).toBe(429);
    expect((await ask("unknown@mail.example")).status).toBe(429);
  });

  it("cannot be reset through a link that was sent for another account with this address", async () => {
    const before = await person("moved@mail.example");
    const { token } = await linkFor("moved@mail.example");
    await site.services.db.user.update({ where: { id: before.id }, data: { email: null } });
    const after = await person("moved@mail.example");
    expect((await finish({ email: "moved@mail.example", token, password: "new password" })).status).toBe(403);
    expect((await login(after.username, "old password")).status).toBe(200);
  });

  it("puts the operator's address into the link, whatever host the request claims", async () => {
    await person("poisoned@mail.example");
    await ask("poisoned@mail.example", { host: "evil.example", origin: "https://evil.example" });
    const { text, html } = await post.take("poisoned@mail.example");
    expect(text + html).not.toContain("evil.example");
  });

  it("does not bypass the second factor", async () => {
    const user = await person("careful@mail.example", {
      totp_enabled: true,
      totp_secret: new Uint8Array(8),
    });
    const { token } = await linkFor("careful@mail.example");
    await finish({ email: "careful@mail.example", token, password: "new password" });
    expect((await login(user.username, "new password")).body.code).toBe("totp_required");
  });

  it("accepts only the newest link, for half an hour", async () => {
    await person("twice@mail.example");
    const first = await linkFor("twice@mail.example");
    await site.services.db.oneTimeCode.deleteMany({ where: { purpose: { startsWith: "mail-" } } });
    const second = await linkFor("twice@mail.example");
    const body = { email: "twice@mail.example", password: "new password" };
    expect((await finish({ ...body, token: first.token })).status).toBe(403);
    await site.services.db.oneTimeCode.updateMany({
      where: { purpose: "reset", subject: "twice@mail.example" },
      data: { expires_at: new Date(Date.now() - 60_000) },
    });
    expect((await finish({ ...body, token: second.token })).status).toBe(403);
  });

  it("is explained in the reader's language, with names escaped", async () => {
    await person("html@mail.example", { username: "<b>bold</b>", language: "zh_HK" });
    await ask("html@mail.example");
    const mail = await post.take("html@mail.example");
    expect(mail.subject).toContain("設定新密碼");
    expect(mail.html).not.toContain("<b>bold");
    expect(mail.html).toContain("&lt;b&gt;bold");
  });
});

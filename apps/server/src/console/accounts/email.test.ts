import type { Self } from "@gateway/shared/accounts/session";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { systemActor } from "#domain/audit-log/audit.ts";
import { buildConsole, passwordOf, type TestConsole } from "#test/console.ts";
import { type MailServer, startMailServer } from "#test/mail-server.ts";

let site: TestConsole;
let post: MailServer;

beforeAll(async () => {
  post = await startMailServer();
  site = await buildConsole();
  await site.services.settings.change(systemActor, { ...post.settings, EmailVerificationEnabled: true });
});
afterAll(async () => {
  await site.close();
  await post.close();
});
afterEach(async () => {
  post.full = false;
  await site.services.settings.change(systemActor, {
    EmailDomainRestrictionEnabled: null,
    EmailDomainWhitelist: null,
    EmailVerificationEnabled: true,
  });
});

let number = 0;
const fresh = () => `person-${(number += 1)}@mail.example`;
const from = () => ({ "x-forwarded-for": `192.0.2.${(number += 1) % 250}` });
const askCode = (email: string, body: object = {}) =>
  site.guest.send("POST", "/api/verification", { email, ...body }, from());
const codeIn = (text: string) => /^\d{6}$/m.exec(text)?.[0] ?? "";
/** Simulates that the last mail to this address was sent long ago. */
const forgetPace = () =>
  site.services.db.oneTimeCode.deleteMany({ where: { purpose: { startsWith: "mail-" } } });

const signUp = (body: object) =>
  site.guest.send<Self>(
    "POST",
    "/api/user/register",
    { username: `newcomer-${(number += 1)}`, password: "long enough", ...body },
    from(),
  );

describe("signing up with a verified address", () => {
  it("accepts the mailed code once", async () => {
    const email = fresh();
    expect((await askCode(` ${email.toUpperCase()} `, { language: "ja_JP" })).status).toBe(200);
    const mail = await post.take(email);
    expect(mail.subject).toContain("確認コード");
    expect(mail.from).toContain("gateway@example.com");
    const verification_code = codeIn(mail.text);
    expect(mail.html).toContain(verification_code);
    const wrong = verification_code === "000000" ? "000001" : "000000";
    expect(await signUp({ email, verification_code: wrong })).toMatchObject({
      status: 400,
      body: { fields: { verification_code: "The code is wrong or has expired" } },
    });
    const taken = await site.makeUser();
    expect((await signUp({ email, verification_code, username: taken.username })).status).toBe(409);
    const done = await signUp({ email, verification_code });
    expect(done.body.data).toMatchObject({ email });
    expect((await signUp({ email, verification_code })).status).toBe(400);
  });

  it("requires address and code", async () => {
    expect(await signUp({})).toMatchObject({
      status: 400,
      body: { fields: { email: "Enter your email address", verification_code: "Enter the code" } },
    });
    expect((await signUp({ email: "nowhere", verification_code: "12" })).body.fields).toMatchObject({
      email: "This is not an email address",
      verification_code: "The code has 6 digits",
    });
  });

  it("rejects a code after five attempts, even parallel ones", async () => {
    const email = fresh();
    await askCode(email);
    const code = codeIn((await post.take(email)).text);
    const wrong = code === "111111" ? "222222" : "111111";
    await Promise.all([1, 2, 3, 4, 5].map(() => signUp({ email, verification_code: wrong })));
    expect((await signUp({ email, verification_code: code })).status).toBe(400);
  });

  it("sends one address at most one mail a minute", async () => {
    const email = fresh();
    const answers = await Promise.all([askCode(email), askCode(email), askCode(email)]);
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 429, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(Number(refused?.response.headers["retry-after"])).toBeGreaterThan(30);
    expect(post.mails.filter((mail) => mail.to === email)).toHaveLength(1);
  });

  it("does not reveal who has an account; only the owner of the address learns it by mail", async () => {
    const email = fresh();
    await site.makeUser({ email });
    expect(await askCode(email)).toMatchObject({ status: 200, body: { data: null } });
    const mail = await post.take(email);
    expect(codeIn(mail.text)).toBe("");
    expect(mail.text).not.toMatch(/\d{6}/);
  });

  it("accepts only domains of the operator's list, if there is one", async () => {
    await expect(
      site.services.settings.change(systemActor, {
        EmailDomainRestrictionEnabled: true,
        EmailDomainWhitelist: "",
      }),
    ).rejects.toMatchObject({ code: "invalid_request" });
    await site.services.settings.change(systemActor, {
      EmailDomainRestrictionEnabled: true,
      EmailDomainWhitelist: "good.example, @Better.example",
    });
    expect((await askCode("a@evil.example")).body.fields).toEqual({
      email: "Email addresses of this domain are not accepted here",
    });
    expect((await askCode("a@notgood.example")).status).toBe(400);
    expect((await askCode("a@good.example")).status).toBe(200);
    expect((await askCode("a@better.example")).status).toBe(200);
  });

  it("reports when the mail server does not accept the mail", async () => {
    post.full = true;
    const answer = await askCode(fresh());
    expect(answer).toMatchObject({ status: 502, body: { code: "upstream_failed" } });
    expect(answer.body.message).not.toContain("full");
  });

  it("sends nothing while no address is required", async () => {
    await site.services.settings.set(systemActor, "EmailVerificationEnabled", false);
    expect((await askCode(fresh())).status).toBe(403);
    expect((await signUp({ email: fresh() })).body.data.email).toBeNull();
  });
});

describe("the address of an account", () => {
  it("is bound with the password and a code, and the old address is notified", async () => {
    await forgetPace();
    const [old, next] = [fresh(), fresh()];
    const user = await site.makeUser({ email: old, password_hash: await passwordOf("my password") });
    const own = await site.as(user);
    const ask = (password: string) =>
      own.send("POST", "/api/user/self/email/code", { email: next, password, language: "en_US" });
    expect((await ask("wrong")).body.fields).toEqual({ password: "The current password is wrong" });
    expect((await ask("my password")).status).toBe(200);
    const code = codeIn((await post.take(next)).text);
    const other = fresh();
    expect((await own.send("PUT", "/api/user/self/email", { email: other, code })).status).toBe(400);
    const done = await own.send<Self>("PUT", "/api/user/self/email", { email: next, code });
    expect(done.body.data.email).toBe(next);
    expect((await post.take(old)).text).toContain(next);
    const notes = await site.services.db.auditEntry.findMany({
      where: { action: "user.email", user_id: user.id },
    });
    expect(notes).toMatchObject([{ before: { email: old }, after: { email: next } }]);
  });

  it("cannot be another user's address, nor be verified with another user's code", async () => {
    const mine = fresh();
    await site.makeUser({ email: mine });
    const own = await site.as(await site.makeUser());
    expect((await own.send("POST", "/api/user/self/email/code", { email: mine })).status).toBe(409);
    const email = fresh();
    await own.send("POST", "/api/user/self/email/code", { email });
    const code = codeIn((await post.take(email)).text);
    const stranger = await site.as(await site.makeUser());
    expect((await stranger.send("PUT", "/api/user/self/email", { email, code })).status).toBe(400);
    expect((await own.send("PUT", "/api/user/self/email", { email, code })).status).toBe(200);
  });
});

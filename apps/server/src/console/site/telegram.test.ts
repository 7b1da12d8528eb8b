import type { SiteStatus } from "@gateway/shared/site/status";
import {
  MOST_MENUS,
  type TelegramCode,
  type TelegramLink,
  type TelegramMenuRow,
  type TelegramStatus,
} from "@gateway/shared/site/telegram";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemActor } from "#domain/audit-log/audit.ts";
import { revealKey } from "#domain/tokens/keys.ts";
import { type Browser, buildConsole, type TestConsole } from "#test/console.ts";
import { botToken, startTelegramServer, type TelegramServer } from "#test/telegram-server.ts";

let site: TestConsole;
let admin: Browser;
let telegram: TelegramServer;

beforeAll(async () => {
  telegram = await startTelegramServer();
  site = await buildConsole();
  admin = await site.as(await site.makeUser({ role: 10 }));
});
afterAll(async () => {
  await site.close();
  await telegram.close();
});

const path = "/api/option/telegram";
const hello = {
  command: "hello",
  description: "Says hello",
  parse_mode: "MarkdownV2",
  reply_message: "*Hi*",
};
const configure = (values: Record<string, unknown>) => site.services.settings.change(systemActor, values);
const configured = () =>
  configure({
    TelegramBotServer: telegram.url,
    TelegramBotToken: botToken,
    ServerAddress: "https://ai.example.com/gate/",
  });

describe("the commands of the Telegram bot", () => {
  it("are for administrators with that permission", async () => {
    const user = await site.as(await site.makeUser());
    const other = await site.as(await site.makeUser({ role: 10, permissions: { channels: "edit" } }));
    const viewer = await site.as(await site.makeUser({ role: 10, permissions: { telegram: "view" } }));
    expect((await site.guest.get(path)).status).toBe(401);
    expect((await user.get(path)).status).toBe(403);
    expect((await other.get(path)).status).toBe(403);
    expect((await viewer.get(path)).status).toBe(200);
    expect((await viewer.send("POST", path, hello)).status).toBe(403);
    expect((await viewer.send("PUT", `${path}/reload`)).status).toBe(403);
  });

  it("are limited in number, also when two are created at once", async () => {
    const { db } = site.services;
    const data = Array.from({ length: MOST_MENUS - 1 }, (_, at) => ({ ...hello, command: `many${at}` }));
    await db.telegramMenu.createMany({ data });
    const both = ["one", "two"].map((command) => admin.send("POST", path, { ...hello, command }));
    const statuses = (await Promise.all(both)).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409]);
    await db.telegramMenu.deleteMany();
  });

  it("are created, found, changed and deleted, each recorded", async () => {
    const made = await admin.send<TelegramMenuRow>("POST", path, { ...hello, command: "/hello" });
    expect(made.body.data).toMatchObject(hello);
    const { id } = made.body.data;
    expect(await admin.send("POST", path, hello)).toMatchObject({
      status: 409,
      body: { fields: { command: "This command already exists" } },
    });
    const changed = await admin.send<TelegramMenuRow>("POST", path, { ...hello, id, parse_mode: "html" });
    expect(changed.body.data).toMatchObject({ id, parse_mode: "HTML" });
    await admin.send("POST", path, { ...hello, command: "other" });
    const found = async (query: string) =>
      (await admin.get<{ data: TelegramMenuRow[]; total_count: number }>(`${path}?${query}`)).body.data;
    expect((await found("keyword=/HEL")).data.map((row) => row.command)).toEqual(["hello"]);
    expect((await found(`keyword=${id}`)).total_count).toBe(1);
    expect((await found("order=command&size=1")).data[0]?.command).toBe("hello");
    expect((await admin.get(`${path}?order=reply_message`)).status).toBe(400);
    expect((await admin.get<TelegramMenuRow>(`${path}/${id}`)).body.data.command).toBe("hello");
    expect((await admin.send("DELETE", `${path}/${id}`)).status).toBe(200);
    expect((await admin.get(`${path}/${id}`)).status).toBe(404);
    expect((await admin.send("POST", path, { ...hello, id })).status).toBe(404);
    const entries = await site.services.db.auditEntry.findMany({
      where: { target_type: "telegram_menu", target_id: "hello" },
    });
    expect(entries.map((entry) => entry.action).sort()).toEqual([
      "telegram_menu.change",
      "telegram_menu.create",
      "telegram_menu.delete",
    ]);
  });

  it.each([
    ["command", "", "The command is required"],
    ["command", "你好", "A command has at most 32 lowercase letters, digits and underscores"],
    ["command", "/bind", "The bot has a built-in reply for this command"],
    ["command", "/recharge", "The bot has a built-in reply for this command"],
    ["command", "apikey", "The bot has a built-in reply for this command"],
    ["command", "aff", "The bot has a built-in reply for this command"],
    ["description", " ", "The description is required"],
    ["reply_message", "", "The reply is required"],
    ["parse_mode", "", "The message type is required"],
  ])("reject a %s of “%s”", async (field, value, sentence) => {
    const { status, body } = await admin.send("POST", path, { ...hello, [field]: value });
    expect(status).toBe(400);
    expect(body.fields).toMatchObject({ [field]: sentence });
  });
});

describe("the Telegram bot", () => {
  it("is off without a token, and reports that", async () => {
    const { body } = await admin.get<TelegramStatus>(`${path}/status`);
    expect(body.data).toMatchObject({ status: false, is_webhook: false, configured: false });
    expect((await admin.send("PUT", `${path}/reload`)).status).toBe(400);
    const user = await site.as(await site.makeUser());
    expect((await user.send("POST", "/api/user/self/telegram")).status).toBe(400);
  });

  it("reports Telegram's error message, and never shows its token", async () => {
    await configure({ TelegramBotServer: telegram.url, TelegramBotToken: "1:wrong" });
    const status = await admin.get<TelegramStatus>(`${path}/status`);
    expect(status.body.data).toMatchObject({ status: false, problem: "Telegram: Unauthorized." });
    expect(await admin.send("PUT", `${path}/reload`)).toMatchObject({
      status: 502,
      body: { message: "Telegram: Unauthorized." },
    });
    await configure({ TelegramBotServer: "http://127.0.0.1:1" });
    const away = await admin.get<TelegramStatus>(`${path}/status`);
    expect(away.body.data.problem).toBe("Telegram cannot be reached.");
    expect(JSON.stringify(away.body)).not.toContain("1:wrong");
  });

  it("registers its commands, and a webhook once the site's address is known", async () => {
    await configure({ TelegramBotServer: telegram.url, TelegramBotToken: botToken, ServerAddress: null });
    const first = await admin.send<TelegramStatus>("PUT", `${path}/reload`);
    expect(first.body.data).toMatchObject({ status: true, is_webhook: false, username: "stand_in_bot" });
    await configure({ ServerAddress: "http://ai.example.com" });
    expect((await admin.send("PUT", `${path}/reload`)).body.message).toContain("HTTPS url must be provided");
    await configured();
    telegram.calls.length = 0;
    const second = await admin.send<TelegramStatus>("PUT", `${path}/reload`);
    expect(second.body.data).toMatchObject({ status: true, is_webhook: true });
    const commands = telegram.calls.find((call) => call.method === "setMyCommands")?.body["commands"];
    expect(commands).toEqual([
      { command: "other", description: "Says hello" },
      { command: "bind", description: "绑定账号" },
      { command: "unbind", description: "解除绑定" },
      { command: "balance", description: "查询余额" },
      { command: "recharge", description: "兑换码充值" },
      { command: "apikey", description: "查看 API 密钥" },
      { command: "aff", description: "邀请好友" },
    ]);
    expect(telegram.webhook.updates).toEqual(["message", "callback_query"]);
    expect(telegram.webhook.url).toMatch(/^https:\/\/ai\.example\.com\/gate\/api\/telegram\/[0-9a-f]{64}$/);
    expect((await site.guest.get<SiteStatus>("/api/status")).body.data.telegram_bot).toBe("stand_in_bot");
  });
});

describe("the Telegram bot below a base path", () => {
  it("receives updates there, whether or not the server address contains the path", async () => {
    const below = await buildConsole({ basePath: "gate" });
    try {
      const root = await below.as(await below.makeUser({ role: 100 }));
      for (const ServerAddress of ["https://ai.example.com", "https://ai.example.com/gate"]) {
        const values = { TelegramBotServer: telegram.url, TelegramBotToken: botToken, ServerAddress };
        await below.services.settings.change(systemActor, values);
        const state = await root.send<TelegramStatus>("PUT", `/gate${path}/reload`);
        expect(state.body.data).toMatchObject({ status: true, is_webhook: true });
        expect(telegram.webhook.url).toMatch(
          /^https:\/\/ai\.example\.com\/gate\/api\/telegram\/[0-9a-f]{64}$/,
        );
        const response = await below.app.inject({
          method: "POST",
          url: new URL(telegram.webhook.url).pathname,
          headers: { "x-telegram-bot-api-secret-token": telegram.webhook.secret },
          payload: {},
        });
        expect(response.statusCode).toBe(200);
      }
    } finally {
      await below.close();
    }
  });

  it("offers no menu entry whose command is built in now", async () => {
    const { db } = site.services;
    await configured();
    await db.telegramMenu.create({ data: { ...hello, command: "recharge" } });
    expect((await admin.send("PUT", `${path}/reload`)).status).toBe(200);
    await db.telegramMenu.deleteMany({ where: { command: "recharge" } });
  });
});

describe("messages to the bot", () => {
  beforeAll(async () => {
    await configured();
    await configure({ Language: "en_US", SystemName: "Ours" });
    await admin.send("PUT", `${path}/reload`);
    for (const [command, reply_message] of [
      ["hello", "*Hi*"],
      ["broken", "No. It is not escaped"],
    ] as const)
      await admin.send("POST", path, { ...hello, command, reply_message });
  });
  beforeEach(() => {
    telegram.calls.length = 0;
  });

  const hook = () => new URL(telegram.webhook.url).pathname.replace("/gate", "");
  const deliver = (update: unknown, secret = telegram.webhook.secret, url = hook()) =>
    site.app.inject({
      method: "POST",
      url,
      headers: { "x-telegram-bot-api-secret-token": secret },
      payload: update as object,
    });
  const output = () =>
    telegram.calls.filter((call) => call.method === "sendMessage").map((call) => call.body);

  /** Returns what the bot replies to this user; undefined when it sends nothing. */
  async function ask(text: string, { id = 77, type = "private" } = {}): Promise<string | undefined> {
    telegram.calls.length = 0;
    const from = { id, is_bot: false, first_name: "Ada", username: `ada${id}` };
    const response = await deliver({ update_id: 1, message: { chat: { id: id + 1, type }, from, text } });
    expect(response.statusCode).toBe(200);
    return output().at(-1)?.["text"] as string | undefined;
  }

  const sent = () => output().at(-1);
  const press = (data: string, id = 77, chat = id + 1) =>
    deliver({
      update_id: 2,
      callback_query: {
        id: "press-1",
        from: { id, is_bot: false, first_name: "Ada" },
        message: { message_id: 5, chat: { id: chat, type: "private" } },
        data,
      },
    });
  /** Returns an account that is linked to the Telegram account with this id. */
  async function linkedTo(id: number, values: { username?: string; balance?: bigint } = {}) {
    const user = await site.makeUser(values);
    const browser = await site.as(user);
    expect(await ask(`/bind ${await newCode(browser)}`, { id })).toContain("Done");
    return { user, browser };
  }
  async function codes(count: number, quota = 500_000): Promise<string[]> {
    const root = await site.as(await site.makeUser({ role: 100 }));
    const input = { name: "gift", quota, count };
    const { body } = await root.send<{ key: string }[]>("POST", "/api/redemption", input);
    return body.data.map((row) => row.key);
  }

  async function newCode(browser: Browser): Promise<string> {
    const { body } = await browser.send<TelegramCode>("POST", "/api/user/self/telegram");
    expect(body.data.minutes).toBe(10);
    return body.data.code;
  }

  it("are accepted only with both secrets", async () => {
    const update = { message: { chat: { id: 1, type: "private" }, from: { id: 1 }, text: "/hello" } };
    expect((await deliver(update, "wrong")).statusCode).toBe(404);
    expect((await deliver(update, "")).statusCode).toBe(404);
    expect((await deliver(update, undefined, "/api/telegram/wrong")).statusCode).toBe(404);
    expect(output()).toEqual([]);
    await deliver(update);
    expect(output()).toHaveLength(1);
  });

  it("get the reply of a command in its mode, and as plain text when Telegram cannot parse it", async () => {
    expect(await ask("/hello")).toBe("*Hi*");
    expect(output()).toMatchObject([{ chat_id: 78, parse_mode: "MarkdownV2" }]);
    expect(await ask("/broken")).toBe("No. It is not escaped");
    expect(output().map((body) => body["parse_mode"])).toEqual(["MarkdownV2", undefined]);
  });

  it("get a short help for anything else, but in a group only when they address the bot", async () => {
    for (const text of ["/start", "/help", "/nonsense", "Good morning"])
      expect(await ask(text), text).toContain("/hello – Says hello\n");
    expect(await ask("/help")).toContain("/bind – Link your account");
    const group = { type: "group" };
    expect(await ask("Good morning", group)).toBeUndefined();
    expect(await ask("/nonsense", group)).toBeUndefined();
    expect(await ask("/hello@other_bot", group)).toBeUndefined();
    expect(await ask("/hello@Stand_In_Bot", group)).toBe("*Hi*");
    expect(await ask("/balance", group)).toBe("Send this command in a private chat with me.");
  });

  it("link an account by a code that works once, show its balance, and unlink it", async () => {
    const user = await site.makeUser({ username: "ada", balance: 1_250_000n });
    const browser = await site.as(user);
    const link = async () => (await browser.get<TelegramLink>("/api/user/self/telegram")).body.data;
    expect(await ask("/balance")).toContain("Send /bind to see how");
    expect(await ask("/bind")).toContain("Open your profile at Ours");
    const old = await newCode(browser);
    const code = await newCode(browser);
    expect(await ask(`/bind ${old}`)).toContain("wrong or has expired");
    expect(await ask(`/bind ${code}`)).toBe("Done. You are ada at Ours.");
    expect(await ask(`/bind ${code}`)).toContain("wrong or has expired");
    expect(await link()).toMatchObject({ label: "@ada77" });
    expect(await ask("/balance")).toBe("Balance: $2.50\nUsed: $0.00");
    expect(await ask("/balance", { id: 78 })).toContain("Send /bind to see how");
    expect(await ask("/unbind")).toBe("Your account is no longer linked.");
    expect(await link()).toBeNull();
    expect((await browser.send("DELETE", "/api/user/self/telegram")).status).toBe(404);
    const entries = await site.services.db.auditEntry.findMany({
      where: { user_id: user.id },
      orderBy: { id: "asc" },
    });
    expect(entries.map((entry) => entry.action)).toEqual(["user.bind", "user.unbind"]);
  });

  it("link one account on each side, also by the link that contains the code", async () => {
    const first = await site.as(await site.makeUser({ username: "first-one" }));
    const second = await site.as(await site.makeUser({ username: "second-one" }));
    expect(await ask(`/start ${await newCode(first)}`, { id: 90 })).toContain("You are first-one");
    expect(await ask(`/bind ${await newCode(second)}`, { id: 90 })).toContain("already linked");
    expect(await ask(`/bind ${await newCode(first)}`, { id: 91 })).toContain("already linked");
    expect((await first.send("DELETE", "/api/user/self/telegram")).status).toBe(200);
    expect(await ask(`/bind ${await newCode(second)}`, { id: 90 })).toContain("You are second-one");
  });

  it("do nothing for a disabled account, or with an expired code", async () => {
    const { db } = site.services;
    const user = await site.makeUser();
    const browser = await site.as(user);
    const late = await newCode(browser);
    const subject = String(user.id);
    await db.oneTimeCode.updateMany({
      where: { subject },
      data: { expires_at: new Date(Date.now() - 60_000) },
    });
    expect(await ask(`/bind ${late}`, { id: 95 })).toContain("wrong or has expired");
    await ask(`/bind ${await newCode(browser)}`, { id: 95 });
    await db.user.update({ where: { id: user.id }, data: { status: 2 } });
    expect(await ask("/balance", { id: 95 })).toContain("Send /bind to see how");
  });

  it("are acknowledged when the bot does not know them, and not repeated when the reply fails", async () => {
    for (const update of [{}, { edited_message: {} }, { message: { chat: 7 } }, null])
      expect((await deliver(update)).statusCode).toBe(200);
    expect(output()).toEqual([]);
    await configure({ TelegramBotServer: "http://127.0.0.1:1" });
    expect(await ask("/hello")).toBeUndefined();
    await configured();
  });

  it("/recharge: redeems a code once, for the linked account, and records its origin", async () => {
    expect(await ask("/recharge abc", { id: 100 })).toContain("Send /bind to see how");
    const { user } = await linkedTo(100, { balance: 250_000n });
    await linkedTo(101);
    const [code = ""] = await codes(1, 1_000_000);
    expect(await ask(`/recharge ${code}`, { id: 100, type: "group" })).toContain("private chat");
    expect(await ask(`/recharge ${code}`, { id: 100 })).toBe("Done. $2.00 added.\nBalance: $2.50");
    expect(await ask(`/recharge ${code}`, { id: 100 })).toContain("already used");
    expect(await ask(`/recharge ${code}`, { id: 101 })).toContain("already used");
    const { db } = site.services;
    expect((await db.user.findUniqueOrThrow({ where: { id: user.id } })).quota).toBe(1_250_000n);
    const rows =
      await db.$queryRaw`SELECT source_ip, content FROM request_logs WHERE user_id = ${user.id} AND content LIKE 'Redemption code%'`;
    expect(rows).toEqual([{ source_ip: "telegram", content: "Redemption code gift" }]);
  });

  it("/recharge: asks for the code, and accepts it in the reply to that question", async () => {
    await linkedTo(102);
    const [first = "", second = ""] = await codes(2);
    const prompt = await ask("/recharge", { id: 102 });
    expect(sent()).toMatchObject({ reply_markup: { force_reply: true } });
    const reply = async (text: string, { bot = true, to = prompt } = {}) => {
      telegram.calls.length = 0;
      const from = { id: 102, is_bot: false, first_name: "Ada" };
      const reply_to_message = { message_id: 9, from: { id: 4711, is_bot: bot }, text: to };
      await deliver({ message: { chat: { id: 103, type: "private" }, from, text, reply_to_message } });
      return sent()?.["text"];
    };
    expect(await reply(first)).toContain("$1.00 added");
    for (const stray of [{ bot: false }, { to: "Something else" }])
      expect(await reply(second, stray)).toContain("You can use these commands");
    expect(await reply("/balance")).toContain("Balance: $1.00");
    expect(await reply(second)).toContain("$1.00 added");
  });

  it("/recharge: stops guessing, also when another account is linked, and before a right code", async () => {
    const { user } = await linkedTo(104);
    for (let guess = 0; guess < 8; guess += 1)
      expect(await ask(`/recharge ${"0".repeat(31)}${guess}`, { id: 104 })).toContain("not valid");
    const [code = ""] = await codes(1);
    expect(await ask(`/recharge ${code}`, { id: 104 })).toContain("Too many codes");
    await ask("/unbind", { id: 104 });
    await linkedTo(104);
    expect(await ask(`/recharge ${code}`, { id: 104 })).toContain("Too many codes");
    const browser = await site.as(user);
    await ask(`/bind ${await newCode(browser)}`, { id: 105 });
    expect(await ask(`/recharge ${code}`, { id: 105 })).toContain("Too many codes");
    await linkedTo(106);
    expect(await ask(`/recharge ${code}`, { id: 106 })).toContain("$1.00 added");
  });

  it("/apikey: lists keys in pages of five with links for chat apps, to their owner only", async () => {
    expect(await ask("/apikey", { id: 110 })).toContain("Send /bind to see how");
    const { browser, user } = await linkedTo(110);
    expect(await ask("/apikey", { id: 110 })).toContain("no API keys yet");
    for (let number = 1; number <= 6; number += 1)
      await browser.send("POST", "/api/token", { name: `<key> & ${number}`, unlimited_quota: true });
    const { db, secrets } = site.services;
    const rows = await db.token.findMany({ where: { user_id: user.id }, orderBy: { id: "asc" } });
    await browser.send("PATCH", `/api/token/${rows[5]!.id}`, { status: 2 });
    expect(await ask("/apikey", { id: 110, type: "group" })).toContain("private chat");
    const first = await ask("/apikey", { id: 110 });
    expect(sent()).toMatchObject({
      parse_mode: "HTML",
      reply_markup: { inline_keyboard: [[{ text: "Next", callback_data: "apikey:2" }]] },
    });
    const key = revealKey(secrets, rows[5]!);
    expect(first).toContain(`<b>&lt;key&gt; &amp; 6</b> · disabled\n<code>${key}</code>`);
    expect(first).toContain('<a href="https://app.nextchat.dev/');
    const app = encodeURIComponent(
      `ama://set-api-key?server=${encodeURIComponent("https://ai.example.com/gate")}&key=${key}`,
    );
    expect(first).toContain(`<a href="https://ai.example.com/gate/jump?url=${app}">AMA`);
    expect(first).toContain(`/jump?url=${encodeURIComponent("opencat://team/join")}`);
    expect(first).not.toContain("&amp; 1</b>");

    telegram.calls.length = 0;
    expect((await press("apikey:2", 110)).statusCode).toBe(200);
    expect(telegram.calls.map((call) => call.method)).toEqual(["answerCallbackQuery", "editMessageText"]);
    expect(telegram.calls[1]?.body).toMatchObject({
      chat_id: 111,
      message_id: 5,
      reply_markup: { inline_keyboard: [[{ text: "Previous", callback_data: "apikey:1" }]] },
    });
    expect(telegram.calls[1]?.body["text"]).toContain(revealKey(secrets, rows[0]!));
    // The same page again, a page that does not exist, and data that is not a page.
    for (const data of ["apikey:2", "apikey:999999", "apikey:0", "apikey:-1", "apikey:99999999", "menu"])
      expect((await press(data, 110)).statusCode, data).toBe(200);
    telegram.calls.length = 0;
    await press("apikey:1", 112, 111);
    expect(JSON.stringify(telegram.calls)).not.toContain("sk-");
    expect(telegram.calls[1]?.body["text"]).toContain("Send /bind to see how");
  });

  it("/apikey: offers the operator's own chat apps, and none that neither Telegram nor this site opens", async () => {
    const { browser } = await linkedTo(115);
    await browser.send("POST", "/api/token", { name: "mine", unlimited_quota: true });
    await configure({
      ChatLinks: JSON.stringify([
        { name: "Ours", url: "https://chat.example.com/?k={key}&s={server}", show: true, sort: 2 },
        { name: "Hidden", url: "https://hidden.example.com/{key}", show: false, sort: 3 },
        { name: "Strange", url: "strange://open?{key}", show: true, sort: 1 },
      ]),
    });
    const list = await ask("/apikey", { id: 115 });
    expect(list).toMatch(/<a href="https:\/\/chat\.example\.com\/\?k=sk-\w+&amp;s=[^"]+">Ours<\/a>$/);
    expect(list).not.toMatch(/Hidden|Strange/);
    await configure({ ChatLinks: "" });
  });

  it("/aff: shows the invitation code and the link to register", async () => {
    expect(await ask("/aff", { id: 120 })).toContain("Send /bind to see how");
    const { user } = await linkedTo(120);
    const { db } = site.services;
    await db.user.update({ where: { id: user.id }, data: { aff_count: 3, aff_quota: 1_500_000n } });
    expect(await ask("/aff", { id: 120 })).toBe(
      `Invitation code: ${user.aff_code}\nhttps://ai.example.com/gate/register?aff=${user.aff_code}\nPeople invited: 3\nInvitation rewards: $3.00`,
    );
  });

  it("the bot replies to one user 30 times a minute, and to other users meanwhile", async () => {
    const answers = [];
    for (let count = 0; count < 32; count += 1) answers.push(await ask("/hello", { id: 130 }));
    expect(answers.filter((answer) => answer !== undefined)).toHaveLength(30);
    telegram.calls.length = 0;
    await press("apikey:1", 130);
    expect(telegram.calls).toEqual([]);
    expect(await ask("/hello", { id: 131 })).toBe("*Hi*");
  });
});

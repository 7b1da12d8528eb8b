import { createHmac } from "node:crypto";
import { noticeEvents } from "@gateway/shared/site/notice";
import { defaultSettings, secretSettings, type Settings } from "@gateway/shared/site/settings";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { NoticeMessage, Tools } from "#notices/channel.ts";
import { eventMessages } from "#notices/event-messages.ts";
import { isFilledIn, noticeChannels } from "#notices/index.ts";
import { mailMessages } from "#notices/mail-messages.ts";
import { postToPublic } from "#platform/http/public-fetch.ts";
import { type NoticeReceiver, startNoticeReceiver } from "#test/notice-receiver.ts";

let receiver: NoticeReceiver;
beforeAll(async () => {
  receiver = await startNoticeReceiver();
});
beforeEach(() => {
  receiver.posts.length = 0;
});
afterAll(() => receiver.close());

const NOW = 1_795_000_000_000;
const mails: { to: string; subject: string }[] = [];
const tools: Tools = {
  post: (url, body, headers) => postToPublic(url, body, headers, { mayReach: () => true }),
  mail: async (to, { subject }) => void mails.push({ to, subject }),
  operators: async () => ["root@mail.example"],
  now: () => NOW,
};
const message: NoticeMessage = {
  event: "channel-disabled",
  title: "Channel “A” was disabled",
  text: "The provider refuses the key.",
  time: new Date(NOW),
  site: "Ours",
  siteUrl: "https://ai.example.com",
  facts: { name: "A" },
};
const settings = (values: Partial<Settings>): Settings => ({ ...defaultSettings, ...values });

async function reported(id: keyof typeof noticeChannels, values: Partial<Settings>, answer: object) {
  receiver.answer = { status: 200, body: answer };
  await noticeChannels[id].send(message, settings(values), tools);
  const post = receiver.posts[0]!;
  return { ...post, json: JSON.parse(post.body) as Record<string, unknown> };
}

describe("notification channels", () => {
  for (const [id, channel] of Object.entries(noticeChannels)) {
    it(`${id} is off at first, needs something, and keeps what opens it`, () => {
      expect(channel.id).toBe(id);
      expect(defaultSettings[channel.enabledBy]).toBe(false);
      expect(isFilledIn(channel, defaultSettings)).toBe(false);
      expect(defaultSettings[channel.events]).toBe(noticeEvents.join(","));
      for (const key of channel.needs)
        if (/Key|Secret|LarkWebhook|DingTalkWebhook|WeComWebhook/.test(key))
          expect(secretSettings).toContain(key);
    });
  }

  it("telegram sends to a chat as its bot", async () => {
    const post = await reported(
      "telegram",
      { NotifyTelegramServer: `${receiver.url}/`, NotifyTelegramBotKey: "1:a", NotifyTelegramChatId: "-5" },
      { ok: true },
    );
    expect(post.path).toBe("/bot1:a/sendMessage");
    expect(post.json).toMatchObject({ chat_id: "-5" });
    expect(post.json["text"]).toContain("[Ours] Channel “A” was disabled");
  });

  it("lark signs the time with its secret", async () => {
    const values = { NotifyLarkWebhook: `${receiver.url}/hook/1`, NotifyLarkSecret: "s" };
    const post = await reported("lark", values, { code: 0 });
    const sign = createHmac("sha256", `${NOW / 1000}\ns`).digest("base64");
    expect(post.json).toMatchObject({ timestamp: String(NOW / 1000), sign, msg_type: "text" });
  });

  it("dingtalk signs the time with its secret, in the address", async () => {
    const webhook = `${receiver.url}/robot/send?access_token=t`;
    const post = await reported(
      "dingtalk",
      { NotifyDingTalkWebhook: webhook, NotifyDingTalkSecret: "s" },
      { errcode: 0, errmsg: "ok" },
    );
    const query = new URL(post.path, receiver.url).searchParams;
    expect(query.get("access_token")).toBe("t");
    expect(query.get("sign")).toBe(createHmac("sha256", "s").update(`${NOW}\ns`).digest("base64"));
    expect(post.json).toMatchObject({ msgtype: "text" });
  });

  it("wecom and pushdeer send plain text", async () => {
    const wecom = await reported(
      "wecom",
      { NotifyWeComWebhook: `${receiver.url}/send?key=k` },
      { errcode: 0 },
    );
    expect(wecom.json).toMatchObject({ msgtype: "text" });
    receiver.posts.length = 0;
    const deer = await reported(
      "pushdeer",
      { NotifyPushDeerServer: receiver.url, NotifyPushDeerKey: "k" },
      { code: 0 },
    );
    expect(deer).toMatchObject({ path: "/message/push", json: { pushkey: "k", desp: message.text } });
  });

  it("a webhook gets all fields, signed with the time", async () => {
    const values = { NotifyWebhookAddress: `${receiver.url}/in`, NotifyWebhookSecret: "s" };
    const post = await reported("webhook", values, {});
    expect(post.json).toMatchObject({ event: "channel-disabled", facts: { name: "A" }, site: "Ours" });
    const timestamp = String(post.headers["x-gateway-timestamp"]);
    const signature = createHmac("sha256", "s").update(`${timestamp}.${post.body}`).digest("hex");
    expect(post.headers["x-gateway-signature"]).toBe(`sha256=${signature}`);
  });

  it("mail goes to the configured addresses, otherwise to root", async () => {
    await noticeChannels.email.send(message, settings({ NotifyEmailTo: "a@b.example, c@d.example" }), tools);
    await noticeChannels.email.send(message, settings({}), tools);
    expect(mails.map(({ to }) => to)).toEqual(["a@b.example", "c@d.example", "root@mail.example"]);
  });

  it("reports the receiver's error", async () => {
    const lark = reported(
      "lark",
      { NotifyLarkWebhook: receiver.url },
      { code: 19021, msg: "sign match fail" },
    );
    await expect(lark).rejects.toThrow("Lark refused the message: sign match fail");
    const values = {
      NotifyTelegramServer: receiver.url,
      NotifyTelegramBotKey: "1",
      NotifyTelegramChatId: "2",
    };
    const telegram = reported("telegram", values, { ok: false, description: "chat not found" });
    await expect(telegram).rejects.toThrow("chat not found");
    receiver.answer = { status: 500, body: {} };
    const webhook = noticeChannels.webhook.send(
      message,
      settings({ NotifyWebhookAddress: receiver.url }),
      tools,
    );
    await expect(webhook).rejects.toThrow("HTTP 500");
  });

  it("reaches public addresses only", async () => {
    const guarded = { ...tools, post: postToPublic };
    for (const address of [receiver.url, "http://169.254.169.254/latest", "http://localhost:1"]) {
      const sending = noticeChannels.webhook.send(
        message,
        settings({ NotifyWebhookAddress: address }),
        guarded,
      );
      await expect(sending).rejects.toThrow("Only public URLs can be fetched.");
    }
    expect(receiver.posts).toEqual([]);
  });
});

describe("notification texts", () => {
  it("exist for every event, and for every mail in every language", () => {
    const shape = (messages: object): string[] =>
      Object.entries(messages).flatMap(([name, value]) =>
        typeof value === "object" && value !== null
          ? shape(value as object).map((path) => `${name}.${path}`)
          : [name],
      );
    const [first, ...others] = Object.values(mailMessages).map((each) => shape(each as object).sort());
    for (const other of others) expect(other).toEqual(first);
    const facts = {
      name: "A",
      job: "B",
      node: "C",
      target: "D",
      used: "E",
      period: "F",
      provider: "G",
      models: "H",
    };
    for (const event of noticeEvents) expect(eventMessages[event].title(facts)).not.toContain("?");
  });
});

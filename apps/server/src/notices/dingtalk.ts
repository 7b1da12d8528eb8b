import { createHmac } from "node:crypto";
import { type NoticeChannel, plainText, postToRobot } from "./channel.ts";

/** A group robot: https://open.dingtalk.com/document/robots/custom-robot-access */
export const dingtalk: NoticeChannel = {
  id: "dingtalk",
  label: "DingTalk",
  enabledBy: "NotifyDingTalkEnabled",
  needs: ["NotifyDingTalkWebhook"],
  events: "NotifyDingTalkEvents",
  async send(message, settings, tools) {
    const url = new URL(settings.NotifyDingTalkWebhook);
    const secret = settings.NotifyDingTalkSecret;
    if (secret !== "") {
      const timestamp = String(tools.now());
      const sign = createHmac("sha256", secret).update(`${timestamp}\n${secret}`).digest("base64");
      url.searchParams.set("timestamp", timestamp);
      url.searchParams.set("sign", sign);
    }
    const body = { msgtype: "text", text: { content: plainText(message).slice(0, 8_000) } };
    await postToRobot(tools, "DingTalk", url.href, body, { code: "errcode", message: "errmsg" });
  },
};

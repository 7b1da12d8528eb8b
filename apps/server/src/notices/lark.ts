import { createHmac } from "node:crypto";
import { type NoticeChannel, plainText, postToRobot } from "./channel.ts";

/** A group robot: https://open.larksuite.com/document/client-docs/bot-v3/add-custom-bot */
export const lark: NoticeChannel = {
  id: "lark",
  label: "Lark",
  enabledBy: "NotifyLarkEnabled",
  needs: ["NotifyLarkWebhook"],
  events: "NotifyLarkEvents",
  async send(message, settings, tools) {
    const timestamp = String(Math.floor(tools.now() / 1000));
    const secret = settings.NotifyLarkSecret;
    // Lark uses the text to sign as the key, and signs an empty message.
    const sign = createHmac("sha256", `${timestamp}\n${secret}`).digest("base64");
    const body = {
      ...(secret === "" ? {} : { timestamp, sign }),
      msg_type: "text",
      content: { text: plainText(message).slice(0, 8_000) },
    };
    await postToRobot(tools, "Lark", settings.NotifyLarkWebhook, body, { code: "code", message: "msg" });
  },
};

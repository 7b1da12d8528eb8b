import { type NoticeChannel, plainText, postToRobot } from "./channel.ts";

/** A group robot: https://developer.work.weixin.qq.com/document/path/91770; at most 2048 bytes. */
export const wecom: NoticeChannel = {
  id: "wecom",
  label: "WeCom",
  enabledBy: "NotifyWeComEnabled",
  needs: ["NotifyWeComWebhook"],
  events: "NotifyWeComEvents",
  async send(message, settings, tools) {
    const body = { msgtype: "text", text: { content: plainText(message).slice(0, 600) } };
    await postToRobot(tools, "WeCom", settings.NotifyWeComWebhook, body, {
      code: "errcode",
      message: "errmsg",
    });
  },
};

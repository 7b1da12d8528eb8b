import { type NoticeChannel, plainText, postToRobot } from "./channel.ts";

/** A robot in a group: https://developer.work.weixin.qq.com/document/path/91770; 2048 bytes at most. */
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

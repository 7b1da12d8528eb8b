import { trimEndOf } from "@gateway/shared/trim-end";
import { type NoticeChannel, postToRobot } from "./channel.ts";

/** https://github.com/easychen/pushdeer; it can also be self-hosted. */
export const pushdeer: NoticeChannel = {
  id: "pushdeer",
  label: "PushDeer",
  enabledBy: "NotifyPushDeerEnabled",
  needs: ["NotifyPushDeerKey", "NotifyPushDeerServer"],
  events: "NotifyPushDeerEvents",
  async send({ site, title, text }, settings, tools) {
    const url = `${trimEndOf(settings.NotifyPushDeerServer, "/")}/message/push`;
    const body = {
      pushkey: settings.NotifyPushDeerKey,
      text: `[${site}] ${title}`.slice(0, 500),
      desp: text.slice(0, 8_000),
      type: "text",
    };
    await postToRobot(tools, "PushDeer", url, body, { code: "code", message: "error" });
  },
};

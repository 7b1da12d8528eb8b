import { trimEndOf } from "@gateway/shared/trim-end";
import { answerOf, type NoticeChannel, plainText, deliveryError } from "./channel.ts";

/** https://core.telegram.org/bots/api#sendmessage */
export const telegram: NoticeChannel = {
  id: "telegram",
  label: "Telegram",
  enabledBy: "NotifyTelegramEnabled",
  needs: ["NotifyTelegramBotKey", "NotifyTelegramChatId", "NotifyTelegramServer"],
  events: "NotifyTelegramEvents",
  async send(message, settings, tools) {
    const server = trimEndOf(settings.NotifyTelegramServer, "/");
    const body = {
      chat_id: settings.NotifyTelegramChatId,
      text: plainText(message).slice(0, 4_000),
      link_preview_options: { is_disabled: true },
    };
    const url = `${server}/bot${settings.NotifyTelegramBotKey}/sendMessage`;
    const answer = answerOf((await tools.post(url, JSON.stringify(body))).text);
    if (answer["ok"] === true) return;
    const output = answer["description"];
    throw deliveryError("Telegram", typeof output === "string" ? output : "");
  },
};

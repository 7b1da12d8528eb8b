import type { NoticeChannelId } from "@gateway/shared/site/notice";
import type { Settings } from "@gateway/shared/site/settings";
import type { NoticeChannel } from "./channel.ts";
import { dingtalk } from "./dingtalk.ts";
import { email } from "./email.ts";
import { lark } from "./lark.ts";
import { pushdeer } from "./pushdeer.ts";
import { telegram } from "./telegram.ts";
import { webhook } from "./webhook.ts";
import { wecom } from "./wecom.ts";

/** Registry with one line per notification channel. */
export const noticeChannels: Readonly<Record<NoticeChannelId, NoticeChannel>> = {
  email,
  telegram,
  lark,
  dingtalk,
  wecom,
  pushdeer,
  webhook,
};

/** Returns whether all settings that a channel needs are filled in. */
export function isFilledIn(channel: NoticeChannel, settings: Settings): boolean {
  return channel.needs.every((key) => settings[key] !== "");
}

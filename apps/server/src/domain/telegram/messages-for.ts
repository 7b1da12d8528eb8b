import { languageOf } from "#notices/language.ts";
import type { User } from "#platform/prisma/client.ts";
import { type BotMessages, botMessages } from "./bot-messages.ts";
import type { BotDeps } from "./bot.ts";

/** The bot's texts in the language of a linked account, or of the site. */
export function messagesFor({ settings }: Pick<BotDeps, "settings">, user: User | undefined): BotMessages {
  return botMessages[languageOf(user?.language ?? "", settings.current().Language)];
}

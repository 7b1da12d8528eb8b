import { languageOf } from "#notices/language.ts";
import type { User } from "#platform/prisma/client.ts";
import { type BotWords, botWords } from "./bot-words.ts";
import type { BotRoom } from "./bot.ts";

/** The bot's texts in the language of a linked account, or of the site. */
export function wordsFor({ settings }: Pick<BotRoom, "settings">, user: User | undefined): BotWords {
  return botWords[languageOf(user?.language ?? "", settings.current().Language)];
}
